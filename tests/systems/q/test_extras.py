"""What was added to the document: mutes, wishes about notices, votes, the weekly digest, codes and cards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, time, timedelta
from xml.etree import ElementTree

import pytest

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.runtime.design import Message, newest_messages
from sekkei.web.testing import Client, opened
from sekkei_systems.q import SYSTEM, cards
from sekkei_systems.q.entities import questions
from sekkei_systems.q.models import Answer, DeviceType, Question, QuestionStatus, QuestionType, ReactionType, User
from sekkei_systems.q.notices import Wishes, quiet_left
from sekkei_systems.q.refusals import NoSuchThing, QuietHalf
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import NOON, World

DAY = timedelta(days=1).total_seconds()
ALL = Wishes(question=True, reaction=True, follow=True, digest=True, quiet_from=None, quiet_until=None)
SVG = "{http://www.w3.org/2000/svg}"


async def pushes(world: World) -> list[tuple[str, str]]:
    """To which device, and on which channel."""
    found: list[Message] = await world.deployment.runtime.all(newest_messages())
    return sorted((one.to, one.body["channelId"]) for one in found if one.kind == "push")


async def with_devices(world: World, *names: str) -> None:
    await world.join(*names)
    for name in names:
        await world.service.devices.register(name, f"ExponentPushToken[{name}]", DeviceType.IOS)


# Mutes


async def test_muted_people_are_out_of_the_timeline_and_nothing_else(world: World) -> None:
    await world.join("a", "b", "c")
    await world.follow(("a", "b"), ("a", "c"))
    day = (await world.ask()).day
    await world.answer("b")
    await world.answer("c")
    await world.service.graph.mute("a", "b")
    await world.service.graph.mute("a", "b")
    world.pass_time()
    assert await world.seen("a") == ["c"]
    assert (await world.service.answers.show("a", day, "b"))[0].text == "秋が好き"
    (card,) = await world.service.graph.muted("a")
    assert (card.user.user_id, card.relation.mutes, card.relation.follows) == ("b", True, True)
    assert (await world.service.people.show("b", "a"))[1].mutes is False
    await world.service.graph.unmute("a", "b")
    with pytest.raises(NoSuchThing):
        await world.service.graph.unmute("a", "b")
    world.pass_time()
    assert sorted(await world.seen("a")) == ["b", "c"]


# Notices


async def test_people_hear_of_followers_requests_and_reactions_once(world: World) -> None:
    await with_devices(world, "a", "b", "quiet")
    await world.service.notices.wish("quiet", replace_wishes(follow=False))
    await world.follow(("a", "b"), ("a", "quiet"))
    await world.service.people.change("b", Profile(is_private=True))
    await world.service.graph.follow("quiet", "b")
    day = (await world.ask()).day
    await world.answer("b")
    for kind in (ReactionType.HEART, ReactionType.FIRE):
        await world.service.reactions.react("a", day, "b", kind)
        await world.settle()
    b = "ExponentPushToken[b]"
    assert await pushes(world) == [(b, "follow"), (b, "follow"), (b, "reaction")]


async def test_one_hears_nothing_from_those_whom_one_mutes(fair: World) -> None:
    await with_devices(fair, "a", "b")
    await fair.service.graph.mute("b", "a")
    await fair.follow(("a", "b"))
    await fair.settle()
    assert await pushes(fair) == []


@pytest.mark.parametrize("blocker", ["a", "b"])
async def test_one_hears_nothing_from_those_who_are_blocked_before_the_word_is_out(fair: World, blocker: str) -> None:
    await with_devices(fair, "a", "b")
    await fair.follow(("a", "b"))
    day = (await fair.ask()).day
    await fair.answer("b")
    await fair.service.reactions.react("a", day, "b", ReactionType.HEART)
    await fair.service.graph.block(blocker, "b" if blocker == "a" else "a")
    await fair.settle()
    assert await pushes(fair) == []


def replace_wishes(**given: object) -> Wishes:
    return Wishes(**{**{name: getattr(ALL, name) for name in Wishes.__slots__}, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "last", "now", "hours"),
    [
        ("22:00", "07:00", "23:00", 8),
        ("22:00", "07:00", "06:30", 0.5),
        ("22:00", "07:00", "07:00", 0),
        ("22:00", "07:00", "22:00", 9),
        ("12:00", "13:00", "12:15", 0.75),
        ("12:00", "13:00", "11:59", 0),
        ("09:00", "09:00", "09:00", 0),
    ],
)
def test_quiet_hours(first: str, last: str, now: str, hours: float) -> None:
    at = time.fromisoformat(now)
    moment = datetime(2025, 11, 6, at.hour, at.minute, tzinfo=UTC) - timedelta(hours=9)
    user = replace(_user(), quiet_from=time.fromisoformat(first), quiet_until=time.fromisoformat(last))
    assert quiet_left(user, moment) == timedelta(hours=hours)
    assert quiet_left(_user(), moment) == timedelta()


def _user() -> User:
    now = datetime(2025, 11, 6, tzinfo=UTC)
    return User(user_id="a", email="a@example.com", birth_date=date(2000, 1, 1), created_at=now, updated_at=now)


async def test_what_happens_in_quiet_hours_arrives_when_they_are_over(fair: World) -> None:
    await with_devices(fair, "a", "b")
    await fair.service.notices.wish("b", replace_wishes(quiet_from=time(11), quiet_until=time(13)))
    with pytest.raises(QuietHalf):
        await fair.service.notices.wish("b", replace_wishes(quiet_from=time(11)))
    await fair.follow(("a", "b"))
    await fair.settle()
    (message,) = [one for one in await fair.deployment.runtime.all(newest_messages()) if one.kind == "push"]
    assert message.sent_at is None
    fair.clock.advance(3600)
    await fair.settle()
    (message,) = [one for one in await fair.deployment.runtime.all(newest_messages()) if one.kind == "push"]
    assert message.sent_at is not None


async def test_whoever_does_not_want_the_question_is_not_told(fair: World) -> None:
    await with_devices(fair, "a", "b")
    await fair.service.notices.wish("b", replace_wishes(question=False))
    day = (await fair.ask()).day.isoformat()
    await fair.opened.context.jobs.start("push", {"day": day}, id=f"push/{day}")
    await fair.settle()
    assert await pushes(fair) == [("ExponentPushToken[a]", "question")]


# The weekly digest


async def test_the_digest_of_a_week(world: World) -> None:
    await with_devices(world, "author", "fan", "other")
    await world.follow(("fan", "author"), ("other", "author"))
    world.clock.advance(-9 * DAY)
    old = (await world.ask()).day
    await world.answer("author")
    await world.service.reactions.react("fan", old, "author", ReactionType.HEART)
    world.clock.advance(9 * DAY)
    day = (await world.ask("好きな色は？")).day
    await world.answer("author", "青")
    await world.service.reactions.react("fan", day, "author", ReactionType.FIRE)
    await world.service.reactions.react("other", day, "author", ReactionType.FIRE)
    await world.settle()
    found = await world.service.reactions.digest("author")
    assert (found.total, found.counts, found.until) == (2, {ReactionType.FIRE: 2}, day)
    assert [(one.question_text, one.answer.text, dict(got)) for one, got in found.answers] == [
        ("好きな色は？", "青", {ReactionType.FIRE: 2})
    ]
    before = await pushes(world)
    for _ in range(2):
        await world.opened.parts.scheduled["digest"]({})
        await world.settle()
    assert [one for one in await pushes(world) if one not in before] == [("ExponentPushToken[author]", "digest")]


# Votes


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


async def test_votes_are_tickets_in_the_draw(fair: World) -> None:
    await fair.question("wanted")
    await fair.question("plain")
    await fair.db.write(questions.update("wanted").set(Question.votes, 8))
    drawn = [await fair.service.planning._draw() for _ in range(200)]
    wanted = sum(one is not None and one.question_id == "wanted" for one in drawn)
    assert 160 <= wanted < 200  # 180 is to be expected


async def test_nobody_votes_for_what_is_not_approved(fair: World) -> None:
    await fair.join("a")
    await fair.question("pending", QuestionStatus.PENDING, type=QuestionType.USER)
    with pytest.raises(NoSuchThing):
        await fair.service.submissions.vote("a", "pending")


# Codes and cards


@pytest.fixture
async def site() -> AsyncIterator[tuple[Client, World]]:
    clock = ManualClock(NOON)
    async with opened(SYSTEM, clock=clock) as client:
        deployment = client.shell.deployment
        system = deployment.systems["q"]
        yield client, World(deployment, system, clock, system.parts.service)


async def test_the_code_leads_to_the_owner(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    drawn = await client.get("/q/code.svg")
    assert drawn.header("content-type") == "image/svg+xml"
    assert drawn.body == cards.code(f"{client.shell.settings.public_url}/q/#/id/demo_aoi_id")
    assert drawn.body != cards.code(f"{client.shell.settings.public_url}/q/#/id/demo_ren_id")


async def test_a_card_of_ones_own_answer_only(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "author")
    await world.follow(("demo-aoi", "author"))
    day = (await world.ask("<好きな & 色>は？")).day
    await world.answer("author", "ほかの人")
    assert (await client.get(f"/q/cards/{day}.svg")).status == 404
    await world.answer("demo-aoi", "赤 <b>&amp;</b> 青")
    reply = await client.get(f"/q/cards/{day}.svg")
    drawn = ElementTree.fromstring(reply.body)
    words = "".join(one.text or "" for one in drawn.iter(f"{SVG}text"))
    assert "<好きな & 色>は？" in words
    assert "赤 <b>&amp;</b> 青" in words.replace("\u3000", " ")
    assert (await client.get("/q/cards/yesterday.svg")).status == 404
    await world.service.answers.delete("demo-aoi", day)
    assert (await client.get(f"/q/cards/{day}.svg")).status == 404


def test_a_long_answer_is_broken_into_lines_and_no_character_torn() -> None:
    family = "👨‍👩‍👧‍👦"
    now = datetime(2025, 11, 6, tzinfo=UTC)
    answer = Answer(
        day=date(2025, 11, 6), user_id="a", question_id="q", text=family * 80, is_on_time=True, created_at=now
    )
    drawn = ElementTree.fromstring(cards.card("問", answer, "名"))
    lines = [one.text or "" for one in drawn.iter(f"{SVG}text") if family in (one.text or "")]
    assert len(lines) == 8
    assert all(line.replace("…", "").replace(family, "") == "" for line in lines)
