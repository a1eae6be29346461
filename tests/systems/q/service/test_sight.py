"""Every way to see an answer, in every situation between two people: all ways agree with one table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.deployment import assemble
from sekkei.runtime.refusals import Refusal
from sekkei.store import Store
from sekkei_systems.q.design.models import ReactionType, Visibility
from sekkei_systems.q.refusals import AnswerFirst
from sekkei_systems.q.service.people import Profile
from sekkei_systems.q.system import SYSTEM
from tests.systems.q.conftest import World, open_world

Prepare = Callable[[World], Awaitable[None]]


async def nothing(world: World) -> None:
    """Strangers."""


async def follows(world: World) -> None:
    await world.follow(("viewer", "author"))


async def followed(world: World) -> None:
    await world.follow(("author", "viewer"))


async def both(world: World) -> None:
    await world.follow(("viewer", "author"), ("author", "viewer"))


async def private(world: World) -> None:
    await world.service.people.change("author", Profile(is_private=True))


async def asks(world: World) -> None:
    await private(world)
    await world.follow(("viewer", "author"))


async def was_accepted(world: World) -> None:
    await asks(world)
    await world.service.following.accept("author", "viewer")


async def mutual_then_private(world: World) -> None:
    await both(world)
    await private(world)


async def blocks(world: World) -> None:
    await both(world)
    await world.service.following.block("viewer", "author")


async def blocked(world: World) -> None:
    await both(world)
    await world.service.following.block("author", "viewer")


async def unblocked(world: World) -> None:
    await blocked(world)
    await world.service.following.unblock("author", "viewer")


async def banned(world: World) -> None:
    await both(world)
    await world.ban("author")


async def banned_and_back(world: World) -> None:
    await banned(world)
    await world.unban("author")


async def leaving(world: World) -> None:
    await both(world)
    await world.service.leaving.ask("author")


async def stays(world: World) -> None:
    await leaving(world)
    await world.service.leaving.cancel("author")


async def deleted(world: World) -> None:
    await both(world)
    await world.service.answers.delete("author", (await world.service.question.get()).day)


async def taken_down(world: World) -> None:
    await both(world)
    day = (await world.service.question.get()).day
    await world.service.moderation.review_post("boss", day, "author", remove=True)


# What has happened between the two, and whether the viewer sees the answer: (mutual only, all followers)
SITUATIONS: dict[str, tuple[Prepare, tuple[bool, bool]]] = {
    "strangers": (nothing, (False, False)),
    "viewer follows": (follows, (False, True)),
    "author follows": (followed, (False, False)),
    "both follow": (both, (True, True)),
    "private, strangers": (private, (False, False)),
    "private, asked": (asks, (False, False)),
    "private, accepted": (was_accepted, (False, True)),
    "private, both": (mutual_then_private, (True, True)),
    "viewer blocks": (blocks, (False, False)),
    "author blocks": (blocked, (False, False)),
    "unblocked again": (unblocked, (False, False)),
    "author banned": (banned, (False, False)),
    "author banned and back": (banned_and_back, (True, True)),
    "author leaves": (leaving, (False, False)),
    "author stays after all": (stays, (True, True)),
    "answer deleted": (deleted, (False, False)),
    "answer taken down": (taken_down, (False, False)),
}


async def in_timeline(world: World, day: date) -> bool:
    return "author" in await world.seen("viewer")


async def by_link(world: World, day: date) -> bool:
    answer, _, _ = await world.service.answers.show("viewer", day, "author")
    return answer.text == "秋が好き"


async def in_history(world: World, day: date) -> bool:
    page = await world.service.answers.history("viewer", "author")
    return any(one.answer.day == day for one in page)


async def by_its_reactions(world: World, day: date) -> bool:
    await world.service.reactions.of("viewer", day, "author")
    return True


async def by_reacting(world: World, day: date) -> bool:
    await world.service.reactions.react("viewer", day, "author", ReactionType.HEART)
    return True


WAYS = (in_timeline, by_link, in_history, by_its_reactions, by_reacting)


async def sees(way: Callable[[World, date], Awaitable[bool]], world: World, day: date) -> bool:
    try:
        return await way(world, day)
    except Refusal:
        return False


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("visibility", list(Visibility))
async def test_every_way_agrees(fair: World, situation: str, visibility: Visibility) -> None:
    prepare, expected = SITUATIONS[situation]
    await fair.join("viewer", "author", "boss", visibility=visibility)
    await fair.make_admin("boss")
    day = (await fair.ask()).day
    await fair.answer("author")
    await prepare(fair)
    allowed = expected[0] if visibility is Visibility.MUTUAL else expected[1]
    found = {way.__name__: await sees(way, fair, day) for way in WAYS}
    assert found == {way.__name__: allowed for way in WAYS}


async def test_flagged_is_hidden_on_every_way(fair: World) -> None:
    await fair.join("viewer", "author", "boss")
    await fair.make_admin("boss")
    await both(fair)
    await fair.service.moderation.add_word("boss", "秋")
    day = (await fair.ask()).day
    await fair.answer("author")
    assert [await sees(way, fair, day) for way in WAYS] == [False] * len(WAYS)
    assert (await fair.service.answers.show("author", day, "author"))[0].is_flagged


@pytest.mark.parametrize("situation", ["banned", "leaving", "not joined"])
async def test_who_may_not_be_here_sees_nothing(fair: World, situation: str) -> None:
    await fair.join("author", "boss")
    await fair.make_admin("boss")
    day = (await fair.ask()).day
    await fair.answer("author")
    if situation != "not joined":
        await fair.join("viewer")
        await both(fair)
    if situation == "banned":
        await fair.ban("viewer")
    if situation == "leaving":
        await fair.service.leaving.ask("viewer")
    assert [await sees(way, fair, day) for way in WAYS] == [False] * len(WAYS)


@pytest.mark.parametrize(
    "situation", ["both follow", "viewer follows", "author blocks", "author banned", "author leaves"]
)
async def test_on_every_store(world: World, situation: str) -> None:
    prepare, expected = SITUATIONS[situation]
    await world.join("viewer", "author", "boss")
    await world.make_admin("boss")
    day = (await world.ask()).day
    await world.answer("author")
    await prepare(world)
    world.pass_time()
    assert [await sees(way, world, day) for way in WAYS] == [expected[1]] * len(WAYS)


async def test_an_operator_may_have_flagged_posts_seen_until_they_are_looked_at(fair: World) -> None:
    settings = replace(fair.deployment.settings, values={"q_flagged": "show", "q_answer_first": "off"})
    lenient = assemble([SYSTEM], fair.deployment.store, settings, fair.clock).systems["q"]
    world = World(fair.deployment, lenient, fair.clock, lenient.parts.service)
    await world.join("viewer", "author", "boss")
    await world.make_admin("boss")
    await both(world)
    await world.service.moderation.add_word("boss", "秋")
    day = (await world.ask()).day
    assert (await world.answer("author")).is_flagged
    assert [await sees(way, world, day) for way in WAYS] == [True] * len(WAYS)
    assert [await sees(way, fair, day) for way in WAYS] == [False] * len(WAYS)
    await world.service.moderation.review_post("boss", day, "author", remove=True)
    assert [await sees(way, world, day) for way in WAYS] == [False] * len(WAYS)


async def test_todays_answers_open_with_ones_own_on_every_way(answer_first: World) -> None:
    world = answer_first
    await world.join("viewer", "author")
    await both(world)
    yesterday = (await world.ask()).day
    await world.answer("author")
    world.clock.advance(24 * 3600)
    today = (await world.ask()).day
    await world.answer("author")
    world.pass_time()
    assert [await sees(way, world, today) for way in WAYS] == [False] * len(WAYS)
    assert [await sees(way, world, yesterday) for way in WAYS[1:]] == [True] * len(WAYS[1:])
    remembered = await world.service.answers.history("viewer", "author")
    assert [one.answer.day for one in remembered] == [yesterday]
    with pytest.raises(AnswerFirst):  # said whether the author has answered or not
        await world.service.answers.show("viewer", today, "author")
    await world.service.people.change("viewer", Profile(answers_first=False))  # it is not theirs to switch off
    assert not await sees(by_link, world, today)
    await world.answer("viewer")
    assert [await sees(way, world, today) for way in WAYS] == [True] * len(WAYS)


async def test_ones_own_answer_is_never_closed_to_oneself(answer_first: World) -> None:
    await answer_first.join("author")
    day = (await answer_first.ask()).day
    await answer_first.answer("author")
    await answer_first.service.answers.delete("author", day)
    page = await answer_first.service.answers.history("author", "author")
    assert [one.answer.day for one in page] == [day]


@pytest.mark.parametrize("name", ["q_flagged", "q_answer_first"])
async def test_the_operator_sets_only_words_that_mean_something(plain: Store, clock: ManualClock, name: str) -> None:
    with pytest.raises(ValueError, match=f"SEKKEI_{name.upper()}"):
        await open_world(plain, clock, **{name: "perhaps"})


async def test_answers_are_closed_until_one_answers_unless_the_operator_opens_them(
    plain: Store, clock: ManualClock
) -> None:
    assert (await open_world(plain, clock, q_answer_first="")).proven.sight.answer_first
    assert not (await open_world(plain, clock, q_answer_first="off")).proven.sight.answer_first
