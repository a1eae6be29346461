"""Words that were deleted are gone when nobody can bring them back."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.q.design.tables import answers
from tests.systems.q.conftest import World

HOUR = timedelta(hours=1).total_seconds()


async def words(world: World, who: str = "a") -> str:
    day = (await world.service.question.get()).day
    return (await world.db.need(answers(day, who).consistent())).text


async def test_after_half_an_hour_a_deleted_answer_has_no_words(desk: World) -> None:
    day = (await desk.ask()).day
    await desk.answer("a", "やっぱり秘密")
    await desk.service.answers.delete("a", day)
    assert await words(desk) == "やっぱり秘密"  # it can still be brought back
    desk.clock.advance(HOUR)
    await desk.settle()
    assert await words(desk) == ""


async def test_what_was_brought_back_stays_and_a_second_deletion_counts_anew(fair: World) -> None:
    await fair.join("a")
    day = (await fair.ask()).day
    await fair.answer("a", "残す")
    await fair.service.answers.delete("a", day)
    await fair.service.answers.restore("a", day)
    fair.clock.advance(HOUR)
    await fair.settle()
    assert await words(fair) == "残す"
    await fair.service.answers.delete("a", day)
    await fair.opened.parts.scheduled["erase-answer"]({"day": str(day), "user_id": "a"})
    assert await words(fair) == "残す"  # too early


async def test_what_was_taken_down_is_kept_while_it_can_be_appealed(fair: World) -> None:
    await fair.join("a", "boss")
    await fair.make_admin("boss")
    day = (await fair.ask()).day
    await fair.answer("a", "ひどい言葉")
    await fair.service.moderation.review_post("boss", day, "a", True, "だめ")
    fair.clock.advance(29 * 24 * HOUR)
    await fair.settle()
    assert (await fair.db.need(answers(day, "a").consistent())).text == "ひどい言葉"
    fair.clock.advance(2 * 24 * HOUR)
    await fair.settle()
    assert (await fair.db.need(answers(day, "a").consistent())).text == ""
