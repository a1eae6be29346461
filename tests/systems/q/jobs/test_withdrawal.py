"""Leaving: a week to think, and then nothing is left but tombstones, wherever the job was cut off."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from sekkei.runtime import days
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.jobs import Jobs
from sekkei.web.identity.design import design as web_design
from sekkei_systems.q.design.models import (
    DeviceType,
    QuestionStatus,
    ReactionType,
    ReportCategory,
    ReportStatus,
    TargetType,
    User,
)
from sekkei_systems.q.design.tables import design, profile_images, unique_keys, users
from sekkei_systems.q.jobs import QJobs
from sekkei_systems.q.refusals import Banned, NotJoined, Taken, WrongState
from sekkei_systems.q.service.people import Profile, Visitor, reserved
from tests.systems.q.conftest import World, png

WEEK = timedelta(days=7, minutes=1).total_seconds()
DAY = timedelta(days=1).total_seconds()
LEAVER = "leaver"
STEPS = ("sign-ins", "messages", "tokens", "follows-out", "follows-in", "requests-to", "requests-of",
         "blocks-by", "blocks-of", "ended-blocks-by", "ended-blocks-of", "mutes-by", "mutes-of",
         "reactions", "answers", "submissions", "questions", "votes",
         "reports-made", "reports-about", "reports-on", "reports-settled", "reports-dismissed", "log", "log-by",
         "words", "decisions", "decided", "notices", "notices-about", "reviews",
         "invites", "contact", "picture", "user",
         "log-since", "log-newest", "decisions-since", "notices-since", "messages-since", "account")  # fmt: skip


async def a_life(world: World) -> None:
    """Somebody with something in every table."""
    service = world.service
    others = [f"other{n}" for n in range(4)]
    await world.join(LEAVER, *others, "private", "boss")
    await world.make_admin("boss")
    await service.people.change("private", Profile(is_private=True))
    await service.people.choose_username(LEAVER, "Leaver")
    await service.people.set_picture(LEAVER, png())
    account = await service.accounts.create(f"{LEAVER}@example.com", "Leaver", id=LEAVER)
    await service.accounts.begin_session(account, "browser")
    await service.accounts.make_token(LEAVER, "token")
    await service.devices.register(LEAVER, "ExponentPushToken[leaver]", DeviceType.IOS)
    for other in others[:3]:
        await world.follow((LEAVER, other), (other, LEAVER))
    await service.following.follow(LEAVER, "private")
    await service.invites.make(LEAVER)
    await service.contacts.be_findable(LEAVER, True)
    await service.people.change(LEAVER, Profile(is_private=True))
    await service.following.follow("boss", LEAVER)
    for _ in range(3):
        day = (await world.ask()).day
        await world.answer(LEAVER)
        await world.answer("other0")
        await service.reactions.react("other0", day, LEAVER, ReactionType.FIRE)
        await service.reactions.react(LEAVER, day, "other0", ReactionType.HEART)
        question = await service.submissions.submit(LEAVER, "提案？")
        world.clock.advance(DAY)
    await service.editing.review("boss", question.question_id, approve=True)
    await service.submissions.vote(LEAVER, question.question_id)
    await service.following.mute(LEAVER, "other1")
    await service.following.mute("other1", LEAVER)
    await service.reports.send(LEAVER, TargetType.USER, "other1", ReportCategory.SPAM)
    await service.reports.send("other0", TargetType.USER, LEAVER, ReportCategory.SPAM)
    await service.reports.send("other0", TargetType.ANSWER, f"{day}#{LEAVER}", ReportCategory.SPAM)
    await service.reports.send("other1", TargetType.ANSWER, f"{day}#{LEAVER}", ReportCategory.OTHER)
    await service.following.block(LEAVER, "other3")
    await service.following.block("other2", LEAVER)
    for one, other in ((LEAVER, "other1"), ("other1", LEAVER)):
        await service.following.block(one, other)
        await service.following.unblock(one, other)


async def an_office(world: World) -> None:
    """The leaver has been an administrator, and administrators have had to do with the leaver."""
    service = world.service
    await world.make_admin(LEAVER)
    await service.moderation.add_word(LEAVER, "word")
    for status in (ReportStatus.RESOLVED, ReportStatus.DISMISSED):
        made = await service.reports.send("private", TargetType.USER, f"other{status is ReportStatus.RESOLVED:d}",
                                          ReportCategory.SPAM)  # fmt: skip
        await service.moderation.settle(LEAVER, made.report_id, status)
    day = (await world.service.question.get()).day
    await service.moderation.review_post("boss", day, LEAVER, remove=True)
    await world.db.write(users.update(LEAVER).set(User.is_admin, False))
    await world.ban(LEAVER)
    await world.unban(LEAVER)


async def left_of(world: World, user: str) -> list[str]:
    """Every item of every table that names the user anywhere, by id or name; those of signing in and the worker too."""
    found = []
    tables = [*design.tables.values(), *web_design.tables.values(), *runtime_design.tables.values()]
    for table in tables:
        name = world.db.table_name(table) if table in design.tables.values() else table.name
        start: dict[str, object] = {}
        while True:
            answer = await world.db.store.call("Scan", {"TableName": name, "ConsistentRead": True, **start})
            found += [f"{table.name}: {item}" for item in answer["Items"] if user in str(item).casefold()]
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    return found


async def check_gone(world: World) -> None:
    left = await left_of(world, LEAVER)
    # The reserved id is made of the user's own name here; and the worker remembers that it is done.
    tombstones = [one for one in left if one.startswith("UniqueKeys") and reserved(f"{LEAVER}_id") in one]
    done = [one for one in left if one.startswith("sekkei-runtime") and "JOB#q/withdraw/" in one]
    later = [one for one in left if one.startswith("sekkei-runtime") and "SCHEDULE#q/traces/" in one]
    assert [one for one in left if one not in (*tombstones, *done, *later)] == []
    assert (len(tombstones), len(done), len(later)) == (1, 1, 1)
    assert await world.db.all(profile_images.scan().consistent()) == []  # nor the copy that a report kept
    marker = await world.db.need(unique_keys(reserved(f"{LEAVER}_id")).consistent())
    assert marker.owner == {"userId": "withdrawn"}
    for name in ("other0", "other1"):
        user = await world.user(name)
        assert (user.following_count, user.follower_count) == (0, 0)


def runs_of(world: World) -> tuple[Jobs, QJobs]:
    return Jobs(world.deployment.runtime, world.clock, "q"), world.jobs()


async def test_after_the_week_nothing_is_left(world: World) -> None:
    await a_life(world)
    await an_office(world)
    await world.service.leaving.ask(LEAVER, leaves_house=True)
    world.clock.advance(WEEK)
    with pytest.raises(WrongState):
        await world.service.leaving.cancel(LEAVER)
    for _ in range(40):
        await world.settle()
        if await world.db.get(users(LEAVER).consistent()) is None:
            break
    await world.settle()
    await check_gone(world)
    with pytest.raises(NotJoined):
        await world.service.answers.today(LEAVER)
    again = Visitor(LEAVER, f"{LEAVER}@example.com", "戻った")
    await world.service.people.join(again, date(2000, 1, 1))
    with pytest.raises(Taken):
        await world.service.people.choose_app_id(LEAVER, f"{LEAVER}_id")


async def test_the_stages_are_these(fair: World) -> None:
    _, jobs = runs_of(fair)
    assert tuple(name for name, _ in jobs.definitions()["withdraw"].steps) == STEPS


@pytest.mark.parametrize("last", STEPS)
async def test_killed_in_every_stage_it_resumes(fair: World, last: str) -> None:
    """The worker dies after a stage's work was done and before that was written down."""
    await a_life(fair)
    await an_office(fair)
    await fair.service.leaving.ask(LEAVER)
    runs, jobs = runs_of(fair)
    await runs.start("withdraw", {"user_id": LEAVER, "leaves_house": True}, id="withdraw/test")
    definitions = jobs.definitions()
    steps = dict(definitions["withdraw"].steps)
    for _ in range(200):
        run = await runs.get("withdraw/test")
        assert run is not None
        name = run.step or STEPS[0]
        if name == last:
            await steps[name](run.payload, run.cursor)  # done, but never saved
            break
        await runs.run_once(definitions)
    else:
        raise AssertionError("the stage was never reached")
    again, fresh = runs_of(fair)
    await again.run_to_end(fresh.definitions(), "withdraw/test")
    await check_gone(fair)


async def test_more_edges_than_one_transaction_takes(fair: World) -> None:
    names = [f"fan{n}" for n in range(70)]
    await fair.join(LEAVER, *names)
    await fair.follow(*((name, LEAVER) for name in names), *((LEAVER, name) for name in names[:40]))
    await fair.service.leaving.ask(LEAVER)
    runs, jobs = runs_of(fair)
    await runs.start("withdraw", {"user_id": LEAVER, "leaves_house": True}, id="withdraw/test")
    await runs.run_to_end(jobs.definitions(), "withdraw/test")
    for name in names:
        user = await fair.user(name)
        assert (user.following_count, user.follower_count) == (0, 0)


async def test_an_approved_question_stays_without_its_name(fair: World) -> None:
    await a_life(fair)
    await fair.service.leaving.ask(LEAVER)
    runs, jobs = runs_of(fair)
    await runs.start("withdraw", {"user_id": LEAVER, "leaves_house": True}, id="withdraw/test")
    await runs.run_to_end(jobs.definitions(), "withdraw/test")
    (kept,) = await fair.service.editing.with_status("boss", QuestionStatus.APPROVED)
    assert (kept.text, kept.submitted_by, kept.votes) == ("提案？", None, 0)
    assert len(await fair.service.editing.with_status("boss", QuestionStatus.PENDING)) == 0


async def test_an_account_that_others_need_stays(fair: World) -> None:
    await a_life(fair)
    await fair.service.leaving.ask(LEAVER)
    fair.clock.advance(WEEK)
    await fair.settle()
    assert await fair.db.get(users(LEAVER).consistent()) is None
    account = await fair.service.accounts.get(LEAVER)
    assert account is not None
    assert await fair.service.accounts.sessions(LEAVER) == []  # but they are signed out


@pytest.mark.parametrize("reached", ["tokens", "decisions", "picture"])
async def test_a_suspension_that_ends_while_they_go_leaves_nothing(fair: World, reached: str) -> None:
    """When all that named them was gone they were told that they could come back; a world found it."""
    await fair.join(LEAVER, "boss")
    await fair.make_admin("boss")
    await fair.service.sanctions.suspend("boss", LEAVER, 7, "荒らし", proved_at=days.now(fair.clock))
    await fair.settle()
    runs, jobs = runs_of(fair)
    await runs.start("withdraw", {"user_id": LEAVER}, id="withdraw/test")
    for _ in range(200):
        run = await runs.get("withdraw/test")
        if run is not None and run.step == reached:
            break
        await runs.run_once(jobs.definitions())
    fair.clock.advance(WEEK)
    await fair.settle()
    assert await fair.db.get(users(LEAVER).consistent()) is None
    left = [one for one in await left_of(fair, LEAVER) if "'withdraw'" not in one and "q/traces/" not in one]
    assert len(left) == 1, left  # the reserved id


async def test_whoever_is_banned_may_leave_and_not_come_back_as_somebody_else(fair: World) -> None:
    await fair.join(LEAVER, "boss")
    await fair.make_admin("boss")
    await fair.ban(LEAVER, reason="荒らし")
    await fair.service.leaving.ask(LEAVER)
    fair.clock.advance(WEEK)
    await fair.settle()
    assert await fair.db.get(users(LEAVER).consistent()) is None
    left = [one for one in await left_of(fair, LEAVER) if "sekkei-runtime" not in one]
    assert len(left) == 1  # the reserved id; that an address was banned is kept without the address
    again = Visitor("new", f"{LEAVER.upper()}@example.com", "New")
    with pytest.raises(Banned):
        await fair.service.people.join(again, date(2000, 1, 1))
    assert (await fair.service.people.join(Visitor("new", "new@example.com", "New"), date(2000, 1, 1))).user_id == "new"
