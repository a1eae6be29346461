"""Proposals and votes."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from sekkei_systems.q.design.models import (
    QuestionStatus,
    QuestionType,
)
from sekkei_systems.q.refusals import (
    AlreadySubmitted,
    NoSuchThing,
)
from tests.systems.q.conftest import World

DAY = timedelta(days=1).total_seconds()


async def test_one_proposal_a_day(world: World) -> None:
    await world.join("me")
    results = await asyncio.gather(
        *(world.service.submissions.submit("me", f"提案{n}？") for n in range(5)), return_exceptions=True
    )
    assert sum(isinstance(one, AlreadySubmitted) for one in results) == 4
    world.pass_time()
    assert len(await world.service.submissions.mine("me")) == 1
    world.clock.advance(DAY)
    await world.service.submissions.submit("me", "翌日の提案？")


async def test_a_vote_each_and_more_chances_for_the_wanted(world: World) -> None:
    await world.join("a", "b")
    await world.question("wanted", type=QuestionType.USER)
    await world.question("plain", type=QuestionType.USER)
    await world.question("ours")
    await world.question("asked", type=QuestionType.USER, last_used_at=datetime(2025, 1, 1, tzinfo=UTC))
    voted = world.service.submissions
    assert [(await voted.vote(who, "wanted")).votes for who in ("a", "b", "b")] == [1, 2, 2]
    world.pass_time()
    assert [(one.question_id, one.votes, mine) for one, mine in await voted.candidates("a")] == [
        ("wanted", 2, True),
        ("plain", 0, False),
    ]
    assert (await voted.unvote("a", "wanted")).votes == 1
    for who, id in (("a", "wanted"), ("a", "nothing")):
        with pytest.raises(NoSuchThing):
            await voted.unvote(who, id)
    for id in ("asked", "nothing"):
        with pytest.raises(NoSuchThing):
            await voted.vote("a", id)


async def test_nobody_votes_for_what_is_not_approved(fair: World) -> None:
    await fair.join("a")
    await fair.question("pending", QuestionStatus.PENDING, type=QuestionType.USER)
    with pytest.raises(NoSuchThing):
        await fair.service.submissions.vote("a", "pending")
