"""Promises that every system makes. A script takes them as they are: `WORLD.finally_(promises.everything_ends)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sekkei.runtime.design import JOB, OUTBOX, SCHEDULE, JobRun, Message, Schedule, SetAside, State
from sekkei.runtime.design import table as runtime_table
from sekkei.web.testing import Reply
from sekkei.worlds.fake_services import Received
from sekkei.worlds.world import World

LATE_SECONDS = 120.0
"""What is due is done within this time when nothing is in its way."""

REFUSED = (401, 403, 404, 409, 503)
"""What whoever presses what is not theirs may hear; 409 is of what goes or changes in that moment."""


@contextmanager
def noting(world: World, so: Callable[[], bool]) -> Iterator[Callable[[], bool]]:
    """Whether something was so at any moment of a request: whoever answers has looked at one of them."""
    was = [so()]

    def look(*_: Any) -> None:
        was[0] = was[0] or so()

    world.truth.after_write.append(look)
    try:
        yield lambda: was[0]
    finally:
        world.truth.after_write.remove(look)


def refused(reply: Reply, what: str) -> None:
    """For who presses what is not theirs: they are told so, or that there is no such thing, or to sign in first; or
    the network is at fault."""
    to_sign_in = reply.status == 303 and reply.location.startswith("/sign-in")
    assert reply.status in REFUSED or to_sign_in, f"{what}: {reply.status}"


def runtime_rows(world: World) -> list[Any]:
    """Messages, schedules, jobs and the rest of the runtime's own table."""
    return [runtime_table.decode(item) for item in world.runtime_items()]


def everything_ends(world: World) -> None:
    """Every message and job has ended, or stands among the dead letters for people to see; no schedule is late."""
    now = world.clock.now()
    for row in runtime_rows(world):
        if isinstance(row, Message):
            assert not _waits(row, OUTBOX, now), f"message {row.id} still waits: {row.last_error}"
        elif isinstance(row, JobRun):
            assert row.finished or not _waits(row, JOB, now), f"job {row.id} is not finished: {row.last_error}"
        elif isinstance(row, Schedule):
            assert not _waits(row, SCHEDULE, now), f"schedule {row.name} is late: {row.last_error}"


def nothing_is_given_up(world: World) -> None:
    """No job, schedule or stream record stands among the dead letters: whatever failed was tried again until done."""
    for row in runtime_rows(world):
        assert not isinstance(row, SetAside), f"a record was set aside: {row}"
        if isinstance(row, JobRun | Schedule):
            given_up = row.due_at is not None and (row.due_pk or "").startswith("FAILED#")
            assert not given_up, f"{getattr(row, 'id', '') or getattr(row, 'name', '')} was given up: {row.last_error}"


def nobody_is_told_twice(world: World) -> None:
    """A message arrives again only if its answer was lost, or if the process that had sent it died: then nobody could
    know. Not that several workers send it, each with an answer."""
    last: dict[tuple[str, str], Received] = {}
    for kind, service in world.outside.items():
        for one in service.received:
            before = last.get((kind, one.id))
            last[kind, one.id] = one
            if before is not None and before.answered:
                apart = f"{one.at - before.at:.1f} s apart"
                assert _died(world, before.by, before.at, one.at), f"{one.id} arrived twice, {apart}"


def what_is_sent_was_received(world: World) -> None:
    """What the outbox notes as sent has arrived, of kinds that go to services outside."""
    arrived = {kind: {one.id for one in service.received} for kind, service in world.outside.items()}
    for row in runtime_rows(world):
        if isinstance(row, Message) and row.state is State.SENT and row.kind in arrived:
            assert row.id in arrived[row.kind], f"{row.id} is said to have been sent, and has not arrived"


def _died(world: World, process: str, since: float, until: float) -> bool:
    """That process, or all of them."""
    deaths = (one for one in world.story if one.who == "world" and since <= one.at <= until)
    return any(one.what == f"{process} is killed" or one.what.startswith("nothing runs") for one in deaths)


def _waits(row: Message | JobRun | Schedule, kind: str, now: float) -> bool:
    """It should have been seen to by now."""
    return row.due_pk == kind and row.due_at is not None and now - row.due_at.timestamp() > LATE_SECONDS
