"""Answering, taking back, looking back; reactions and reports."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.store import Store
from sekkei_systems import days
from sekkei_systems.q.design.models import Answer
from sekkei_systems.q.design.tables import answers
from sekkei_systems.q.refusals import (
    AlreadyAnswered,
    NoQuestion,
    NoSuchAnswer,
    QuestionClosed,
    TakenDown,
    UndoOver,
    WrongState,
)
from tests.lost import answer_lost
from tests.scripted_store import ScriptedStore
from tests.systems.q.conftest import World, open_world

DAY = timedelta(days=1).total_seconds()


async def test_on_time_late_and_only_once(world: World) -> None:
    await world.join("a", "b", "c")
    with pytest.raises(NoQuestion):
        await world.answer("a")
    question = await world.ask()
    first = await world.answer("a", "  春！ ")
    assert (first.text, first.is_on_time, first.late_minutes, first.day) == ("春！", True, 0, question.day)
    world.clock.advance(30 * 60)
    assert (await world.answer("b")).is_on_time
    world.clock.advance(1)
    late = await world.answer("c")
    assert (late.is_on_time, late.late_minutes) == (False, 1)
    with pytest.raises(AlreadyAnswered):
        await world.answer("a", "もう一度")


async def test_many_answers_of_one_user_at_once_leave_one(world: World) -> None:
    await world.join("a")
    await world.ask()
    results = await asyncio.gather(*(world.answer("a", f"答え{n}") for n in range(8)), return_exceptions=True)
    kept = [one for one in results if isinstance(one, Answer)]
    assert len(kept) == 1
    stored = await world.db.need(answers(kept[0].day, "a").consistent())
    assert stored.text == kept[0].text


async def test_an_answer_whose_confirmation_was_lost_is_no_second_one(fair: World) -> None:
    """The write happened, somebody reviewed it, and its sender was told to try again."""
    await fair.join("a")
    await fair.ask()

    async def review() -> None:
        await fair.db.write(answers.update(days.today(fair.clock), "a").set(Answer.is_flagged, True))

    with answer_lost(fair.db, review):
        assert (await fair.answer("a", "一度だけ")).text == "一度だけ"
    with pytest.raises(AlreadyAnswered):
        await fair.answer("a", "二度目")


async def test_after_midnight_yesterdays_question_stays_open_until_the_next_is_out(world: World) -> None:
    await world.join("a", "b")
    world.clock.advance(11 * 3600 + 50 * 60)  # 23:50
    yesterday = await world.ask()
    world.clock.advance(20 * 60)
    assert days.today(world.clock) == yesterday.day + timedelta(days=1)
    assert (await world.answer("a")).day == yesterday.day
    await world.ask("次のお題")
    with pytest.raises(QuestionClosed):
        await world.service.answers.answer("b", "遅かった", day=yesterday.day)
    assert (await world.answer("b")).day == days.today(world.clock)


async def test_deleted_and_restored_but_never_posted_again(world: World) -> None:
    service = world.service.answers
    await world.join("a", "b")
    await world.follow(("b", "a"))
    day = (await world.ask()).day
    await world.answer("a")
    world.pass_time()
    assert await world.seen("b") == ["a"]
    await service.delete("a", day)
    world.pass_time()
    assert await world.seen("b") == []
    with pytest.raises(AlreadyAnswered):
        await world.answer("a", "ほかの答え")
    await service.restore("a", day)
    world.pass_time()
    assert await world.seen("b") == ["a"]
    with pytest.raises(NoSuchAnswer):
        await service.restore("a", day)
    await service.delete("a", day)
    world.clock.advance(31 * 60)
    with pytest.raises(UndoOver):
        await service.restore("a", day)


async def test_what_an_admin_took_down_stays_down(world: World) -> None:
    await world.join("a", "boss")
    await world.make_admin("boss")
    day = (await world.ask()).day
    await world.answer("a")
    await world.service.moderation.review_post("boss", day, "a", remove=True)
    with pytest.raises(TakenDown):
        await world.service.answers.restore("a", day)
    await world.service.moderation.restore_post("boss", day, "a")
    assert not (await world.db.need(answers(day, "a").consistent())).is_deleted


async def test_history_streak_and_a_year_ago(world: World) -> None:
    await world.join("a", "b")
    await world.follow(("b", "a"))
    asked = []
    world.clock.advance(-365 * DAY)
    await world.ask("一年前のお題")
    await world.answer("a", "一年前の答え")
    world.clock.advance((365 - 5) * DAY)
    for back in range(5):
        asked.append((await world.ask(f"お題{back}")).day)
        if back != 1:
            await world.answer("a", f"答え{back}")
        world.clock.advance(DAY)
    today = (await world.ask("今日")).day
    world.pass_time()
    look = await world.service.answers.look_back("a")
    assert look.streak == 3  # today is unanswered yet, so it counts up to yesterday
    assert look.year_ago is not None
    assert (look.year_ago.answer.text, look.year_ago.question_text) == ("一年前の答え", "一年前のお題")
    await world.answer("a", "今日の答え")
    assert (await world.service.answers.look_back("a")).streak == 4
    await world.service.answers.delete("a", today)
    world.pass_time()
    mine = await world.service.answers.history("a", "a")
    assert [one.answer.day for one in mine][:3] == [today, asked[4], asked[3]]
    theirs = await world.service.answers.history("b", "a")
    assert [one.answer.text for one in theirs] == ["答え4", "答え3", "答え2", "答え0", "一年前の答え"]
    assert theirs.items[0].question_text == "お題4"


async def test_a_forbidden_word_is_seen_by_its_author_alone_until_reviewed(world: World) -> None:
    await world.join("me", "a", "boss")
    await world.make_admin("boss")
    await world.follow(("me", "a"))
    await world.service.moderation.add_word("boss", "バカ")
    day = (await world.ask()).day
    assert (await world.answer("a", "ﾊﾞ\u200bｶだなあ")).is_flagged
    world.pass_time()
    assert (await world.seen("me"), await world.seen("a")) == ([], ["a"])
    (post,) = await world.service.moderation.flagged("boss")
    assert post.answer.user_id == "a"
    await world.service.moderation.review_post("boss", day, "a", remove=False)
    world.pass_time()
    assert await world.seen("me") == ["a"]
    assert len(await world.service.moderation.flagged("boss")) == 0


async def test_in_the_rush_no_two_answers_meet_in_one_item(plain: Store, clock: ManualClock) -> None:
    """docs/adr/0008: the day's row is read once and checked in no transaction."""
    store = ScriptedStore(plain)
    world = await open_world(store, clock)
    names = [f"u{n}" for n in range(60)]
    await world.join(*names)
    await world.ask()
    await world.service.answers.today("u0")
    store.asked.clear()
    await asyncio.gather(*(world.answer(name) for name in names))
    assert store.count("PutItem", "dev-q-Answers") == 60
    assert store.count("TransactWriteItems", "") == 0
    assert store.count("BatchGetItem", "dev-q-DailyQuestions") == 0
    assert await world.db.count(answers.where(Answer.day == days.today(clock)).consistent()) == 60


async def test_what_is_remembered_never_hides_the_next_question(world: World) -> None:
    """Two processes, one of which has served yesterday's question all night."""
    await world.join("a")
    first = await world.ask("きのうの？")
    other = (await open_world(world.deployment.store, world.clock)).service
    assert (await other.question.get()).day == first.day
    world.clock.advance(24 * 3600)
    assert (await other.question.get()).question_text == "きのうの？"
    await world.ask("きょうの？")
    assert (await other.question.get()).question_text == "きょうの？"
    assert (await other.answers.answer("a", "x")).day == first.day + timedelta(days=1)
    world.clock.advance(-24 * 3600)  # a clock that was set back
    assert (await other.question.get()).question_text == "きのうの？"


async def test_a_question_that_is_not_out_takes_no_answer(world: World) -> None:
    await world.join("a")
    await world.service.planning.plan(days.today(world.clock))
    with pytest.raises(NoQuestion):
        await world.answer("a")


# Words that were deleted are gone when nobody can bring them back.


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
