"""Words that were deleted are gone when nobody can bring them back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei.runtime import days
from sekkei_systems.q.design.tables import answers
from sekkei_systems.q.refusals import WrongState
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


async def taken_down(world: World, text: str = "ひどい言葉") -> tuple[str, str]:
    """The day, and the decision."""
    await world.join("a", "boss")
    await world.make_admin("boss")
    day = (await world.ask()).day
    await world.answer("a", text)
    await world.service.moderation.review_post("boss", day, "a", True, "だめ")
    (made,) = await world.service.decisions.mine("a")
    return day, made.decision_id


@pytest.mark.parametrize("overturned", [True, False])
async def test_while_an_appeal_is_open_the_words_stay(fair: World, overturned: bool) -> None:
    day, decision = await taken_down(fair, "ふつうの言葉")
    fair.clock.advance(29 * 24 * HOUR)
    await fair.service.decisions.appeal("a", decision, "ふつうです")
    fair.clock.advance(5 * 24 * HOUR)
    await fair.settle()
    proved_at = days.now(fair.clock)
    await fair.service.sanctions.decide_appeal("boss", "a", decision, overturned, proved_at=proved_at)
    fair.clock.advance(2 * 24 * HOUR)
    await fair.settle()
    found = await fair.db.need(answers(day, "a").consistent())
    assert (found.is_deleted, found.text) == ((False, "ふつうの言葉") if overturned else (True, ""))


async def test_what_has_no_words_any_more_does_not_come_back(fair: World) -> None:
    day, decision = await taken_down(fair)
    fair.clock.advance(31 * 24 * HOUR)
    await fair.settle()
    with pytest.raises(WrongState):
        await fair.service.moderation.restore_post("boss", day, "a")
    await fair.service.decisions.appeal("a", decision, "遅くなりました")
    proved_at = days.now(fair.clock)
    await fair.service.sanctions.decide_appeal("boss", "a", decision, True, proved_at=proved_at)
    found = await fair.db.need(answers(day, "a").consistent())
    assert (found.is_deleted, found.text) == (True, "")
