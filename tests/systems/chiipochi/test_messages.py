"""Everything the bot can say stays within LINE's limits, and LINE's own SDK reads it."""

from __future__ import annotations

from typing import Any

import pytest

from systems.chiipochi import messages
from systems.chiipochi.line import signature
from systems.chiipochi.messages import Message, Unsendable, check
from systems.chiipochi.prefectures import PREFECTURES
from systems.chiipochi.rich_menu import RICH_MENU

URL = "https://example.com/chiipochi/u/" + "x" * 200
LONGEST = max(PREFECTURES.values(), key=lambda found: len(found.full))


def everything() -> list[list[Message]]:
    stamps = [(code, 99) for code in PREFECTURES]
    return [
        *(messages.say(what) for what in messages.SAYINGS),
        *(messages.confirm(found, 50_000, "f" * 16) for found in PREFECTURES.values()),
        messages.choose(PREFECTURES.values(), 50_000),
        messages.pay(LONGEST, 50_000, URL),
        messages.thanks(LONGEST, 50_000, 999, 47, URL),
        messages.my_today(10**9, 10**6, 10**9),
        messages.everyone_today(10**12, 10**9),
        messages.ranking([(code, 10**9) for code in PREFECTURES], URL),
        messages.ranking([], URL),
        messages.history(["✅ 08/20 神奈川県 50,000円"] * 5, URL),
        messages.stamp_card(stamps, URL),
        messages.year(2025, 10**9, 10**6, 47, URL),
        messages.share(URL),
        messages.pledged(LONGEST, 50_000, 28),
    ]


def test_everything_the_bot_says_is_within_the_limits() -> None:
    for found in everything():
        check(found)
        assert messages.opened(messages.letter(found)) == found


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [messages.text("x")] * 6,
        [messages.text("")],
        [messages.text("🐾" * 2_501)],
        [messages.text("x", [messages.quick_text("y")] * 14)],
        [messages.text("x", [messages.quick_text("y", "z" * 301)])],
        [messages.text("x", [messages.quick_postback("y", "d" * 301, "s")])],
        [messages.flex("a" * 401, [], [])],
        messages.pay(LONGEST, 100, "javascript:alert(1)"),
        messages.pay(LONGEST, 100, "https://x/" + "y" * 1_000),
    ],
)
def test_what_line_would_refuse_is_refused_before_it_is_sent(wrong: list[Message]) -> None:
    with pytest.raises(Unsendable):
        check(wrong)


def test_the_confirm_card_carries_its_nonce_and_works_as_text_too() -> None:
    (card,) = messages.confirm(PREFECTURES["CHIBA"], 300, "abc")
    buttons = card["contents"]["footer"]["contents"]
    assert [button["action"]["data"] for button in buttons] == ["v=1&a=yes&n=abc", "v=1&a=no&n=abc"]
    assert [button["action"]["displayText"] for button in buttons] == ["はい", "いいえ"]
    assert "「はい」" in card["altText"]


def test_the_rich_menu_fits_its_picture() -> None:
    size = RICH_MENU["size"]
    assert 800 <= size["width"] <= 2_500
    assert size["width"] / size["height"] >= 1.45
    assert len(RICH_MENU["areas"]) <= 20
    assert len(RICH_MENU["chatBarText"]) <= 14
    covered = 0
    for area in RICH_MENU["areas"]:
        bounds = area["bounds"]
        assert bounds["x"] + bounds["width"] <= size["width"]
        assert bounds["y"] + bounds["height"] <= size["height"]
        covered += bounds["width"] * bounds["height"]
    assert covered == size["width"] * size["height"]


def test_lines_own_sdk_reads_what_we_send() -> None:
    sdk: Any = pytest.importorskip("linebot.v3.messaging", reason="line-bot-sdk is not installed")
    for found in everything():
        request = sdk.PushMessageRequest.from_dict({"to": "U1", "messages": found})
        sent = request.to_dict()["messages"]
        assert [message["type"] for message in sent] == [message["type"] for message in found]
        for ours, theirs in zip(found, sent, strict=True):
            if ours["type"] == "flex":
                assert sdk.FlexContainer.from_dict(ours["contents"]).to_dict()["body"]["contents"]
            assert len(theirs.get("quickReply", {}).get("items", [])) == len(
                ours.get("quickReply", {}).get("items", [])
            )
    assert sdk.RichMenuRequest.from_dict(RICH_MENU).to_dict()["areas"]


def test_lines_own_sdk_accepts_our_signature() -> None:
    sdk: Any = pytest.importorskip("linebot.v3.webhook", reason="line-bot-sdk is not installed")
    body = '{"destination":"U0","events":[],"text":"🐾"}'
    assert sdk.SignatureValidator("secret").validate(body, signature(b"secret", body.encode()))
    assert not sdk.SignatureValidator("other").validate(body, signature(b"secret", body.encode()))
