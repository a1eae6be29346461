"""Every message against Discord's documented limits, with the longest texts that the bot takes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sekkei_fakes.discord.limits import problems_of_message
from sekkei_systems.eventbot.design import Ack, Status
from sekkei_systems.eventbot.ports.discord.rest import Refused
from sekkei_systems.eventbot.rules import drafts, render
from sekkei_systems.eventbot.rules.markdown import call_messages
from sekkei_systems.eventbot.rules.render import KNOWN, STEPS, UNDELIVERED, code_of, sentences, why
from sekkei_systems.eventbot.rules.views import NoticeView
from sekkei_systems.eventbot.texts import wording
from tests.systems.eventbot.samples import GUILD, ID, NOW, event, notice, view

RAID = drafts.new_options(
    drafts.read_options("\n".join(f"<:tank:{10**17 + at}> {'名' * 28}{at} 1000" for at in range(10)))
)
STATES: list[dict[str, Any]] = [
    {},
    {"status": Status.CLOSED},
    {"cancelled_at": NOW},
    {"event_start_at": NOW - timedelta(hours=1)},
    {"event_start_at": None, "event_end_at": None, "description": None, "location": None, "capacity": None},
    {"waiting_list": False, "capacity": 1},
    {"options": RAID},
    {"options": RAID, "waiting_list": False},
]


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("people", [0, 1, 29, 31, 500])
@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_event_messages(language: str, people: int, state: dict[str, Any]) -> None:
    words, found = wording(language), view(people, **state)
    assert problems_of_message(render.event_message(found, NOW, words)) == []
    if found.event.options:
        assert problems_of_message(render.choose_message(found, words)) == []
    for page in (0, 1, 999):
        assert problems_of_message(render.members_message(found, page, words)) == []


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("people", [0, 1, 500])
def test_notice_messages(language: str, people: int) -> None:
    words, found = wording(language), view(people)
    acks = tuple(
        Ack(
            guild_id=GUILD,
            notice_id=f"NTC#{ID}",
            event_id=f"EVT#{ID}",
            user_id=one.user_id,
            username="名",
            acked_at=NOW,
        )
        for one in found.members[: people // 2]
    )
    for status in Status:
        shown = NoticeView(notice(status=status), found.event, found.members, acks)
        assert problems_of_message(render.notice_message(shown, words)) == []
        for page in (0, 3, 99):
            assert problems_of_message(render.unconfirmed_message(shown, page, words)) == []


@pytest.mark.parametrize("count", [0, 1, 4, 5, 30])
@pytest.mark.parametrize("organising", [True, False])
def test_notice_lists(count: int, organising: bool) -> None:
    listed = [notice(number, is_hidden=number % 2 == 0) for number in range(count)]
    for page in range(9):
        message = render.notices_message(event(), listed, {}, page, organising, wording("ja"))
        assert problems_of_message(message) == []


def test_event_lists_and_calls() -> None:
    words = wording("ja")
    listed = [event(event_id=f"EVT#{ID[:-2]}{number:02d}") for number in range(35)]
    for page in range(5):
        assert problems_of_message(render.events_message(listed, page, "x", "list", words)) == []
    for count in (0, 1, 80, 81, 1000):
        calls = call_messages("題" * 1900, [f"{number:019d}" for number in range(count)])
        assert [problem for call in calls for problem in problems_of_message(call)] == []
        rung = [user for call in calls for user in call["allowed_mentions"].get("users", [])]
        assert len(rung) == count


# Every refusal has a sentence of its own.


def test_a_sentence_for_each_step_in_their_order() -> None:
    found = {
        "role": str(Refused(404, 10011, "Unknown Role")),
        "thread": str(Refused(403, 50013, "Missing Permissions")),
    }
    assert sentences(found) == [
        ("thread-permission", "403 (50013): Missing Permissions"),
        ("role-deleted", "404 (10011): Unknown Role"),
    ]
    assert sentences({"mirror": "500 (99): ?"}) == [("mirror-other", "500 (99): ?")]
    assert code_of("no code at all") == 0


def test_the_words_are_there_in_both_languages() -> None:
    keys = {key for codes in KNOWN.values() for key in codes.values()} | {f"{step}-other" for step in STEPS}
    for language in ("ja", "en"):
        assert all(wording(language)(f"bot.trouble-{key}") for key in keys)


def test_why_a_post_failed_is_said_in_both_languages() -> None:
    assert why(str(Refused(404, 10008, "Unknown Message"))) == "bot.undelivered-lost"
    assert why("no code at all") == "bot.undelivered-other"
    for code in (*UNDELIVERED, 0):
        said = [wording(language)(why(f"400 ({code}): x")) for language in ("ja", "en")]
        assert all(said)
        assert said[0] != said[1]
