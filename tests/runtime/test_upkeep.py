"""Receipts of what was sent."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime import upkeep
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.deployment import assemble
from sekkei.runtime.design import State, messages, newest_messages
from sekkei.runtime.design import schedules as schedule_rows
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.upkeep import Upkeep
from sekkei.store import Embedded
from sekkei.web.testing import test_settings
from tests.runtime.test_receipts import Post

DAY = 86_400.0
TEXT = "合言葉は山と川"


async def test_a_receipt_is_left_and_its_reason_is_still_known(runtime: Database, clock: ManualClock) -> None:
    outbox, keeper = Outbox(runtime, clock, "q"), Upkeep(runtime, clock)
    await outbox.put("mail", "a@example.com", {"text": TEXT}, id="1", people=["u1"])
    await outbox.put("mail", "a@example.com", {"text": TEXT}, id="2", after=timedelta(days=30))
    await Delivery(runtime, clock, {"mail": Post()}).run_once()
    clock.advance(6.9 * DAY)
    await keeper.cut({})
    assert (await runtime.need(messages("q/1").consistent())).body == {"text": TEXT}
    clock.advance(0.2 * DAY)
    await keeper.cut({})
    left = await runtime.need(messages("q/1").consistent())
    assert (left.state, left.receipt, left.to, left.body, left.people) == (State.SENT, "r-1", "", {}, frozenset())
    assert left.due_at is None, "it stands in no list of what waits"
    assert (await runtime.need(messages("q/2").consistent())).body == {"text": TEXT}, "it has yet to go out"
    assert not await outbox.put("mail", "a@example.com", {"text": TEXT}, id="1")


async def test_many_receipts_in_one_go(runtime: Database, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "PAGE_ITEMS", 3)
    outbox = Outbox(runtime, clock, "q")
    for number in range(10):
        await outbox.put("mail", f"{number}@example.com", {"text": TEXT}, id=str(number))
    await Delivery(runtime, clock, {"mail": Post()}).run_once()
    clock.advance(8 * DAY)
    await Upkeep(runtime, clock).cut({})
    assert [one.body for one in await runtime.all(newest_messages())] == [{}] * 10


async def test_the_worker_sees_to_it_by_itself(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    deployment = assemble([], store, test_settings(env="test"), clock)
    await deployment.make_tables()
    await deployment.worker.tick(60)
    assert await deployment.runtime.get(schedule_rows("runtime/receipts")) is not None
    await store.close()
