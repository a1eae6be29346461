"""Which events are for us, and what they say."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from linebot.v3.webhook import WebhookParser
from linebot.v3.webhooks import MessageEvent, PostbackEvent, UnsendEvent

from sekkei.runtime.transports.line import signature
from sekkei_systems.chiipochi.refusals import NotJson
from sekkei_systems.chiipochi.rules.events import read_event, read_events
from tests.systems.chiipochi.conftest import AOI, REN, Bot

ODD: list[dict[str, Any]] = [
    {"type": "message", "message": {"type": "text"}},
    {"type": "message"},
    {"type": "postback"},
    {"type": "unsend"},
    {"type": "unsend", "unsend": {"messageId": 1}},
    {"type": "module", "module": {}},
    {"type": "something of next year"},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "mode": "standby"},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "source": None},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "source": {"type": "user"}},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "source": {"userId": "x#y"}},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "source": {"userId": "Uaaa\n"}},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "source": {"type": "room", "userId": "U1"}},
    {"type": "memberJoined", "source": {"type": "group", "groupId": "C1"}, "joined": {"members": []}},
    {"type": "leave", "source": {"type": "room", "roomId": "R1"}},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "webhookEventId": None},
    {"type": "message", "message": {"type": "text", "text": "ピーナッツ"}, "timestamp": "yesterday"},
]


def test_lines_own_sdk_reads_our_events_as_we_do(quick_bot: Bot) -> None:
    """What the simulator and these tests send is what LINE's models take for events of LINE."""
    made = [
        quick_bot.text("ピーナッツ"),
        quick_bot.tap("v=1&a=yes&n=abc"),
        quick_bot.event(type="unsend", unsend={"messageId": "7"}),
        quick_bot.event(type="follow", follow={"isUnblocked": False}),
        quick_bot.event(type="unfollow"),
    ]
    body = orjson.dumps({"destination": "U" + "0" * 32, "events": made})
    parsed = WebhookParser("secret").parse(body.decode(), signature(b"secret", body))
    ours = [found.incoming for found in read_events(body)]
    assert [one.event_id for one in ours] == [event.webhook_event_id for event in parsed]
    assert [one.at_ms for one in ours] == [event.timestamp for event in parsed]
    assert [one.user_id for one in ours] == [event.source.user_id for event in parsed]
    text, tap, unsend = parsed[:3]
    assert isinstance(text, MessageEvent)
    assert isinstance(tap, PostbackEvent)
    assert isinstance(unsend, UnsendEvent)
    assert (ours[0].text, ours[1].data, ours[2].message_id) == (
        text.message.text,
        tap.postback.data,
        unsend.unsend.message_id,
    )


@pytest.mark.parametrize("fields", ODD)
async def test_events_that_are_nothing_to_us_are_accepted_and_ignored(quick_bot: Bot, fields: dict[str, Any]) -> None:
    event = quick_bot.event(**fields)
    assert read_event(event) is None
    assert (await quick_bot.deliver(event, quick_bot.text("ピーナッツ", REN))).status == 200
    sent = await quick_bot.sent()
    assert [message.to for message in sent] == [REN]


def test_stickers_mentions_and_friends_who_come_back(quick_bot: Bot) -> None:
    sticker = quick_bot.event(type="message", message={"id": "9", "type": "sticker", "stickerId": "1"})
    mention = {"mentionees": [{"index": 0, "length": 5, "type": "user", "isSelf": True}]}
    named = quick_bot.text("@ちいポチ", source={"type": "group", "groupId": "C1", "userId": AOI})
    named["message"]["mention"] = mention
    back = quick_bot.event(type="follow", follow={"isUnblocked": True})
    found = [read_event(one) for one in (sticker, named, back)]
    assert [one and one.kind for one in found] == ["other", "text", "follow"]
    assert [one and one.mentioned for one in found] == [False, True, False]
    assert [one and one.unblocked for one in found] == [False, False, True]


def test_half_an_emoji_loses_nothing_of_a_delivery() -> None:
    base = {"type": "message", "source": {"type": "user", "userId": AOI}, "timestamp": 1_700_000_000_000}
    said = {"1": "りんご \ud83d", "2": "ピーナッツ"}
    events = [
        {**base, "webhookEventId": id, "message": {"id": id, "type": "text", "text": text}} for id, text in said.items()
    ]
    found = read_events(json.dumps({"events": events}).encode())
    assert [one.incoming.text for one in found] == ["りんご ?", "ピーナッツ"]
    orjson.dumps([one.raw for one in found])  # it can be written down


@pytest.mark.parametrize("body", [b"", b"{", b'"\xff"', b"[" * 100_000, b'{"events": ' + b"9" * 5_000])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(NotJson):
        read_events(body)
