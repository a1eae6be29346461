"""Leaving: a week to think, and then nothing is left but tombstones, wherever the job was cut off."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from sekkei.runtime import days
from sekkei.runtime.data_subjects import Person
from sekkei.runtime.design import design as runtime_design
from sekkei.runtime.design import newest_set_aside
from sekkei.runtime.jobs import Jobs
from sekkei.web.identity.design import design as web_design
from sekkei.web.testing import Client
from sekkei_systems.q.design.models import (
    AdminAction,
    AdminLog,
    Answer,
    DeviceType,
    PushToken,
    QuestionStatus,
    ReactionType,
    ReportCategory,
    ReportStatus,
    TargetType,
    User,
)
from sekkei_systems.q.design.tables import admin_logs, design, profile_images, push_tokens, unique_keys, users
from sekkei_systems.q.jobs import QJobs
from sekkei_systems.q.refusals import Banned, NotJoined, Taken, WrongState
from sekkei_systems.q.service.people import Profile, Visitor, reserved
from tests.systems.leaving import exported, leave
from tests.systems.q.conftest import World, counted, png

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


# What the log tells of those who have left, and what it costs to take their names out.


async def lines(world: World, count: int, kind: str, target: str, *, by: str = "boss", days_ago: int = 2) -> None:
    at = days.now(world.clock) - timedelta(days=days_ago)
    made = [
        AdminLog(
            log_id=f"{by}-{kind}-{len(target)}{target[-1]}-{number}",
            admin_id=by,
            action=AdminAction.WARN_USER,
            target_type=kind,
            target_id=target,
            timestamp=at + timedelta(seconds=number),
        )
        for number in range(count)
    ]
    await world.db.write_many(admin_logs.put(one) for one in made)
    world.pass_time()


async def withdrawn(world: World, user: str) -> list[str]:
    """The calls that the stages of the log made."""
    steps = dict(world.opened.parts.jobs["withdraw"].steps)
    with counted(world) as calls:
        for name in ("log", "log-by", "log-since", "log-newest"):
            cursor: str | None = None
            while True:
                progress: Any = await steps[name]({"user_id": user}, cursor)
                cursor = progress.cursor
                world.pass_time()
                if cursor is None:
                    break
    return calls


async def test_names_go_out_of_the_lines_about_them_and_by_them(fair: World) -> None:
    await lines(fair, 3, "user", "a")
    await lines(fair, 1, "user", "b")
    await lines(fair, 2, "answer", "2025-08-01#a")
    await lines(fair, 2, "user", "c", by="a")
    await lines(fair, 1, "user", "a", days_ago=0)
    await withdrawn(fair, "a")
    left = [(one.admin_id, one.target_id) for one in await fair.db.all(admin_logs.scan().consistent())]
    assert sorted(left) == [("boss", "b"), *[("boss", "withdrawn")] * 6, *[("withdrawn", "c")] * 2]


async def test_the_newest_line_is_found_before_the_index_shows_it(world: World) -> None:
    at = days.now(world.clock)
    line = AdminLog(
        log_id="1",
        admin_id="boss",
        action=AdminAction.BAN_USER,
        target_type="user",
        target_id="a",
        timestamp=at,
    )
    await world.db.write(admin_logs.put(line))
    steps = dict(world.opened.parts.jobs["withdraw"].steps)
    await steps["log-newest"]({"user_id": "a"}, None)
    assert (await world.db.need(admin_logs(at, "1").consistent())).target_id == "withdrawn"


async def test_what_others_did_to_others_costs_nothing(fair: World) -> None:
    few = await withdrawn(fair, "a")
    await lines(fair, 300, "user", "b")
    assert await withdrawn(fair, "a") == few


# What stays of somebody who has left: nothing of theirs in any table, the runtime's and those of signing in too.


EMAIL, NAME, BIO, APP_ID, USERNAME = "gone@private.example", "消える太郎", "自己紹介の印", "gone_soon", "Gone_Soon"
PHONE, BROWSER = "ExponentPushToken[gone-soon]", "https://push.invalid/gone-soon"
ANSWER, DELETED, FLAGGED = "答えの印", "消した答えの印", "禁句の印"
REPORT, APPEAL, PROPOSED, ADDRESS = "通報の印", "異議の印", "提案の印？", "203.0.113.77"
WRITTEN = (EMAIL, NAME, BIO, APP_ID, USERNAME, PHONE, BROWSER, ANSWER, DELETED, REPORT, APPEAL, PROPOSED, ADDRESS)


async def items_with(world: World, *marks: str) -> list[str]:
    """Every item of every table that holds one of these, and is not due to go by itself already."""
    store, found, now = world.deployment.store, [], world.clock.now()
    for table in (await store.call("ListTables", {}))["TableNames"]:
        start: dict[str, Any] = {}
        while True:
            answer = await store.call("Scan", {"TableName": table, "ConsistentRead": True, **start})
            kept = [one for one in answer["Items"] if float(one.get("expires", {"N": "inf"})["N"]) > now]
            found += [f"{table}: {one}" for one in kept if any(mark in str(one) for mark in marks)]
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    return found


async def work(world: World) -> None:
    """Until what fails has failed for good."""
    for _ in range(6):
        world.clock.advance(61)
        await world.deployment.worker.run_until_idle()


async def sign_up(client: Client, world: World) -> str:
    """In a browser, in an app and with a token; found by others, told things, and about to sign in once more."""
    id = await client.sign_in_by_email(EMAIL, NAME)
    accounts = client.shell.accounts
    account = await accounts.get(id)
    assert account is not None
    app = client.another(bearer=(await client.shell.apps.begin(account, "q")).access)
    phone = {"token": PHONE, "deviceType": "ios"}
    for by, method, path, body in (
        (client, "POST", "/me", {"birthDate": "2000-01-01", "displayName": NAME}),
        (client, "PUT", "/me/app-id", {"appId": APP_ID}),
        (client, "PUT", "/me/username", {"username": USERNAME}),
        (client, "PATCH", "/me", {"bio": BIO}),
        (client, "PUT", "/me/findable", {"findable": True}),
        (client, "POST", "/me/invites", None),
        (client, "POST", "/sign-in/code", {"email": EMAIL, "name": NAME}),
        (app, "PUT", "/me/devices", phone),
    ):
        reply = await by.json(method, f"/q/api{path}", body)
        assert reply.status < 300, (path, reply.text)
    now = days.now(world.clock)
    browser = PushToken(user_id=id, token=BROWSER, device_type=DeviceType.WEB, created_at=now, updated_at=now)
    await world.db.write(push_tokens.put(browser))
    await world.service.people.set_picture(id, png())
    await accounts.make_token(id, "script")
    return id


async def live(client: Client, world: World, id: str) -> None:
    """Do much, and have much done to one."""
    service, now = world.service, days.now
    await world.join("friend", "harasser", "private", "boss")
    await world.make_admin("boss")
    await service.people.change("private", Profile(is_private=True))
    await service.moderation.add_word("boss", FLAGGED)
    await world.follow((id, "friend"), ("friend", id), (id, "harasser"), ("harasser", id), (id, "private"))
    await service.devices.register("friend", "ExponentPushToken[friend]", DeviceType.IOS)
    for text in (ANSWER, DELETED, FLAGGED):
        day = (await world.ask()).day
        await world.answer(id, text)
        await world.answer("friend", "友だちの答え")
        await service.reactions.react(id, day, "friend", ReactionType.HEART)
        await service.submissions.submit(id, PROPOSED)
        if text == ANSWER:
            await service.reactions.react("friend", day, id, ReactionType.FIRE)
            await service.reports.send("friend", TargetType.ANSWER, f"{day}#{id}", ReportCategory.SPAM)
        elif text == DELETED:
            await service.answers.delete(id, day)
        world.clock.advance(DAY)
    await service.reports.send(id, TargetType.USER, "harasser", ReportCategory.HARASSMENT, REPORT)
    await service.reports.send("friend", TargetType.USER, id, ReportCategory.SPAM)
    await service.following.block(id, "harasser")
    await service.following.block("harasser", id)
    await service.following.mute("friend", id)
    await world.make_admin(id)
    await service.moderation.look(id, "friend", "通報のため", address=ADDRESS)
    await world.db.write(users.update(id).set(type(await world.user(id)).is_admin, False))
    warning = await service.sanctions.warn("boss", id, "おだやかに")
    await client.json("POST", f"/q/api/me/standing/{warning.decision_id}/appeal", {"text": APPEAL})
    await service.moderation.review_post("boss", day, id, remove=True)
    await service.sanctions.suspend("boss", id, 3, "少し休んで", proved_at=now(world.clock))


@pytest.fixture
async def busy(site: tuple[Client, World], monkeypatch: pytest.MonkeyPatch) -> tuple[Client, World, str]:
    """Word of every answer fails, and stands among the dead letters with all that is in it."""
    client, world = site

    async def fails(sequence: str, old: Answer | None, new: Answer | None) -> bool:
        raise RuntimeError("cannot be counted")

    monkeypatch.setattr(world.proven.numbers, "answer", fails)
    id = await sign_up(client, world)
    await live(client, world, id)
    await work(world)
    return client, world, id


async def test_nothing_is_left_in_any_table(busy: tuple[Client, World, str]) -> None:
    client, world, id = busy
    tables = {one.partition(":")[0] for one in await items_with(world, id)}
    assert len(tables) > 20, tables
    assert any(id in str(one.record) for one in await world.deployment.runtime.all(newest_set_aside()))
    await client.sign_in_by_email(EMAIL)
    assert (await client.get("/account/export")).status == 200
    assert (await client.json("POST", "/q/api/me/withdrawal")).status == 202
    world.clock.advance(WEEK)
    await client.json("POST", "/q/api/sign-in/code", {"email": EMAIL, "name": NAME})  # and nobody takes it
    await work(world)
    assert await world.db.get(users(id).consistent()) is None
    world.clock.advance(DAY + 3600)
    await work(world)
    left = await items_with(world, id, *WRITTEN)
    assert [one for one in left if reserved(APP_ID) not in one and "JOB#q/withdraw/" not in one] == []
    assert len(left) == 2


async def test_whoever_has_come_back_keeps_what_is_new(fair: World) -> None:
    """With the account that other systems need, too."""
    await fair.join("a")
    await fair.service.leaving.ask("a")
    fair.clock.advance(WEEK)
    await fair.settle()
    assert await fair.db.get(users("a").consistent()) is None
    await fair.service.people.join(Visitor("a", "a@example.com", "また"), date(2000, 1, 1))
    outbox = fair.opened.context.outbox
    await outbox.put("mail", "a@example.com", {"text": "新しい"}, id="new", people={"a"}, after=timedelta(days=3))
    fair.clock.advance(DAY + 3600)
    await fair.settle()
    assert await outbox.get("new") is not None
    assert await items_with(fair, "q/traces/") == []


# Leaving with the account is a withdrawal without its week; the file has what somebody said and whom they follow.


A = Person("a", "a@example.com", "A")


async def test_a_withdrawal_at_once(fair: World) -> None:
    await fair.join("a", "b")
    await fair.follow(("a", "b"), ("b", "a"))
    await fair.ask()
    await fair.answer("a")
    personal = fair.deployment.systems["q"].parts.personal
    found = await exported(personal, A)
    assert [one["text"] for one in found["answers.json"]] == ["秋が好き"]
    assert [one["followee_id"] for one in found["following.json"]] == ["b"]
    await leave(personal, A)
    await fair.settle()
    assert await fair.db.get(users("a").consistent()) is None
    assert ((await fair.user("b")).follower_count, (await fair.user("b")).following_count) == (0, 0)
    assert await exported(personal, A) == {}


async def test_an_admin_gives_up_the_role_first(fair: World) -> None:
    await fair.join("a")
    await fair.make_admin("a")
    personal = fair.deployment.systems["q"].parts.personal
    assert personal is not None
    (obstacle,) = await personal.obstacles(A)
    assert "管理者" in obstacle.text["ja"]


async def test_the_file_has_decisions_and_notices_but_not_who_decided(fair: World) -> None:
    await fair.join("a", "boss")
    await fair.make_admin("boss")
    await fair.service.people.set_picture("a", png())
    await fair.ban("a", reason="荒らし")
    found = await exported(fair.deployment.systems["q"].parts.personal, A)
    assert found["picture.jpg"].startswith(b"\xff\xd8")
    (decision,) = found["decisions.json"]
    assert (decision["kind"].value, decision["reason"]) == ("ban", "荒らし")
    assert [one["said"] for one in found["notices.json"]] == ["notice.decision.ban"]
    assert "boss" not in str({name: rows for name, rows in found.items() if name != "picture.jpg"})


async def test_the_file_does_not_say_who_is_banned(fair: World) -> None:
    await fair.join("a", "b", "c", "boss")
    await fair.make_admin("boss")
    await fair.follow(("a", "b"), ("b", "a"), ("a", "c"))
    await fair.ban("b")
    await fair.settle()
    found = await exported(fair.deployment.systems["q"].parts.personal, A)
    banned, other = sorted(found["following.json"], key=lambda one: one["followee_id"])
    assert {**banned, "followee_id": "", "created_at": ""} == {**other, "followee_id": "", "created_at": ""}
    assert found.pop("profile.json")["is_banned"] is False  # their own standing they may read
    assert "banned" not in str(found)
