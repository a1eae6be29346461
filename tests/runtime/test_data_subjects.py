"""A system that lets people go: its steps run as a job, cut off anywhere or not, and nothing of them is left."""

from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime import days
from sekkei.runtime.data_subjects import AFTER, LATE, LEAVE, Person, leaving_jobs, nothing_in_the_way
from sekkei.runtime.design import SetAside, newest_jobs, newest_messages, newest_set_aside, set_aside
from sekkei.runtime.jobs import Jobs, Payload, Progress
from sekkei.runtime.outbox import Outbox

HANA = Person("u-hana", "hana@example.com", "花")


class Killed(BaseException):
    """As if the process had been killed: nobody catches it."""


class Cupboard:
    """A system with four things of Hana's, taken away one a step."""

    def __init__(self, outbox: Outbox) -> None:
        self.things = list("abcd")
        self.kill_at: str | None = None
        self._outbox = outbox

    async def leave(self, payload: Payload, cursor: str | None) -> Progress:
        assert payload["user_id"] == HANA.user_id
        if self.things:
            gone = self.things.pop(0)
            if gone == self.kill_at:
                raise Killed
        await self._outbox.put("mail", "taro@example.com", {"text": "花さんが抜けました"}, id="left", people=["u-hana"])
        return Progress(1, "more" if self.things else None)


@pytest.mark.parametrize("kill_at", [None, *"abcd"])
async def test_leaving_goes_on_where_it_was_cut_off(runtime: Database, clock: ManualClock, kill_at: str | None) -> None:
    jobs, outbox = Jobs(runtime, clock, "cupboard"), Outbox(runtime, clock, "cupboard")
    cupboard = Cupboard(outbox)
    cupboard.kill_at = kill_at
    definitions = leaving_jobs("cupboard", [("things", cupboard.leave)], runtime, clock)
    await jobs.start(LEAVE, HANA.payload(), id="leave/1")
    for _ in range(20):
        try:
            await jobs.run_once(definitions)
        except Killed:
            clock.advance(61)
    assert cupboard.things == []
    assert await runtime.all(newest_messages()) == []
    runs = {run.job: run for run in await runtime.all(newest_jobs())}
    assert (runs[LEAVE].finished, runs[LEAVE].payload) == (True, {})
    assert (runs[LATE].finished, runs[LATE].payload) == (False, {"user_id": HANA.user_id})


async def test_what_is_set_aside_after_they_left_goes_a_day_later(runtime: Database, clock: ManualClock) -> None:
    """What was deleted is in the streams for a day. Whoever has their address by then keeps what is theirs."""
    jobs = Jobs(runtime, clock, "cupboard")
    definitions = leaving_jobs("cupboard", [], runtime, clock)
    await jobs.start(LEAVE, HANA.payload(), id="leave/1")
    while await jobs.run_once(definitions):
        pass
    for sequence, image in (("1", {"userId": {"S": "u-hana"}}), ("2", {"userId": {"S": "u-new"}})):
        record = {"dynamodb": {"OldImage": {**image, "email": {"S": HANA.email}}}}
        about = {"consumer": "cupboard/Things", "error": "x", "attempts": 1, "listed_at": days.now(clock)}
        await runtime.write(set_aside.put(SetAside(sequence=sequence, record=record, **about)))
    clock.advance(AFTER.total_seconds() - 1)
    assert await jobs.run_once(definitions) == 0
    clock.advance(2)
    assert await jobs.run_once(definitions) == 1
    assert [one.sequence for one in await runtime.all(newest_set_aside())] == ["2"]
    left = [run for run in await runtime.all(newest_jobs()) if HANA.user_id in str(run)]
    assert left == []


async def test_nothing_stands_in_the_way_unless_a_system_says_so() -> None:
    assert await nothing_in_the_way(HANA) == ()
