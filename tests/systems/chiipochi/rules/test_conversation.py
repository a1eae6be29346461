"""The conversation as pure code, every arrow of its machine."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sekkei_systems.chiipochi.design.models import UserState
from sekkei_systems.chiipochi.rules.conversation import (
    Ask,
    AskAgain,
    Browse,
    Cancel,
    Choose,
    Confirm,
    Decision,
    Expire,
    Ignore,
    Incoming,
    Join,
    Leave,
    MakePledge,
    Say,
    Speak,
    StopPledge,
    Tell,
    Withdraw,
    decide,
)
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES, REGIONS

NOW = datetime(2025, 8, 20, 5, 10, tzinfo=UTC)


CHIBA, OKINAWA = PREFECTURES["CHIBA"], PREFECTURES["OKINAWA"]


ASKED_MS = 1_000


def waiting(**changes: Any) -> UserState:
    given: dict[str, Any] = {
        "user_id": "U1",
        "awaiting_confirmation": "CHIBA_pending",
        "updated_at": NOW,
        "session_expires_at": NOW + timedelta(minutes=5),
        "amount": 300,
        "confirm_nonce": "n1",
        "last_event_ts": ASKED_MS,
    }
    return UserState(**{**given, **changes})


def text(words: str, state: UserState | None = None, at_ms: int = 2_000, **fields: Any) -> Decision:
    return decide(Incoming("e", "U1", at_ms, "text", text=words, **fields), state, NOW)


def tap(data: str, state: UserState | None = None, at_ms: int = 2_000) -> Decision:
    return decide(Incoming("e", "U1", at_ms, "postback", data=data), state, NOW)


@pytest.mark.parametrize(
    "words", ["ピーナッツ", "ﾋﾟｰﾅｯﾂ", "ぴーなっつ！", " 落花生 ", "千葉県", "CHIBA", "ピーナッツが好き"]
)
def test_a_speciality_is_asked_about_however_it_is_written(words: str) -> None:
    assert text(words) == Ask(CHIBA, 100)


def test_a_word_of_several_prefectures_asks_which() -> None:
    decision = text("りんご 500")
    assert decision == Choose((PREFECTURES["AOMORI"], PREFECTURES["NAGANO"]), 500)
    assert tap("v=1&a=pref&p=AOMORI&y=500") == Ask(PREFECTURES["AOMORI"], 500)


@pytest.mark.parametrize("words", ["はい", "ハイ", "yes", "OK!"])
def test_yes_confirms_what_was_asked(words: str) -> None:
    assert text(words, waiting()) == Confirm(CHIBA, 300, "CHIBA_pending", "n1")


def test_yes_without_a_question_donates_nothing() -> None:
    assert text("はい") == Say("nothing-pending")
    assert tap("v=1&a=yes&n=n1") == Say("nothing-pending")
    cleared = waiting(awaiting_confirmation=None, confirm_nonce=None, amount=None)
    assert text("はい", cleared) == Say("nothing-pending")


def test_yes_after_the_time_is_over_says_so() -> None:
    late = waiting(session_expires_at=NOW)
    for answer in ("はい", "いいえ", "300", "こんにちは"):
        assert text(answer, late) == Expire()
    for data in ("a=yes", "a=no", "a=amount&y=300"):
        assert tap(f"v=1&{data}&n=n1", late) == Expire()
    assert text("ゴーヤ", late) == Ask(OKINAWA, 100)
    assert text("ランキング", late) == Tell("ranking")


def test_a_button_answers_its_own_question_only() -> None:
    assert tap("v=1&a=yes&n=n1", waiting()) == Confirm(CHIBA, 300, "CHIBA_pending", "n1")
    assert tap("v=1&a=yes&n=of-another", waiting()) == Say("old-card")
    assert tap("v=1&a=no&n=of-another", waiting()) == Say("old-card")
    assert tap("v=1&a=yes", waiting()) == Say("old-card")
    assert tap("v=2&a=yes&n=n1", waiting()) == Say("old-card")
    assert tap("v=2&" + "x=1&" * 70, waiting()) == Say("old-card")


@pytest.mark.parametrize(
    "data", ["", "=&=&", "v=1", "v=1&a=drop", "v=1&a=pref&p=ATLANTIS", "v=1&a=do&w=rm", "\x00" * 300]
)
def test_a_button_that_is_none_of_ours_changes_nothing(data: str) -> None:
    assert isinstance(tap(data, waiting()), Say)


def test_no_forgets_the_question() -> None:
    assert text("いいえ", waiting()) == Cancel()
    assert tap("v=1&a=no&n=n1", waiting()) == Cancel()
    assert text("キャンセル") == Say("nothing-pending")


def test_another_speciality_or_amount_is_a_new_question() -> None:
    assert text("ゴーヤ", waiting()) == Ask(OKINAWA, 100)
    assert text("500", waiting()) == Ask(CHIBA, 500)
    assert text("５００円", waiting()) == Ask(CHIBA, 500)
    assert text("¥1,000", waiting()) == Ask(CHIBA, 1_000)
    assert tap("v=1&a=amount&y=500&n=n1", waiting()) == Ask(CHIBA, 500)


@pytest.mark.parametrize("amount", ["0", "99", "50001", "999999999999"])
def test_amounts_out_of_range_are_refused(amount: str) -> None:
    assert text(amount, waiting()) == Say("out-of-range")
    assert text(f"ピーナッツ {amount}") == Say("out-of-range")
    assert tap(f"v=1&a=amount&y={amount}&n=n1", waiting()) == Say("out-of-range")
    assert tap("v=1&a=pref&p=CHIBA&y=99") == Say("out-of-range")


def test_an_amount_alone_is_nothing_to_confirm() -> None:
    assert text("300") == Say("nothing-pending")


def test_anything_else_asks_again_or_explains() -> None:
    assert text("こんにちは", waiting()) == AskAgain(CHIBA, 300, "n1")
    assert text("こんにちは") == Say("unknown")
    assert text("") == Say("unknown")
    assert text("あ" * 5_000) == Say("unknown")


def test_what_is_delivered_late_does_not_undo_what_came_after_it() -> None:
    assert text("ゴーヤ", waiting(), at_ms=ASKED_MS - 1) == Ignore()
    assert text("いいえ", waiting(), at_ms=ASKED_MS - 1) == Ignore()
    assert text("はい", waiting(), at_ms=ASKED_MS - 1) == Say("too-old")
    assert text("はい", waiting(), at_ms=ASKED_MS) == Confirm(CHIBA, 300, "CHIBA_pending", "n1")


def test_taking_a_message_back_takes_its_question_back() -> None:
    def unsend(message_id: str, state: UserState | None) -> Decision:
        return decide(Incoming("e", "U1", 2_000, "unsend", message_id=message_id), state, NOW)

    assert unsend("m1", waiting(asked_by="m1")) == Withdraw("n1")
    assert unsend("m1", waiting(asked_by="m1 m2")) == Withdraw("n1"), "the word before the amount was changed"
    assert unsend("m2", waiting(asked_by="m1 m2")) == Withdraw("n1")
    assert unsend("m2", waiting(asked_by="m1")) == Ignore()
    assert unsend("m1", waiting()) == Ignore()
    assert unsend("m1", waiting(asked_by="m1", session_expires_at=NOW)) == Ignore()
    assert unsend("m1", None) == Ignore()


@pytest.mark.parametrize(
    ("words", "language"), [("English", "en"), ("英語", "en"), ("日本語", "ja"), ("JAPANESE", "ja")]
)
def test_languages(words: str, language: str) -> None:
    decision = text(words, waiting())
    assert isinstance(decision, Speak)
    assert decision.language == language


def test_friends_come_and_go() -> None:
    assert decide(Incoming("e", "U1", 2_000, "follow"), None, NOW) == Join()
    assert decide(Incoming("e", "U1", 2_000, "follow", unblocked=True), None, NOW) == Join(returning=True)
    left = waiting(awaiting_confirmation=None, unfollowed_at=NOW)
    assert decide(Incoming("e", "U1", 2_000, "follow"), left, NOW) == Join(returning=True)
    assert decide(Incoming("e", "U1", 2_000, "unfollow"), waiting(), NOW) == Leave()


def test_in_a_group_nobody_donates() -> None:
    assert text("ピーナッツ", group="C1") == Ignore(), "people talk of peanuts among themselves"
    assert text("千葉県のピーナッツが好き", group="C1") == Ignore()
    assert text("@ちいポチ ピーナッツ", group="C1", mentioned=True) == Say("one-to-one")
    assert text("はい", waiting(), group="C1") == Ignore()


@pytest.mark.parametrize(
    ("words", "topic"),
    [
        ("今日の合計", "today"),
        ("みんなの合計", "everyone"),
        ("ランキング", "ranking"),
        ("履歴", "history"),
        ("ヘルプ", "help"),
    ],
)
def test_topics(words: str, topic: str) -> None:
    decision = text(words, waiting())
    assert isinstance(decision, Tell)
    assert decision.topic == topic


def test_pledges() -> None:
    assert text("毎月 ピーナッツ 300") == Ask(CHIBA, 300, monthly=True)
    assert text("毎月ピーナッツ食べてます") == Ask(CHIBA, 100), "an ordinary sentence, and an ordinary question"
    assert text("毎月、沖縄に500円お願いします") == Ask(OKINAWA, 500, monthly=True)
    asked = waiting(awaiting_confirmation="CHIBA_monthly")
    assert text("はい", asked) == MakePledge(CHIBA, 300, "CHIBA_monthly", "n1")
    assert tap("v=1&a=yes&n=n1", asked) == MakePledge(CHIBA, 300, "CHIBA_monthly", "n1")
    assert text("500円", asked) == Ask(CHIBA, 500, monthly=True)
    assert text("こんにちは", asked) == AskAgain(CHIBA, 300, "n1", monthly=True)
    assert text("いいえ", asked) == Cancel()
    assert text("毎月") == Say("pledge-how")
    assert text("毎月 りんご") == Say("pledge-how")
    assert text("毎月 ピーナッツ 9") == Say("out-of-range")
    assert text("毎月をやめる") == StopPledge()


def test_no_speciality_is_taken_for_a_command_or_an_answer() -> None:
    for prefecture in PREFECTURES.values():
        for spelling in itertools.chain(*prefecture.specialities):
            assert isinstance(text(spelling), Ask | Choose), spelling


def test_a_sticker_while_a_question_is_open_asks_again() -> None:
    def sticker(state: UserState | None) -> Decision:
        return decide(Incoming("e", "U1", 2_000, "other"), state, NOW)

    assert sticker(waiting()) == AskAgain(CHIBA, 300, "n1")
    assert sticker(waiting(session_expires_at=NOW)) == Expire()
    assert sticker(None) == Ignore()


def test_the_messages_that_led_to_a_question_are_remembered() -> None:
    assert text("ピーナッツ", message_id="m1") == Ask(CHIBA, 100, asked_by="m1")
    assert text("500", waiting(asked_by="m1"), message_id="m2") == Ask(CHIBA, 500, asked_by="m1 m2")
    assert text("ゴーヤ", waiting(asked_by="m1"), message_id="m2") == Ask(OKINAWA, 100, asked_by="m2")


def test_donating_without_a_word_in_mind_shows_what_there_is() -> None:
    for words in ("寄付する", "寄付したい", "donate"):
        assert text(words) == Browse()
    assert text("寄付する", waiting()) == Confirm(CHIBA, 300, "CHIBA_pending", "n1"), "it is also a yes"
    assert tap("v=1&a=region&r=kanto") == Browse(region="kanto")
    assert tap("v=1&a=place&p=CHIBA") == Browse(prefecture=CHIBA)
    assert tap("v=1&a=region&r=atlantis") == Browse()
    assert sorted(code for codes in REGIONS.values() for code in codes) == sorted(PREFECTURES)
