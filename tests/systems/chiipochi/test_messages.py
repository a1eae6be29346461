"""Everything the bot can say, in both languages, stays within LINE's limits, and LINE's own SDK reads it."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from typing import Any

import linebot.v3.messaging as sdk
import orjson
import pytest
from linebot.v3.webhook import SignatureValidator, WebhookParser
from linebot.v3.webhooks import MessageEvent, PostbackEvent, UnsendEvent

from sekkei.runtime.transports.line import signature
from sekkei_systems.chiipochi import messages
from sekkei_systems.chiipochi.conversation import Ask, Incoming, Speak, Tell, decide
from sekkei_systems.chiipochi.examples import LONGEST, URL, WHOLE, everything
from sekkei_systems.chiipochi.line import BadSignature, check_signature, read_events
from sekkei_systems.chiipochi.message_limits import Message, Unsendable, check
from sekkei_systems.chiipochi.prefectures import PREFECTURES
from sekkei_systems.chiipochi.rich_menu import rich_menu
from sekkei_systems.chiipochi.sayings import LANGUAGES, SAYINGS, Language
from tests.systems.chiipochi.conftest import Bot

NOW = datetime(2025, 8, 20, 5, 10, tzinfo=UTC)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_the_bot_says_is_within_the_limits(language: Language) -> None:
    for found in everything(language):
        check(found)
        assert messages.opened(messages.body(messages.letter(found))) == found


def test_every_saying_is_there_in_both_languages_with_the_same_places() -> None:
    for key, said in SAYINGS.items():
        assert set(said) == set(LANGUAGES), key
        places = [sorted(part for part in _places(words)) for words in said.values()]
        assert places[0] == places[1], key


def test_every_answer_without_places_is_among_the_examples() -> None:
    parts = {"yes", "no", "choose", "ranking", "share", "history"}  # said by functions of their own
    answers = {key for key in SAYINGS if "." not in key and not _places(SAYINGS[key]["ja"])}
    assert answers - parts <= set(WHOLE)


def _places(words: str) -> list[str]:
    from string import Formatter

    return [name for _, name, _, _ in Formatter().parse(words) if name]


def test_english_is_english() -> None:
    japanese = {letter for found in everything("ja") for letter in orjson.dumps(found).decode()}
    assert {"寄", "県"} <= japanese
    for found in everything("en"):
        words = orjson.dumps(found).decode().replace("日本語は「日本語」と送ってください", "").replace("日本語", "")
        assert not [letter for letter in words if "ぁ" <= letter <= "ヶ" or "一" <= letter <= "龠"], words


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_can_be_tapped_is_understood(language: Language) -> None:
    """Every quick reply that sends a text, and every area of the menu, leads somewhere."""
    texts = [
        item["action"]["text"]
        for found in everything(language)
        for message in found
        for item in message.get("quickReply", {}).get("items", [])
        if item["action"]["type"] == "message"
    ]
    texts += [area["action"]["text"] for area in rich_menu(language)["areas"]]
    answers = {"はい", "いいえ", "Yes", "No"}
    for text in set(texts) - answers:
        decision = decide(Incoming("e", "U1", 1, "text", text=text), None, NOW)
        assert isinstance(decision, Ask | Tell | Speak), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_that_are_filled_in_are_the_cards(language: Language) -> None:
    chiba = PREFECTURES["CHIBA"]
    assert messages.confirm_letter(chiba, 300, "0123456789abcdef", language) == messages.letter(
        messages.confirm(chiba, 300, "0123456789abcdef", language)
    )
    assert messages.pay_letter(chiba, 300, URL, language) == messages.letter(messages.pay(chiba, 300, URL, language))
    card = {"CHIBA": 5, "OSAKA": 1}
    assert messages.thanks_letter(chiba, 300, card, URL, language) == messages.letter(
        messages.thanks(chiba, 300, card, URL, language)
    )
    for wrong in ("javascript:alert(1)", "https://x/" + "y" * 1_000):
        with pytest.raises(Unsendable):
            messages.pay_letter(chiba, 300, wrong, language)
        with pytest.raises(Unsendable):
            messages.thanks_letter(chiba, 300, card, wrong, language)


def test_praise_for_those_who_have_come_far() -> None:
    def praised(card: dict[str, int]) -> str:
        (found,) = messages.thanks(PREFECTURES["CHIBA"], 100, card, URL, "ja")
        return str(found["contents"]["body"]["contents"][-1]["text"])

    others = [code for code in PREFECTURES if code != "CHIBA"]
    assert "47都道府県を制覇" in praised({**dict.fromkeys(others, 1), "CHIBA": 1})
    assert "10都道府県" in praised({**dict.fromkeys(others[:9], 1), "CHIBA": 1})
    assert "25回目" in praised({"CHIBA": 25})
    assert "集めた" in praised({"CHIBA": 2})


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [messages.text("x")] * 6,
        [messages.text("")],
        [messages.text("🐾" * 2_501)],
        [messages.text("x", [messages.quick_text("y")] * 14)],
        [messages.text("x", [messages.quick_text("z" * 301)])],
        [messages.text("x", [messages.quick_postback("y", "d" * 301, "s")])],
        [messages.flex("a" * 401, [], [])],
        [messages.flex("a", [{"type": "text", "text": "x" * 30_000}], [])],
        [{"type": "flex", "altText": "a", "contents": {"type": "carousel", "contents": [{}] * 13}}],
        [{**messages.text("x"), "sender": {"name": "n" * 21}}],
        messages.pay(LONGEST, 100, "javascript:alert(1)", "ja"),
        messages.pay(LONGEST, 100, "https://x/" + "y" * 1_000, "ja"),
    ],
)
def test_what_line_would_refuse_is_refused_before_it_is_sent(wrong: list[Message]) -> None:
    with pytest.raises(Unsendable):
        check(wrong)


def test_the_confirm_card_carries_its_nonce_and_works_as_text_too() -> None:
    (card,) = messages.confirm(PREFECTURES["CHIBA"], 300, "abc", "ja")
    buttons = card["contents"]["footer"]["contents"]
    assert [button["action"]["data"] for button in buttons] == ["v=1&a=yes&n=abc", "v=1&a=no&n=abc"]
    assert [button["action"]["displayText"] for button in buttons] == ["はい", "いいえ"]
    assert "「はい」" in card["altText"]


# LINE's own SDK as the judge


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_own_sdk_reads_what_we_send(language: Language) -> None:
    for found in everything(language):
        for request in (
            sdk.PushMessageRequest.from_dict({"to": "U1", "messages": found}),
            sdk.ReplyMessageRequest.from_dict({"replyToken": "r", "messages": found}),
            sdk.ValidateMessageRequest.from_dict({"messages": found}),
        ):
            assert request is not None
            _same(found, request.to_dict()["messages"])


def _same(ours: Any, theirs: Any, path: str = "") -> None:
    """Nothing of ours is lost in their models, and nothing is changed; they may add what is left to its default."""
    if isinstance(ours, dict):
        assert isinstance(theirs, dict), path
        for name, value in ours.items():
            assert name in theirs, f"{path}.{name}"
            _same(value, theirs[name], f"{path}.{name}")
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), path
        for place, value in enumerate(ours):
            _same(value, theirs[place], f"{path}[{place}]")
    else:
        assert ours == theirs, path


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_own_sdk_reads_our_rich_menu(language: Language) -> None:
    menu = rich_menu(language)
    request = sdk.RichMenuRequest.from_dict(menu)
    assert request is not None
    _same(menu, request.to_dict())


def test_signatures_are_those_of_lines_own_sdk() -> None:
    body = '{"destination":"U0","events":[],"text":"🐾"}'
    assert SignatureValidator("secret").validate(body, signature(b"secret", body.encode()))
    assert not SignatureValidator("other").validate(body, signature(b"secret", body.encode()))
    theirs = base64.b64encode(hmac.new(b"secret", body.encode(), hashlib.sha256).digest()).decode()
    assert SignatureValidator("secret").validate(body, theirs)
    check_signature([b"other", b"secret"], body.encode(), theirs)
    with pytest.raises(BadSignature):
        check_signature([b"other"], body.encode(), theirs)


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
