"""Planned at midnight, published at its minute, freed after a month."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import time, timedelta
from typing import Any

import pytest

from sekkei.runtime.delivery import Delivery
from sekkei.runtime.deployment import assemble
from sekkei.runtime.design import Message, schedules
from sekkei.runtime.jobs import Jobs
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.transports.expo import DeviceGone
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import NEVER, DailyQuestion, DeviceType, Question, QuestionStatus
from sekkei_systems.q.design.tables import daily_questions, push_tokens, questions
from sekkei_systems.q.rules import times
from sekkei_systems.q.service.questions import Published
from sekkei_systems.q.system import SYSTEM
from tests.systems.q.conftest import LEASE_SECONDS, SETTLING_ROUNDS, World

DAY = timedelta(days=1).total_seconds()


async def day_row(world: World, ahead: int = 0) -> DailyQuestion | None:
    return await world.db.get(daily_questions(days.today(world.clock) + timedelta(days=ahead)).consistent())


async def test_midnight_plans_tomorrow_and_heals_today(world: World) -> None:
    await world.question("never-used")
    await world.question("used-once", last_used_at=days.now(world.clock) - timedelta(days=90))
    await world.question("archived", QuestionStatus.ARCHIVED)
    world.pass_time()
    jobs = world.jobs()
    await asyncio.gather(*(jobs.questions.plan({}) for _ in range(3)))
    world.pass_time()
    today, tomorrow = await day_row(world), await day_row(world, 1)
    assert today is not None
    assert tomorrow is not None
    chosen = {today.question_id, tomorrow.question_id}
    assert chosen == {"never-used", "used-once"}
    for one in chosen:
        stored = await world.db.need(questions(one).consistent())
        assert (stored.status, stored.last_used_at > NEVER) == (QuestionStatus.USED, True)
    assert (await world.db.need(questions("archived").consistent())).status is QuestionStatus.ARCHIVED
    await jobs.questions.plan({})
    assert await day_row(world) == today


class Noting:
    """A way out that notes which devices were told of a question."""

    def __init__(self, sent: list[str]) -> None:
        self._sent = sent

    async def send(self, message: Message) -> str:
        if message.body["channelId"] == "question":
            self._sent.append(message.to)
        return "sent"


async def test_published_at_its_minute_by_one_of_three_workers_and_pushed_once(world: World) -> None:
    await world.join("a", "b", "gone", "boss")
    await world.make_admin("boss")
    for name, count in (("a", 2), ("b", 1), ("gone", 1)):
        for number in range(count):
            await world.service.devices.register(name, f"ExponentPushToken[{name}{number}]", DeviceType.IOS)
    await world.ban("gone")
    await world.question("q1")
    world.pass_time()
    # Tomorrow's, whose minute is still to come: time never goes back, or copies of tables would forget what they know.
    planned = await world.service.planning.plan(days.today(world.clock) + timedelta(days=1))
    at = days.at(planned.day, planned.scheduled_publish_time.hour, planned.scheduled_publish_time.minute)
    world.clock.set(at.timestamp() - 1)
    jobs = world.jobs()
    await jobs.questions.publish({})
    assert (await day_row(world) or planned).published_at is None
    world.clock.set(at.timestamp())
    settings = Settings(secrets=Secrets(b"a secret of the tests"))
    sent: list[str] = []
    transports = {"push": Noting(sent)}
    deployments = [
        assemble([SYSTEM], world.deployment.store, settings, world.clock, transports=transports) for _ in range(3)
    ]
    services = [deployment.systems["q"].parts.service for deployment in deployments]
    results = await asyncio.gather(*(service.planning.publish_due() for service in services))
    assert sum(isinstance(one, Published) and one.by_us for one in results) == 1
    published = await day_row(world)
    assert published is not None
    assert published.published_at == days.now(world.clock)
    # In bad weather a worker may never hear that it got a job: others have it when that lease is over, and each of the
    # job's steps and messages may wait as long.
    for _ in range(4 * SETTLING_ROUNDS):
        world.pass_time(LEASE_SECONDS / SETTLING_ROUNDS + 1)
        await asyncio.gather(*(deployment.worker.run_until_idle() for deployment in deployments))
    world.pass_time()
    # Whoever was banned hears of that, and of no question.
    assert sorted(sent) == ["ExponentPushToken[a0]", "ExponentPushToken[a1]", "ExponentPushToken[b0]"]
    told = [one for one in await world.push_messages() if one.body["channelId"] == "question"]
    assert {(one.body["body"], one.body["collapseId"]) for one in told} == {("q1？", str(planned.day))}
    assert len(told) == 3
    tomorrow = days.start_of(planned.day + timedelta(days=1))
    assert [await service.planning.publish_due() for service in services] == [tomorrow] * 3
    assert (await day_row(world) or planned).published_at == published.published_at


async def test_a_missed_minute_is_made_up_for_and_a_missing_row_replaced(world: World) -> None:
    await world.service.planning.plan(days.today(world.clock))
    world.clock.advance(10 * 3600 + 30 * 60)  # 22:30, after the window
    assert isinstance(await world.service.planning.publish_due(), Published)
    world.clock.advance(DAY)
    published = await world.service.planning.publish_due()
    assert isinstance(published, Published)
    assert published.question.is_fallback


async def test_a_minute_before_midnight_that_was_missed_is_made_up_for_after_it(fair: World) -> None:
    await fair.join("a")
    day = days.today(fair.clock)
    await fair.ask()
    fair.clock.advance(DAY)
    planned = await fair.service.planning.plan(day + timedelta(days=1))
    late = daily_questions.update(planned.day).set(DailyQuestion.scheduled_publish_time, time(23, 59))
    await fair.db.write(late)
    fair.clock.set(days.at(planned.day + timedelta(days=1), 0, 0).timestamp() + 30)
    today = await fair.service.planning.plan(days.today(fair.clock))
    published = await fair.service.planning.publish_due()
    assert isinstance(published, Published)
    assert published.question.day == planned.day
    assert published.question.published_at == days.now(fair.clock)
    answer = await fair.answer("a")
    assert (answer.day, answer.is_on_time) == (planned.day, True)
    due_at = times.due_at(today.day, today.scheduled_publish_time)
    assert await fair.service.planning.publish_due() == due_at
    fair.clock.set(days.at(today.day, 22, 1).timestamp())
    published = await fair.service.planning.publish_due()
    assert isinstance(published, Published)
    assert published.question.day == today.day


async def test_a_day_that_was_missed_is_not_asked_beside_the_next(fair: World) -> None:
    planned = await fair.service.planning.plan(days.today(fair.clock))
    fair.clock.set(days.at(planned.day + timedelta(days=1), 22, 1).timestamp())
    published = await fair.service.planning.publish_due()
    assert isinstance(published, Published)
    assert published.question.day > planned.day
    assert await fair.service.planning.publish_due() == days.start_of(published.question.day + timedelta(days=1))


async def test_after_thirty_days_used_is_approved_and_archived_stays(world: World) -> None:
    old = days.now(world.clock) - timedelta(days=31)
    await world.question("old", QuestionStatus.USED, last_used_at=old)
    await world.question("young", QuestionStatus.USED, last_used_at=old + timedelta(days=2))
    await world.question("archived", QuestionStatus.ARCHIVED, last_used_at=old)
    world.pass_time()
    assert await world.service.planning.reuse(None) == (1, None)
    found = {id: (await world.db.need(questions(id).consistent())).status for id in ("old", "young", "archived")}
    assert found == {
        "old": QuestionStatus.APPROVED,
        "young": QuestionStatus.USED,
        "archived": QuestionStatus.ARCHIVED,
    }


async def test_what_changes_while_the_batch_runs_is_left(world: World) -> None:
    old = days.now(world.clock) - timedelta(days=31)
    await world.question("old", QuestionStatus.USED, last_used_at=old)
    world.pass_time()
    page = await world.db.page(design.questions_used_before(days.now(world.clock) - timedelta(days=30)), size=50)
    assert len(page) == 1
    await world.db.write(questions.update("old").set(Question.status, QuestionStatus.ARCHIVED))
    await world.service.planning.reuse(None)  # where the index is behind, it still shows the question as used
    assert (await world.db.need(questions("old").consistent())).status is QuestionStatus.ARCHIVED


@pytest.mark.parametrize("name", ["plan", "publish", "reuse", "reconcile"])
async def test_the_worker_does_them_by_the_clock(fair: World, name: str) -> None:
    assert name in fair.opened.parts.scheduled
    assert name in fair.opened.parts.recurring


async def test_a_night_passes(fair: World) -> None:
    """From one evening to the next noon, with nobody but the worker."""
    await fair.question("q1")
    await fair.question("q2")
    await fair.deployment.worker.start()
    await fair.deployment.worker.stop()
    for _ in range(2 * 24 * 12):
        fair.clock.advance(300)
        await fair.deployment.worker.run_until_idle()
    today = await day_row(fair)
    assert today is not None
    assert await day_row(fair, 1) is not None
    yesterday = await day_row(fair, -1)
    assert yesterday is not None
    assert yesterday.published_at is not None


# Every device hears of the question once, and those that are gone are forgotten.


class Provider:
    """Expo, which says of one device that it is gone: at once, or in the receipt."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send(self, message: Message) -> str:
        if "[uninstalled]" in message.to:
            raise DeviceGone("DeviceNotRegistered: no such device")
        self.sent.append(message.to)
        return f"ticket-{message.to}"

    async def receipts(self, tickets: Sequence[str]) -> dict[str, dict[str, Any]]:
        gone = {"status": "error", "message": "…", "details": {"error": "DeviceNotRegistered"}}
        return {one: gone if "[later]" in one else {"status": "ok"} for one in tickets}


async def test_devices_that_are_gone_are_forgotten(fair: World) -> None:
    names = ("uninstalled", "later", "fine")
    await fair.join("a")
    for name in names:
        await fair.service.devices.register("a", f"ExponentPushToken[{name}]", DeviceType.IOS)
    await fair.ask()
    provider = Provider()
    jobs = fair.jobs(provider)
    day = days.today(fair.clock).isoformat()
    runs = Jobs(fair.deployment.runtime, fair.clock, "q")
    await runs.start("push", {"day": day}, id="push/test")
    await runs.run_to_end(jobs.definitions(), "push/test")
    fair.clock.advance(90)
    await Delivery(fair.deployment.runtime, fair.clock, {"push": provider}).run_once()
    assert len(provider.sent) == 2
    await runs.start("receipts", {"day": day, "time": 1}, id="receipts/test")
    await runs.run_to_end(jobs.definitions(), "receipts/test")
    left = await fair.db.all(design.tokens_of("a").consistent())
    assert [one.token for one in left] == ["ExponentPushToken[fine]"]
    assert await fair.db.get(push_tokens("a", "ExponentPushToken[later]").consistent()) is None


async def test_what_is_not_known_yet_is_asked_for_again(fair: World) -> None:
    class Slow(Provider):
        asked = 0

        async def receipts(self, tickets: Sequence[str]) -> dict[str, dict[str, Any]]:
            self.asked += 1
            return {} if self.asked == 1 else await super().receipts(tickets)

    await fair.join("a")
    await fair.service.devices.register("a", "ExponentPushToken[later]", DeviceType.IOS)
    day, provider = (await fair.ask()).day.isoformat(), Slow()
    jobs, runs = fair.jobs(provider), Jobs(fair.deployment.runtime, fair.clock, "q")
    for name, id in (("push", "push/test"), ("receipts", "receipts/test")):
        await runs.start(name, {"day": day, "time": 1}, id=id)
        await runs.run_to_end(jobs.definitions(), id)
        fair.clock.advance(90)
        await Delivery(fair.deployment.runtime, fair.clock, {"push": provider}).run_once()
    waiting = await fair.deployment.runtime.need(schedules(f"q/receipts/{day}/2").consistent())
    assert waiting.payload == {"day": day, "time": 2}
    await runs.start("receipts", waiting.payload, id="receipts/again")
    await runs.run_to_end(jobs.definitions(), "receipts/again")
    assert await fair.db.all(design.tokens_of("a").consistent()) == []


async def test_the_receipts_are_asked_for_a_quarter_of_an_hour_later(world: World) -> None:
    await world.join("a")
    await world.service.devices.register("a", "ExponentPushToken[a]", DeviceType.IOS)
    await world.ask()
    day = days.today(world.clock).isoformat()
    await world.opened.context.jobs.start("push", {"day": day}, id=f"push/{day}")
    await world.settle()
    assert await world.opened.context.jobs.get(f"receipts/{day}/1") is None
    world.clock.advance(16 * 60)
    await world.settle()
    run = await world.opened.context.jobs.get(f"receipts/{day}/1")
    assert run is not None
    assert run.finished
