"""The operator's numbers equal a recount, whatever happened, and however often a stream says so."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import pytest

from sekkei.design import Query
from sekkei.runtime.refusals import Refusal
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    Answer,
    Decision,
    ProfileReview,
    Report,
    ReportCategory,
    ReportStatus,
    TargetType,
    User,
)
from sekkei_systems.q.design.tables import answers, decisions, profile_reviews, reports, users
from sekkei_systems.q.rules.numbers import Numbers, monday, waits_since
from sekkei_systems.q.rules.sight import is_present
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World, counted

DAY = 24 * 3600
HISTORY_DAYS = 10
PEOPLE = 7


def repeated(world: World) -> list[Any]:
    """Every batch of records is delivered twice at once; returns them all, to deliver them once more later."""
    (reactions,) = world.opened.parts.reactions
    plain, events = reactions.handle, []

    async def twice(event: Mapping[str, Any], failed: Any = None) -> Any:
        events.append(event)
        await plain(event, failed)
        return await plain(event, failed)

    reactions.handle = twice  # type: ignore[method-assign]
    return events


@dataclass
class Ledger:
    """What happened, written down a second time by whoever did it."""

    posted: Counter[date] = field(default_factory=Counter)
    deleted: dict[tuple[str, date], bool] = field(default_factory=dict)
    members: dict[date, int] = field(default_factory=dict)
    joined: Counter[date] = field(default_factory=Counter)
    active: dict[tuple[str, date], date] = field(default_factory=dict)
    opened: Counter[date] = field(default_factory=Counter)


class History:
    def __init__(self, world: World, seed: int) -> None:
        self.world, self.dice, self.ledger = world, random.Random(seed), Ledger()
        self.names: list[str] = []

    async def join(self, name: str) -> None:
        await self.world.join(name)
        self.names.append(name)
        self.ledger.joined[monday(days.today(self.world.clock))] += 1

    async def day(self) -> None:
        day = (await self.world.ask()).day
        for _ in range(3 * PEOPLE):
            self.world.clock.advance(self.dice.randint(1, 1200))
            with suppress(Refusal):
                await self.dice.choice(self.deeds())(self.dice.choice(self.names), day)

    def deeds(self) -> list[Any]:
        return [self.answers] * 6 + [
            *(self.deletes, self.restores, self.bans, self.lets_in, self.leaves, self.stays),
            *(self.reports, self.settles, self.looks, self.renames, self.appeals),
        ]

    async def answers(self, who: str, day: date) -> None:
        flagged = self.dice.random() < 0.3
        await self.world.answer(who, "悪い言葉" if flagged else "よい言葉")
        self.ledger.posted[day] += 1
        self.ledger.deleted[who, day] = False
        self.ledger.opened[day] += flagged
        cohort = monday(days.day_of((await self.world.user(who)).created_at))
        self.ledger.active[who, monday(day)] = cohort

    async def deletes(self, who: str, day: date) -> None:
        await self.world.service.answers.delete(who, day)
        self.ledger.deleted[who, day] = True

    async def restores(self, who: str, day: date) -> None:
        found = await self.world.service.answers.restore(who, day)
        self.ledger.deleted[who, day] = False
        self.ledger.opened[day] += found.is_flagged

    async def bans(self, who: str, day: date) -> None:
        await self.world.ban(who, reason="x")

    async def lets_in(self, who: str, day: date) -> None:
        await self.world.unban(who)

    async def leaves(self, who: str, day: date) -> None:
        await self.world.service.leaving.ask(who)

    async def stays(self, who: str, day: date) -> None:
        await self.world.service.leaving.cancel(who)

    async def reports(self, who: str, day: date) -> None:
        await self.world.service.reports.send(who, TargetType.USER, self.dice.choice(self.names), ReportCategory.SPAM)
        self.ledger.opened[days.today(self.world.clock)] += 1

    async def settles(self, who: str, day: date) -> None:
        waiting = await self.all(reports.scan().filter(Report.status == ReportStatus.PENDING))
        if waiting:
            await self.world.service.moderation.settle("boss", waiting[0].report_id, ReportStatus.DISMISSED)

    async def looks(self, who: str, day: date) -> None:
        remove = self.dice.random() < 0.5
        await self.world.service.moderation.review_post("boss", day, who, remove, "x")
        self.ledger.deleted[who, day] = remove or self.ledger.deleted[who, day]

    async def renames(self, who: str, day: date) -> None:
        """A name that already waits, and changes, is another matter."""
        name = self.dice.choice([f"悪い言葉{self.dice.randint(1, 9)}", "よい名前"])
        before = await self.world.db.get(users(who).consistent())
        await self.world.service.people.change(who, Profile(display_name=name))
        if before is not None and name.startswith("悪") and name != before.display_name:
            self.ledger.opened[days.today(self.world.clock)] += 1

    async def appeals(self, who: str, day: date) -> None:
        found = [one for one in await self.all(decisions.scan()) if one.user_id == who]
        for one in found:
            await self.world.service.decisions.appeal(who, one.decision_id, "ちがいます")
            self.ledger.opened[days.today(self.world.clock)] += 1

    async def all(self, query: Query[Any]) -> list[Any]:
        return await self.world.db.all(query.consistent())

    async def waiting(self) -> Counter[date]:
        """What waits now, by the day on which it began."""
        found: list[Answer | Report | ProfileReview | Decision] = []
        for entity in (answers, reports, profile_reviews, decisions):
            found += await self.all(entity.scan())
        return Counter(days.day_of(since) for one in found if (since := waits_since(one)))

    async def is_right(self) -> None:
        shown: Numbers = await self.world.service.numbers.show("boss")
        by_day = {one.numbers.day: one for one in shown.days}
        ledger, waiting = self.ledger, await self.waiting()
        assert {day: by_day[day].members for day in ledger.members} == ledger.members
        deleted = Counter(day for (_, day), is_deleted in ledger.deleted.items() if is_deleted)
        for day, one in by_day.items():
            own = one.numbers
            assert (own.posted, own.deleted) == (ledger.posted[day], deleted[day]), day
            assert (own.opened, own.waiting) == (ledger.opened[day], waiting[day]), day
        settled = sum(one.numbers.settled for one in shown.days)
        assert (shown.waiting, settled) == (waiting.total(), ledger.opened.total() - waiting.total())
        assert sum(count for _, count in shown.ages) == waiting.total()
        stayed = Counter((cohort, (week - cohort).days // 7) for (_, week), cohort in ledger.active.items())
        for row in shown.cohorts:
            assert row.joined == ledger.joined[row.week]
            assert [stayed[row.week, later] for later in range(12)] == [one or 0 for one in row.people]

    async def present(self) -> int:
        return sum(is_present(one) for one in await self.all(users.scan()))


@pytest.mark.parametrize("seed", range(2))
async def test_the_numbers_equal_a_recount(fair: World, seed: int) -> None:
    events, history = repeated(fair), History(fair, seed)
    for name in ("boss", "goes", *(f"user{n}" for n in range(PEOPLE))):
        await history.join(name)
    await fair.make_admin("boss")
    await fair.service.leaving.ask("goes")
    history.names = history.names[2:]
    await fair.service.moderation.add_word("boss", "悪い")
    await fair.deployment.worker.run_until_idle()  # a stream forgets after a day
    for number in range(HISTORY_DAYS):
        fair.clock.advance(DAY - fair.clock.now() % DAY)  # nine in the morning in Japan
        await history.day()
        if number % 4 == 0:
            await history.join(f"later{number}")
        await fair.deployment.worker.run_until_idle()
        history.ledger.members[days.today(fair.clock)] = await history.present()
        for event in history.dice.sample(events, len(events)):
            await fair.opened.parts.reactions[0].handle(event)
        events.clear()
    await fair.settle()
    assert await fair.db.get(users("goes")) is None
    await history.is_right()


async def test_how_long_things_waited(desk: World) -> None:
    await desk.service.reports.send("a", TargetType.USER, "b", ReportCategory.SPAM)
    await desk.service.reports.send("b", TargetType.USER, "a", ReportCategory.SPAM)
    await desk.settle()
    desk.clock.advance(5 * DAY)
    first, _ = sorted(await desk.db.all(reports.scan().consistent()), key=lambda one: one.reporter_id)
    await desk.service.moderation.settle("boss", first.report_id, ReportStatus.RESOLVED)
    await desk.settle()
    shown = await desk.service.numbers.show("boss")
    assert dict(shown.ages) == {"day": 0, "three-days": 0, "week": 1, "older": 0}
    assert [one.numbers.settled for one in shown.days if one.numbers.settled] == [1]
    (hours,) = [one.hours for one in shown.days if one.hours is not None]
    assert 120 <= hours < 121


async def test_whoever_leaves_with_the_account_is_counted_out(fair: World) -> None:
    """At once, without the week in which they are not there any more."""
    await fair.join("boss", "a")
    await fair.make_admin("boss")
    await fair.settle()
    for _, step in fair.opened.parts.personal.leaving:  # type: ignore[union-attr]
        cursor = (await step({"user_id": "a", "email": "a@example.com", "name": "A"}, None)).cursor
        while cursor is not None:
            cursor = (await step({"user_id": "a", "email": "a@example.com", "name": "A"}, cursor)).cursor
    await fair.settle()
    assert await fair.db.get(users("a").consistent()) is None
    shown = await fair.service.numbers.show("boss")
    assert (shown.members, shown.days[-1].numbers.joined, shown.days[-1].numbers.away) == (1, 2, 1)


async def test_an_answer_is_counted_once_while_its_author_changes(fair: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else counts another answer of the same week between reading and writing."""
    await fair.join("a")
    await fair.ask()
    made = await fair.answer("a")
    counting, week = fair.proven.numbers, monday(made.day)
    active = counting._active

    async def late(*given: Any) -> Any:
        found = await active(*given)
        await fair.db.write(users.update("a").set(User.active_week, week))
        return found

    monkeypatch.setattr(counting, "_active", late)
    assert await counting.answer("1", None, made)
    assert not await counting.answer("1", None, made)
    found = await fair.db.all(design.numbers_of_days(made.day, made.day))
    assert [one.posted for one in found] == [1]
    assert await fair.db.all(design.retention_since(week - timedelta(weeks=1))) == []


async def test_the_cost_does_not_grow(desk: World) -> None:
    await desk.settle()
    with counted(desk) as calls:
        await desk.service.numbers.show("boss")
    assert len(calls) <= 6, calls
