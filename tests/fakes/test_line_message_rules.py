"""LINE's counterpart looks into messages, and refuses those that LINE would."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.store.http import Answer
from sekkei_fakes.line import LineCounterpart

AOI = "U" + "a" * 32
HEADERS = {"authorization": "Bearer line-token", "content-type": "application/json"}
SAY = {"type": "message", "label": "y", "text": "y"}
TEXT: dict[str, Any] = {"type": "text", "text": "x"}
BODY: dict[str, Any] = {"type": "box", "layout": "vertical", "contents": [TEXT]}
BUBBLE: dict[str, Any] = {"type": "bubble", "body": BODY}


def _quick(*actions: Any) -> dict[str, Any]:
    return {**TEXT, "quickReply": {"items": [{"type": "action", "action": action} for action in actions]}}


def _flex(contents: Any) -> dict[str, Any]:
    return {"type": "flex", "altText": "x", "contents": contents}


def _box(**changes: Any) -> dict[str, Any]:
    return _flex({"type": "bubble", "body": {**BODY, **changes}})


def _button(action: Any) -> dict[str, Any]:
    return _box(contents=[{"type": "button", "action": action}])


def _template(**fields: Any) -> dict[str, Any]:
    return {"type": "template", "altText": "x", "template": fields}


async def _sent(message: Any, path: str = "/v2/bot/message/push") -> Answer:
    line = LineCounterpart(ManualClock())
    line.befriend(AOI)
    content = {"to": AOI, "messages": [message]}
    found = await line.answer("POST", path, HEADERS, orjson.dumps(content))
    assert (found.status == 200) == bool(line.received(AOI)) or path.endswith("validate/push")
    return found


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"type": "note"}, ".type"),
        ({**TEXT, "text": ""}, ".text"),
        (_quick(*[SAY] * 14), ".quickReply.items"),
        (_quick(), ".quickReply.items"),
        (_quick({**SAY, "label": "x" * 21}), ".quickReply.items[0].action.label"),
        (_quick({"type": "message", "text": "y"}), ".quickReply.items[0].action.label"),
        (_quick({**SAY, "text": "x" * 301}), ".quickReply.items[0].action.text"),
        (_quick({"type": "postback", "label": "x", "data": "x" * 301}), ".quickReply.items[0].action.data"),
        (_quick({"type": "richmenuswitch", "label": "x"}), ".quickReply.items[0].action.type"),
        (_quick(None), ".quickReply.items[0].action"),
        ({**TEXT, "quickReply": {"items": [{"action": SAY}]}}, ".quickReply.items[0].type"),
        ({**TEXT, "sender": {"name": "x" * 21}}, ".sender.name"),
        ({**TEXT, "sender": {"name": "LINE"}}, ".sender.name"),
        ({**TEXT, "sender": {"iconUrl": "http://x/y.png"}}, ".sender.iconUrl"),
        (_button({"type": "uri", "label": "x", "uri": "javascript:alert(1)"}), ".contents.body.contents[0].action.uri"),
        (
            _button({"type": "uri", "label": "x", "uri": "https://x/" + "y" * 991}),
            ".contents.body.contents[0].action.uri",
        ),
        (_button({"type": "camera", "label": "x"}), ".contents.body.contents[0].action.type"),
        (_button(None), ".contents.body.contents[0].action"),
        (_flex({}), ".contents.type"),
        (_flex({"type": "sheet"}), ".contents.type"),
        (_flex({"type": "bubble"}), ".contents"),
        (_flex({"type": "bubble", "body": TEXT}), ".contents.body.type"),
        (_box(contents=[{"type": "text", "text": ""}]), ".contents.body.contents[0].text"),
        (_box(contents=[{"type": "picture"}]), ".contents.body.contents[0].type"),
        (_box(contents=[{"type": "image", "url": "http://x/y.png"}]), ".contents.body.contents[0].url"),
        (_box(layout="diagonal"), ".contents.body.layout"),
        (_box(contents=None), ".contents.body.contents"),
        (_box(contents=[{"type": "text", "text": "x" * 31_000}]), ".contents"),
        (_flex({"type": "carousel", "contents": [BUBBLE] * 13}), ".contents.contents"),
        (_flex({"type": "carousel", "contents": []}), ".contents.contents"),
        (
            _flex(
                {
                    "type": "carousel",
                    "contents": [{**BUBBLE, "body": {**BODY, "contents": [{**TEXT, "text": "x" * 26_000}]}}] * 2,
                }
            ),
            ".contents",
        ),
        ({"type": "template", "altText": "x"}, ".template"),
        (_template(type="confirm", text="x", actions=[SAY]), ".template.actions"),
        (_template(type="buttons", text="x" * 161, actions=[SAY]), ".template.text"),
        (_template(type="carousel", columns=[{"text": "x", "actions": []}]), ".template.columns[0].actions"),
        ({"type": "image", "originalContentUrl": "https://x/y"}, ".previewImageUrl"),
        (
            {"type": "image", "originalContentUrl": "http://x/y", "previewImageUrl": "https://x/y"},
            ".originalContentUrl",
        ),
        ({"type": "sticker"}, ".packageId"),
        ({"type": "location", "title": "x", "address": "y", "latitude": 1}, ".longitude"),
        ({"type": "coupon"}, ".couponId"),
    ],
)
async def test_a_message_that_line_would_refuse(message: dict[str, Any], place: str) -> None:
    for path in ("/v2/bot/message/push", "/v2/bot/message/validate/push"):
        found = await _sent(message, path)
        details = [one["property"] for one in orjson.loads(found.body)["details"]]
        assert (found.status, f"messages[0]{place}" in details) == (400, True), found.body


@pytest.mark.parametrize(
    "message",
    [
        _quick(*[{**SAY, "label": "x" * 20}] * 13),
        _quick({"type": "camera", "label": "x"}),
        {**TEXT, "sender": {"name": "オンライン窓口"}},
        _button({"type": "uri", "label": "x", "uri": "https://x/" + "y" * 990}),
        _flex({"type": "carousel", "contents": [BUBBLE] * 12}),
        _box(contents=[{"type": "text", "contents": [{"type": "span", "text": "x"}]}, {"type": "separator"}]),
        _flex(
            {**BUBBLE, "hero": {"type": "image", "url": "https://x/y.png", "action": {"type": "uri", "uri": "tel:1"}}}
        ),
        _template(type="confirm", text="x", actions=[SAY, SAY]),
        {"type": "image", "originalContentUrl": "https://x/y", "previewImageUrl": "https://x/y"},
        {"type": "sticker", "packageId": "1", "stickerId": "2"},
        {"type": "location", "title": "x", "address": "y", "latitude": 35.6, "longitude": 139.7},
        {"type": "coupon", "couponId": "c"},
    ],
)
async def test_a_message_that_line_takes(message: dict[str, Any]) -> None:
    assert (await _sent(message)).status == 200


async def test_a_body_of_more_than_two_megabytes_is_refused() -> None:
    assert (await _sent({**TEXT, "text": "x" * 2_100_000})).status == 413
