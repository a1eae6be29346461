"""Every payload of the bot against Discord's documented limits, with the longest texts that it takes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from sekkei.runtime.days import JST
from sekkei_systems.eventbot import modals, render
from sekkei_systems.eventbot.discord.limits import (
    problems_of_commands,
    problems_of_message,
    problems_of_modal,
    problems_of_response,
)
from sekkei_systems.eventbot.entities import Ack, Answer, Event, Member, Notice, Repeat, Reply, Status, Template
from sekkei_systems.eventbot.mentions import call_messages
from sekkei_systems.eventbot.registration import COMMANDS
from sekkei_systems.eventbot.service import EventView, NoticeView
from sekkei_systems.eventbot.wording import wording

NOW = datetime(2026, 1, 14, 15, 30, tzinfo=JST)
GUILD, ID = "9" * 19, "0198c6a0-7c1e-7b54-9d5c-0a4f1d2e3b4c"


def event(**changes: Any) -> Event:
    given: dict[str, Any] = {
        "guild_id": GUILD,
        "event_id": f"EVT#{ID}",
        "title": "長" * 100,
        "created_by": "1" * 19,
        "created_by_name": "名" * 100,
        "created_at": NOW,
        "recruit_channel_id": "2" * 19,
        "recruit_message_id": "3" * 19,
        "event_start_at": NOW + timedelta(days=3),
        "event_end_at": NOW + timedelta(days=3, hours=2),
        "event_remind_at": NOW + timedelta(days=2),
        "deadline_at": NOW + timedelta(days=1),
        "description": "説" * 1500,
        "location": "場" * 100,
        "capacity": 10_000,
        "repeat": Repeat.FORTNIGHTLY,
        "delivery_error": "x" * 200,
        "thread_id": "4" * 19,
    }
    return Event(**{**given, **changes})


def view(people: int, **changes: Any) -> EventView:
    users = [f"{number:019d}" for number in range(people)]
    members = tuple(
        Member(guild_id=GUILD, event_id=f"EVT#{ID}", user_id=user, username="名" * 100, joined_at=NOW) for user in users
    )

    def replies(answer: Answer) -> tuple[Reply, ...]:
        return tuple(
            Reply(guild_id=GUILD, event_id=f"EVT#{ID}", user_id=user, username="名", answer=answer, asked_at=NOW)
            for user in users
        )

    return EventView(event(**changes), members, replies(Answer.WAITING), replies(Answer.MAYBE), replies(Answer.NO))


def notice(number: int = 0, **changes: Any) -> Notice:
    given: dict[str, Any] = {
        "guild_id": GUILD,
        "notice_id": f"NTC#{ID[:-2]}{number:02d}",
        "event_id": f"EVT#{ID}",
        "title": "題" * 100,
        "body": "本" * 1800,
        "created_by": "1" * 19,
        "created_by_name": "名" * 100,
        "created_at": NOW,
        "notice_channel_id": "2" * 19,
        "notice_message_id": "3" * 19,
        "delivery_error": "x" * 200,
    }
    return Notice(**{**given, **changes})


STATES: list[dict[str, Any]] = [
    {},
    {"status": Status.CLOSED},
    {"cancelled_at": NOW},
    {"event_start_at": NOW - timedelta(hours=1)},
    {"event_start_at": None, "event_end_at": None, "description": None, "location": None, "capacity": None},
    {"waiting_list": False, "capacity": 1},
]


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("people", [0, 1, 29, 31, 500])
@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_event_messages(language: str, people: int, state: dict[str, Any]) -> None:
    words, found = wording(language), view(people, **state)
    assert problems_of_message(render.event_message(found, NOW, words)) == []
    assert problems_of_message(render.panel_message(found, NOW, words, words["saved"])) == []
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


def test_event_lists_sure_questions_and_calls() -> None:
    words = wording("ja")
    listed = [event(event_id=f"EVT#{ID[:-2]}{number:02d}") for number in range(35)]
    for page in range(5):
        assert problems_of_message(render.events_message(listed, page, "x", "list", words)) == []
    assert problems_of_message(render.sure_message("x" * 3000, "はい", f"e1:cancelyes:{ID}")) == []
    for count in (0, 1, 80, 81, 1000):
        calls = call_messages("題" * 1900, [f"{number:019d}" for number in range(count)])
        assert [problem for call in calls for problem in problems_of_message(call)] == []
        rung = [user for call in calls for user in call["allowed_mentions"].get("users", [])]
        assert len(rung) == count


ZONE = "America/Argentina/ComodRivadavia"
"""The longest name there is."""


@pytest.mark.parametrize("language", ["ja", "en"])
def test_modals(language: str) -> None:
    words = wording(language)
    template = Template(
        guild_id=GUILD,
        template_id=f"TPL#{ID}",
        name="名" * 80,
        title="題" * 100,
        description="説" * 1500,
        location="場" * 100,
        capacity=10_000,
        created_by="1",
        created_at=NOW,
    )
    for modal in (
        modals.create_modal(words, ZONE),
        modals.create_modal(words, ZONE, template),
        modals.edit_modal(event(), words, ZONE),
        modals.details_modal(event(), words, ZONE),
        modals.notice_modal(event(), words, ZONE),
        modals.template_modal(event(), words, ZONE),
        modals.refilled(modals.create_modal(words, ZONE), {"title": "x" * 5000, "start": "y" * 5000}),
    ):
        assert problems_of_modal(modal) == []


def test_commands() -> None:
    assert problems_of_commands(COMMANDS) == []


def test_the_validator_finds_what_is_wrong() -> None:
    """A validator that accepts everything proves nothing."""
    button = render.button("x", "e1:join:")
    bad: list[dict[str, Any]] = [
        {"content": "x" * 2001},
        {"content": ""},
        {"embeds": [{"title": "x" * 257}]},
        {"embeds": [{"description": "x" * 4097}]},
        {"embeds": [{"fields": [{"name": "", "value": "x"}]}]},
        {"embeds": [{"fields": [{"name": "x", "value": "x" * 1025}]}]},
        {"embeds": [{"fields": [{"name": "x", "value": "x"}] * 26}]},
        {"embeds": [{"description": "x" * 4000}, {"description": "x" * 2001}]},
        {"content": "x", "components": [render.row(button)] * 6},
        {"content": "x", "components": [render.row(button, button)]},
        {"content": "x", "components": [render.row(*(render.button("x", f"e1:{n}:") for n in range(6)))]},
        {"content": "x", "components": [render.row(render.button("x", "y" * 101))]},
        {"content": "x", "components": [render.row({**button, "label": "x" * 81})]},
        {"content": "x", "components": [render.row({**button, "style": 9})]},
        {"content": "x", "components": [render.row(render.link("x", "ftp://x"))]},
        {"content": "x", "allowed_mentions": {"users": ["1"] * 101}},
        {"content": "x", "nonce": "x" * 26},
    ]
    for message in bad:
        assert problems_of_message(message) != [], message
    assert problems_of_response({"type": 7, "data": {"content": "x"}}, 2) != []
    assert problems_of_response({"type": 9, "data": {}}, 5) != []
    assert problems_of_response({"type": 8, "data": {"choices": [{"name": "x", "value": "x"}] * 26}}, 4) != []
    assert problems_of_modal({"title": "x" * 46, "custom_id": "x", "components": []}) != []
    assert problems_of_commands([{"name": "Upper", "description": "x"}]) != []
