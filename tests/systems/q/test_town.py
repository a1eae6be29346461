"""A town in simulated time: people who follow, block, go private, leave, come back, report and are banned.

Every day somebody looks, and what they are shown is compared with who may see what, written down a second time;
counters equal edges; every question comes out once, and on time. Short here; in `make torture` a year of 2,000 people.
"""

from __future__ import annotations

import logging
import random
from collections import Counter
from contextlib import suppress
from datetime import date, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from sekkei.runtime.refusals import Refusal
from sekkei_systems import days
from sekkei_systems.q import design as q
from sekkei_systems.q.design.models import (
    Answer,
    DailyQuestion,
    ReportCategory,
    TargetType,
    User,
    Visibility,
)
from sekkei_systems.q.design.tables import blocks, daily_questions, follows, users
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World

MINUTE, DAY = 60.0, 86_400.0
ON_TIME = timedelta(minutes=2)
LOOKERS = 5
QUESTIONS = 40

log = logging.getLogger("sekkei.town")


class Town:
    def __init__(self, world: World, people: int, seed: int) -> None:
        self.world, self.dice = world, random.Random(seed)
        self.numbers = count()
        self.names = [self.name() for _ in range(people)]
        self.published: dict[date, datetime] = {}
        self.looked = 0

    def name(self) -> str:
        return f"p{next(self.numbers):05}"

    async def settle_in(self) -> None:
        await self.world.join("boss", "goes")
        await self.world.make_admin("boss")
        await self.world.service.leaving.ask("goes")
        for number in range(QUESTIONS):
            await self.world.question(f"question-{number}")
        for name in self.names:
            await self.arrive(name)
        await self.world.service.moderation.add_word("boss", "悪い")
        await self.world.deployment.worker._prepare()

    async def arrive(self, name: str) -> None:
        await self.world.join(name, visibility=self.dice.choice(list(Visibility)))
        for other in self.dice.sample(self.names, 4):
            await self.deed(self.world.service.following.follow(name, other))

    async def fill_up(self, people: dict[str, User]) -> None:
        """Somebody new for each who has left for good, so that the town does not die out."""
        for place, name in enumerate(self.names):
            if name not in people:
                self.names[place] = self.name()
                await self.arrive(self.names[place])

    async def deed(self, act: Any) -> None:
        with suppress(Refusal):
            await act

    # A day

    async def day(self) -> None:
        """To its midnight, to the minute of its question, through it, and to its end."""
        await self.until(days.start_of(days.today(self.world.clock) + timedelta(days=1)))
        today = days.today(self.world.clock)
        planned = (await self.question(today)).scheduled_publish_time
        await self.until(days.at(today, planned.hour, planned.minute))
        for _ in range(len(self.names)):
            await self.deed(self.act(today))
        await self.world.deployment.worker.run_until_idle()
        self.world.pass_time()
        await self.is_right(today)

    async def until(self, moment: datetime) -> None:
        wait = (moment - days.now(self.world.clock)).total_seconds()
        self.world.clock.advance(max(0.0, wait) + 1)
        for _ in range(3):
            await self.world.deployment.worker.run_until_idle()
            self.world.clock.advance(MINUTE / 3)

    async def question(self, day: date) -> DailyQuestion:
        return await self.world.db.need(daily_questions(day).consistent())

    async def act(self, today: date) -> None:
        me, other = self.dice.choice(self.names), self.dice.choice(self.names)
        service, dice = self.world.service, self.dice
        acts = [
            *(lambda: service.answers.answer(me, dice.choice(["よい一日", "悪い一日"])) for _ in range(8)),
            *(lambda: service.following.follow(me, other) for _ in range(4)),
            lambda: service.following.unfollow(me, other),
            lambda: service.following.block(me, other),
            lambda: service.following.unblock(me, other),
            lambda: service.following.accept(me, other),
            lambda: service.people.change(me, Profile(is_private=dice.random() < 0.5)),
            lambda: service.people.change(me, Profile(visibility_type=dice.choice(list(Visibility)))),
            lambda: service.answers.delete(me, today),
            lambda: service.answers.restore(me, today),
            lambda: service.reports.send(me, TargetType.USER, other, ReportCategory.SPAM),
            lambda: service.leaving.ask(me),
            *(lambda: service.leaving.cancel(me) for _ in range(2)),
            lambda: self.world.ban(me),
            *(lambda: self.world.unban(me) for _ in range(2)),
        ]
        await dice.choice(acts)()

    # What must hold

    async def all(self, entity: Any) -> list[Any]:
        return await self.world.db.all(entity.scan().consistent())

    async def is_right(self, today: date) -> None:
        row = await self.question(today)
        assert row.published_at is not None, f"{today} did not come out"
        planned = days.at(today, row.scheduled_publish_time.hour, row.scheduled_publish_time.minute)
        assert timedelta() <= row.published_at - planned < ON_TIME, f"{today}: {row.published_at - planned} late"
        assert self.published.setdefault(today, row.published_at) == row.published_at
        people = {one.user_id: one for one in await self.all(users)}
        edges = await self.all(follows)
        out = Counter(one.follower_id for one in edges if not one.followee_banned)
        back = Counter(one.followee_id for one in edges if not one.follower_banned)
        for one in people.values():
            assert (one.following_count, one.follower_count) == (out[one.user_id], back[one.user_id]), one.user_id
        pairs = {(one.follower_id, one.followee_id) for one in edges}
        apart = {(one.blocker_id, one.blocked_id) for one in await self.all(blocks)}
        assert not pairs & (apart | {(other, one) for one, other in apart})
        said = {one.user_id: one for one in await self.world.db.all(q.answers_of_day(today).consistent())}
        log.info("%s: %d people, %d edges, %d answers", today, len(people), len(edges), len(said))
        for viewer in self.dice.sample(self.names, LOOKERS):
            if viewer in people and not people[viewer].is_banned and people[viewer].deleting_at is None:
                await self.sees_what_it_may(viewer, people, pairs, apart, said)
        await self.fill_up(people)

    async def sees_what_it_may(
        self,
        viewer: str,
        people: dict[str, User],
        pairs: set[tuple[str, str]],
        apart: set[tuple[str, str]],
        said: dict[str, Answer],
    ) -> None:
        """The timeline is exactly what the rules give; of a few others, who is there at all."""

        def is_there(other: str) -> bool:
            user = people.get(other)
            return user is not None and not user.is_banned and user.deleting_at is None and (other, viewer) not in apart

        def reads(other: str) -> bool:
            if not is_there(other) or (viewer, other) in apart or (viewer, other) not in pairs:
                return False
            return people[other].visibility_type is Visibility.FOLLOWERS or (other, viewer) in pairs

        own = said.get(viewer)
        is_open = own is not None and not own.is_deleted
        wanted = {who for who, one in said.items() if reads(who) and not (one.is_deleted or one.is_flagged)}
        wanted = (wanted if is_open else set()) | ({viewer} if is_open else set())
        shown = await self.world.service.timelines.show(viewer, size=50)
        assert {one.author.user_id for one in shown.entries} == wanted, viewer
        for other in self.dice.sample(self.names, LOOKERS):
            found = True
            try:
                await self.world.service.people.show(viewer, other)
            except Refusal:
                found = False
            assert found == (other == viewer or is_there(other)), (viewer, other)
        self.looked += len(wanted)


async def lived(world: World, people: int, how_long: int, seed: int) -> Town:
    town = Town(world, people, seed)
    await town.settle_in()
    for _ in range(how_long):
        await town.day()
    assert len(town.published) == how_long
    return town


async def test_a_fortnight_of_a_hamlet(answer_first: World) -> None:
    town = await lived(answer_first, people=14, how_long=10, seed=3)
    assert town.looked > 5, "nobody saw anything"
    assert await answer_first.db.get(users("goes").consistent()) is None


@pytest.mark.torture
@pytest.mark.timeout(0)
async def test_a_year_of_a_town(answer_first: World, caplog: pytest.LogCaptureFixture) -> None:
    """Hours; `--log-cli-level=INFO` tells of each day."""
    caplog.set_level(logging.WARNING)
    caplog.set_level(logging.INFO, "sekkei.town")
    town = await lived(answer_first, people=2_000, how_long=365, seed=1)
    assert town.looked > 200, "a village of 200 sees 291 answers in a year"
