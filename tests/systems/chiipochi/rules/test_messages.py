"""Cards."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import linebot.v3.messaging as sdk
import orjson
import pytest

from sekkei.design import replace
from sekkei_systems.chiipochi.design.models import Donation, Status, Wording
from sekkei_systems.chiipochi.ports.rich_menu import rich_menu
from sekkei_systems.chiipochi.rules import messages
from sekkei_systems.chiipochi.rules.conversation import AMOUNTS, Ask, Browse, Incoming, Speak, Tell, decide
from sekkei_systems.chiipochi.rules.messages import (
    LONGEST,
    PUSHES,
    URL,
    WHOLE,
    Message,
    News,
    Push,
    Unsendable,
    Words,
    are_sums,
    check,
    everything,
    may_push,
)
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from sekkei_systems.chiipochi.texts import LANGUAGES, Language, say
from tests.systems.chiipochi.sdk import same


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


def test_the_confirm_card_carries_its_nonce_and_works_as_text_too() -> None:
    (card,) = messages.confirm(PREFECTURES["CHIBA"], 300, "abc", "ja")
    buttons = card["contents"]["footer"]["contents"]
    assert [button["action"]["data"] for button in buttons] == ["v=1&a=yes&n=abc", "v=1&a=no&n=abc"]
    assert [button["action"]["displayText"] for button in buttons] == ["はい", "いいえ"]
    assert "「はい」" in card["altText"]


@pytest.mark.parametrize(
    ("refunded", "language", "said"),
    [
        (0, "ja", "✅ 08/20 千葉県 1,500円"),
        (200, "ja", "✅ 08/20 千葉県 1,500円（うち200円は返金済み）"),
        (200, "en", "✅ 08/20 Chiba ¥1,500 (¥200 of it refunded)"),
        (1_500, "ja", "↩ 08/20 千葉県 1,500円"),
    ],
)
def test_the_history_says_what_went_back(refunded: int, language: Language, said: str) -> None:
    made = datetime(2025, 8, 20, 5, 10, tzinfo=UTC)
    given = Donation(user_id="U1", created_at=made, amount=1_500, prefecture="CHIBA", status=Status.SUCCEEDED)
    (message,) = messages.history([replace(given, refunded_amount=refunded or None)], "https://x", language)
    assert message["text"].splitlines()[1] == said


# What LINE would refuse is refused before.


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


# A plan of 200 pushes lasts a month of 2,000 donations.


def test_answers_never_cost_and_money_always_may() -> None:
    assert not may_push(PUSHES["answer"], None, 0)
    assert may_push(PUSHES["payment-link"], 200, 200), "LINE itself says no when the month is used up"
    assert may_push(PUSHES["thanks"], None, 10**6), "a plan without a limit"
    assert may_push(PUSHES["thanks"], 200, 99)
    assert not may_push(PUSHES["thanks"], 200, 100)


def test_a_month_of_two_thousand_donations_on_a_plan_of_two_hundred() -> None:
    dice = random.Random(5)
    used, lost = 0, 0
    for _ in range(2_000):
        news: list[News] = ["answer", "answer", "thanks"]
        news += ["refunded"] if dice.random() < 0.01 else []
        news += ["failed-later"] if dice.random() < 0.02 else []
        news += ["payment-link"] if dice.random() < 0.01 else []  # its reply token was dead
        for one in news:
            if may_push(PUSHES[one], 200, used):
                lost += used >= 200 and PUSHES[one] is Push.ALWAYS
                used += used < 200
    assert lost == 0, "everything that people must know went out"
    assert used <= 200


# Sums that a card can offer, and whose words are said.


@pytest.mark.parametrize(("given", "can"), [([], True), ([100, 50_000], True), ([99], False), ([300, 100], False)])
def test_sums_go_from_small_to_large(given: list[int], can: bool) -> None:
    assert are_sums(given) is can


def test_ours_stand_where_nothing_was_changed() -> None:
    words = Words({"help": Wording(name="help", ja="x"), "amounts": Wording(name="amounts")})
    assert (words.of("help", "ja"), words.of("help", "en"), words.of("welcome", "ja")) == ("x", "", "")
    assert words.amounts == AMOUNTS


# Everything the bot can say, in both languages, stays within LINE's limits, and LINE's own SDK reads it.


NOW = datetime(2025, 8, 20, 5, 10, tzinfo=UTC)


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_the_bot_says_is_within_the_limits(language: Language) -> None:
    for found in everything(language):
        check(found)
        assert messages.opened(messages.body(messages.letter(found), "answer")) == found


def test_every_answer_without_places_is_among_the_examples() -> None:
    parts = {"yes", "no", "choose", "ranking", "share", "history"}  # said by functions of their own
    answers = {key for key, said in say.section("ja", "bot").items() if "." not in key and "{" not in said}
    assert answers - parts <= set(WHOLE)


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
        assert isinstance(decision, Ask | Browse | Tell | Speak), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_own_sdk_reads_what_we_send(language: Language) -> None:
    for found in everything(language):
        for request in (
            sdk.PushMessageRequest.from_dict({"to": "U1", "messages": found}),
            sdk.ReplyMessageRequest.from_dict({"replyToken": "r", "messages": found}),
            sdk.ValidateMessageRequest.from_dict({"messages": found}),
        ):
            assert request is not None
            same(found, request.to_dict()["messages"])
