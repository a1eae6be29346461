"""What is promised to whoever organises: of series that rest, of what is moved or posted again, and of who came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

import orjson

from sekkei.runtime.design import SCHEDULE, Schedule
from sekkei.worlds import World, promises
from sekkei_fakes.discord.design import LocalMessage
from sekkei_systems import days
from sekkei_systems.eventbot.design import Member, Status
from sekkei_systems.eventbot.rules.identifiers import Press, read_custom_id, schedule_name
from tests.worlds.eventbot import WORLD, events_of
from tests.worlds.eventbot.promises import said_to_all, was_down_for_long

POSTS = {"ack", "join", "option", "leave"}
"""Buttons that only the post of an event, or of a notice, has."""


@WORLD.always_in("Events")
def no_event_follows_while_a_series_rests(world: World) -> None:
    """Whoever resumes it may have the next one made in the same moment."""
    followed: set[str] = world.given.setdefault("followed", set())
    for event in events_of(world):
        if event.next_event_id is not None and event.event_id not in followed:
            followed.add(event.event_id)
            assert not event.repeat_paused, f"the series of {event.title} rests, and another one is made"


@WORLD.finally_
def who_came_is_counted(world: World) -> None:
    members = [one for one in world.decoded("EventMembers") if isinstance(one, Member)]
    came = Counter(one.event_id for one in members if one.attended)
    noted = {one.event_id for one in members if one.attended is not None}
    for event in events_of(world):
        if event.attended_count is None and event.event_id not in noted:
            continue
        count = came[event.event_id]
        assert event.attended_count == count, f"{event.attended_count} came to {event.title}, noted are {count}"


@WORLD.finally_
def what_is_to_come_is_scheduled(world: World) -> None:
    """At the time that it has now, however often it was moved."""
    rows = {one.name: one for one in promises.runtime_rows(world) if isinstance(one, Schedule)}
    late = days.now_jst(world.clock)
    for event in (one for one in events_of(world) if one.cancelled_at is None):
        times = {"s": event.event_start_at, "r": event.event_remind_at if event.reminded_at is None else None}
        times["d"] = event.deadline_at if event.status is Status.OPEN else None
        for kind, at in times.items():
            if at is not None and at > late:
                _assert_scheduled(rows.get(schedule_name(event.event_id, kind)), at, f"{event.title} ({kind})")


def _assert_scheduled(row: Schedule | None, at: datetime, what: str) -> None:
    planned = row.due_at if row is not None and row.due_pk == SCHEDULE else None
    assert planned == at, f"{what} is to come at {at:%H:%M}, and planned {f'for {planned}' if planned else 'never'}"


@WORLD.finally_
def what_is_posted_again_stands_there_once(world: World) -> None:
    """As long as Discord remembers: a post whose answer was lost is known by nothing else."""
    if was_down_for_long(world):
        return
    posts = Counter(uuid for one in said_to_all(world) for uuid in _posted_for(one))
    twice = [uuid for uuid, count in posts.items() if count > 1]
    assert not twice, f"{twice} stand there more than once"


def _posted_for(message: LocalMessage) -> set[str]:
    return {press.uuid for press in _buttons(message) if press.verb in POSTS}


def _buttons(message: LocalMessage) -> Iterator[Press]:
    """Also those that cannot be used any more."""
    for row in orjson.loads(message.body).get("components") or ():
        for one in row["components"]:
            if (press := read_custom_id(one.get("custom_id", ""))) is not None:
                yield press
