"""What messages, jobs, schedules and set-aside records of one system say of somebody goes; all else stays."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.design import Database
from sekkei.runtime import data_subjects, days
from sekkei.runtime.data_subjects import Traces
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.design import SetAside, newest_jobs, newest_messages, newest_set_aside, schedules, set_aside
from sekkei.runtime.jobs import Job, Jobs, Payload, Progress
from sekkei.runtime.outbox import Outbox, Shown
from sekkei.runtime.receipts import cutting
from sekkei.runtime.schedules import StoredSchedules

HANA = {"user_id": "u-hana", "email": "hana@example.com"}


async def gone(runtime: Database, system: str) -> int:
    """How much went, step by step and page by page."""
    done = 0
    for _, step in Traces(runtime, system).steps():
        progress = await step(HANA, None)
        done += progress.done
        while progress.cursor is not None:
            progress = await step(HANA, progress.cursor)
            done += progress.done
    return done


async def test_receipts_whose_id_names_somebody_go(
    runtime: Database, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_subjects, "PAGE_ITEMS", 2)
    for system in ("q", "tasks"):
        outbox = Outbox(runtime, clock, system)
        await outbox.put("mail", "hana@example.com", {}, id="welcome/1")
        await outbox.put("mail", "taro@example.com", {}, id="told/1", people=["u-hana"])
        await outbox.put("mail", "taro@example.com", {}, id="digest/u-hana/2026-11-15")
        await outbox.put("mail", "taro@example.com", {}, id="digest/u-hanako/2026-11-15")
    await Delivery(runtime, clock, {"mail": Shown()}).run_once()
    await runtime.write(cutting("q/digest/u-hana/2026-11-15"))
    assert await gone(runtime, "q") == 3
    assert await gone(runtime, "q") == 0
    left = {one.id for one in await runtime.all(newest_messages())}
    assert {id for id in left if id.startswith("q/")} == {"q/digest/u-hanako/2026-11-15"}
    assert len(left) == 5


async def finished(payload: Payload, cursor: str | None) -> Progress:
    return Progress(1)


async def test_finished_jobs_go_and_running_ones_do_their_work(runtime: Database, clock: ManualClock) -> None:
    jobs = Jobs(runtime, clock, "q")
    for id in ("by-id/u-hana", "by-payload", "other"):
        await jobs.start("work", {"users": ["u-hana"] if id == "by-payload" else ["u-taro"]}, id=id)
    assert await jobs.run_once({"work": Job([("all", finished)])}) == 3
    await jobs.start("work", {"users": ["u-hana"]}, id="running")
    assert await gone(runtime, "q") == 2
    assert {one.id for one in await runtime.all(newest_jobs())} == {"q/other", "q/running"}


async def test_schedules_for_them_alone_go(runtime: Database, clock: ManualClock) -> None:
    stored = StoredSchedules(runtime, clock, "q")
    tomorrow = days.now(clock) + timedelta(days=1)
    await stored.put("q/remind/u-hana", "remind", {}, at=tomorrow)
    await stored.put("q/remind/2", "remind", {"user_id": "u-hana"}, at=tomorrow)
    await stored.put("q/remind/3", "remind", {"user_id": "u-taro"}, at=tomorrow)
    await stored.put("q/nightly", "nightly", {"after": "u-hana"}, cron="0 3 * * *")
    assert await gone(runtime, "tasks") == 0
    assert await gone(runtime, "q") == 2
    assert await runtime.get(schedules("q/remind/3"))
    assert await runtime.get(schedules("q/nightly"))


async def test_records_that_name_them_go(runtime: Database, clock: ManualClock) -> None:
    for sequence, key in (("1", "USER#u-hana"), ("2", "USER#u-taro")):
        row = SetAside(
            consumer="q/Users",
            sequence=sequence,
            record={"dynamodb": {"Keys": {"PK": {"S": key}}}},
            error="x",
            attempts=1,
            listed_at=days.now(clock),
        )
        await runtime.write(set_aside.put(row))
    assert await gone(runtime, "q") == 1
    assert [one.sequence for one in await runtime.all(newest_set_aside())] == ["2"]
