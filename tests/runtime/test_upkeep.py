"""Receipts of what was sent, and what an earlier version left in clear."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database, tables
from sekkei.runtime import days, upkeep
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.deployment import assemble
from sekkei.runtime.design import Message, State, design, messages, newest_messages
from sekkei.runtime.design import schedules as schedule_rows
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.outbox import Outbox
from sekkei.runtime.sealing import MARK
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


async def clear_rows(store: Embedded, clock: ManualClock) -> None:
    """As a version wrote them that sealed nothing and kept all: sent long ago, sent now, failed, waiting."""
    clear = design.open(store, env="test", clock=clock)
    outbox = Outbox(clear, clock, "q")
    for id, ago in (("old", 20), ("new", 1), ("failed", 20), ("waiting", 0)):
        await outbox.put("mail", f"{id}@example.com", {"text": TEXT}, id=id)
        update = messages.update(f"q/{id}").set(Message.created_at, days.now(clock) - timedelta(days=ago))
        if ago and id != "failed":
            update = update.set(Message.state, State.SENT).set(Message.sent_at, days.now(clock) - timedelta(days=ago))
            update = update.remove(Message.due_pk).remove(Message.due_at)
        elif id == "failed":
            update = update.set(Message.state, State.FAILED).set(Message.due_pk, "FAILED#OUTBOX")
        await clear.write(update.remove(Message.kept_days).remove(Message.people))


async def stored(store: Embedded) -> dict[str, Any]:
    rows = (await store.call("Scan", {"TableName": "sekkei-runtime"}))["Items"]
    return {row["PK"]["S"]: row for row in rows if row["PK"]["S"].startswith("OUTBOX#")}


async def test_an_earlier_versions_rows_are_sealed_or_cut_down(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "PAGE_ITEMS", 2)
    store = Embedded(clock=clock)
    await tables.create(store, design, "test", clock)
    await clear_rows(store, clock)
    assert str(await stored(store)).count(TEXT) == 4
    deployment = assemble([], store, test_settings(env="test"), clock)
    runtime, keeper = deployment.runtime, Upkeep(deployment.runtime, clock)
    jobs = Jobs(runtime, clock, upkeep.NAME)
    await jobs.start("seal", {}, id="runtime/seal")
    await jobs.run_once(keeper.parts().jobs)  # cut off after a step …
    await Jobs(runtime, clock, upkeep.NAME).run_to_end(keeper.parts().jobs, "runtime/seal")  # … and gone on with
    rows = await stored(store)
    assert TEXT not in str(rows)
    sealed = {key for key, row in rows.items() if row["body"].get("S", "").startswith(MARK)}
    assert sealed == {"OUTBOX#q/new", "OUTBOX#q/failed", "OUTBOX#q/waiting"}
    read = {one.id: one for one in await runtime.all(newest_messages())}
    assert (read["q/old"].body, read["q/old"].to) == ({}, "")
    assert {read[id].body["text"] for id in ("q/new", "q/failed", "q/waiting")} == {TEXT}
    assert (read["q/failed"].due_pk, read["q/waiting"].due_pk, read["q/new"].due_pk) == (
        "FAILED#OUTBOX", "OUTBOX", "SENT",
    )  # fmt: skip
    clock.advance(7 * DAY)
    await keeper.cut({})
    assert (await runtime.need(messages("q/new").consistent())).body == {}
    await store.close()


async def test_the_worker_sees_to_it_by_itself(clock: ManualClock) -> None:
    store = Embedded(clock=clock)
    deployment = assemble([], store, test_settings(env="test"), clock)
    await deployment.make_tables()
    await clear_rows(store, clock)
    await deployment.worker.tick(60)
    assert TEXT not in str(await stored(store))
    assert await deployment.runtime.get(schedule_rows("runtime/receipts")) is not None
    clock.advance(8 * DAY)
    await deployment.worker.tick(60)
    assert {str(row["body"]) for row in (await stored(store)).values() if row["state"]["S"] == "sent"} == {"{'M': {}}"}
    await store.close()
