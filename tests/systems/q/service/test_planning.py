"""Which question is asked on which day."""

from __future__ import annotations

from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import (
    NEVER,
    Question,
)
from sekkei_systems.q.design.tables import questions
from sekkei_systems.q.service.questions import SPARE_QUESTIONS
from tests.systems.q.conftest import World


async def test_votes_are_tickets_in_the_draw(fair: World) -> None:
    await fair.question("wanted")
    await fair.question("plain")
    await fair.db.write(questions.update("wanted").set(Question.votes, 8))
    drawn = [await fair.service.planning._draw() for _ in range(200)]
    wanted = sum(one is not None and one.question_id == "wanted" for one in drawn)
    assert 160 <= wanted < 200  # 180 is to be expected


async def test_a_never_used_question_comes_first(world: World) -> None:
    """Stored with a time of 1970, so that the index has it at all."""
    await world.question("fresh")
    world.pass_time()
    page = await world.db.page(design.approved_questions(), size=50)
    assert [one.question_id for one in page] == ["fresh"]
    planned = await world.service.planning.plan(days.today(world.clock))
    assert (planned.question_id, planned.is_fallback, planned.previous_use) == ("fresh", False, NEVER)


async def test_without_questions_a_spare_one_is_asked(world: World) -> None:
    planned = await world.service.planning.plan(days.today(world.clock))
    assert planned.is_fallback
    assert planned.question_text in SPARE_QUESTIONS
