"""What other programs are told, and how they know that it is from us."""

from __future__ import annotations

from datetime import datetime

import orjson
import pytest

from sekkei.design import replace
from sekkei_systems.days import JST
from sekkei_systems.tasks.design import HookEvent, Role, Task, Team, TeamUser
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.hooks import (
    BadHookUrl,
    body_of,
    checked_url,
    of_member,
    of_task,
)

NOW = datetime(2025, 11, 6, 12, tzinfo=JST)
TASK = Task(team_id="t", task_id="k", title="見積もり", number=12, updated_by="u1")


def kinds(old: Task | None, new: Task | None) -> tuple[str, ...]:
    found = of_task(old, new)
    return found.kinds if found else ()


def test_a_change_is_one_event_the_most_precise_first() -> None:
    trashed = replace(TASK, deleted_at=NOW)
    assert kinds(None, TASK) == ("task.created",)
    assert kinds(TASK, replace(TASK, title="別")) == ("task.changed",)
    assert kinds(TASK, replace(TASK, status=Status.DOING)) == ("task.moved", "task.changed")
    assert kinds(TASK, replace(TASK, status=Status.DONE)) == ("task.done", "task.moved", "task.changed")
    assert kinds(TASK, trashed) == kinds(TASK, None) == ("task.deleted",)
    assert kinds(trashed, TASK) == ("task.changed",)
    assert kinds(trashed, None) == kinds(TASK, replace(TASK, rank="a")) == ()


def test_an_address_gets_what_it_asked_for() -> None:
    done = of_task(TASK, replace(TASK, status=Status.DONE))
    assert done is not None
    assert done.kind_for(frozenset({HookEvent.TASK_MOVED, HookEvent.TASK_CHANGED})) == "task.moved"
    assert done.kind_for(frozenset({HookEvent.COMMENT})) is None


def test_a_renamed_member_is_no_event() -> None:
    member = TeamUser(team_id="t", user_id="u", role=Role.MEMBER, joined_on=NOW.date(), user_name="蓮")
    assert of_member(member, replace(member, user_name="れん"), "1") is None
    first, again = of_member(None, member, "1"), of_member(None, member, "2")
    assert first is not None
    assert again is not None
    assert first.id != again.id


def test_the_body_says_who_did_what_to_which_task() -> None:
    happened = of_task(TASK, replace(TASK, status=Status.DONE))
    assert happened is not None
    told = orjson.loads(
        body_of(happened, "task.done", NOW, Team(team_id="t", name="開発", key="DEV"), "蓮", "https://x/t")
    )
    assert told["timestamp"] == "2025-11-06T03:00:00Z"
    assert told["by"] == {"id": "u1", "name": "蓮"}
    assert told["data"]["task"]["reference"] == "DEV-12"
    assert told["data"]["task"]["url"] == "https://x/t/tasks/k"
    assert told["data"]["changes"] == {"status": ["todo", "done"]}


@pytest.mark.parametrize(
    "url",
    [
        "", "x", "http://hooks.example.com/", "ftp://hooks.example.com/", "https://", "https://localhost/",
        "https://me:pass@hooks.example.com/",
        "https://hooks.example.com/#part", "https://hooks.example.com/\r\nX: 1", "https://intranet/", "https://db.internal/",
        "https://hooks.example.com:99999/", "https://hooks.example.com/" + "x" * 500,
    ],
)  # fmt: skip
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(BadHookUrl):
        checked_url(url, here=False)


def test_a_program_on_this_machine_may_speak_to_itself() -> None:
    assert checked_url(" http://127.0.0.1:9000/in ", here=True) == "http://127.0.0.1:9000/in"
    assert checked_url("https://hooks.example.com/in?x=1", here=False) == "https://hooks.example.com/in?x=1"
