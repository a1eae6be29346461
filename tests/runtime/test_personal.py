"""A system that lets people go: its steps run as a job, cut off anywhere or not, and nothing of them is left."""

from __future__ import annotations

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime.design import newest_jobs, newest_messages
from sekkei.runtime.jobs import Jobs, Payload, Progress
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.personal import LEAVE, Person, leaving_job, nothing_in_the_way

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
    definitions = {LEAVE: leaving_job("cupboard", [("things", cupboard.leave)], runtime)}
    await jobs.start(LEAVE, HANA.payload(), id="leave/1")
    for _ in range(20):
        try:
            await jobs.run_once(definitions)
        except Killed:
            clock.advance(61)
    assert cupboard.things == []
    assert await runtime.all(newest_messages()) == []
    (run,) = await runtime.all(newest_jobs())
    assert (run.finished, run.payload) == (True, {})


async def test_nothing_stands_in_the_way_unless_a_system_says_so() -> None:
    assert await nothing_in_the_way(HANA) == ()
