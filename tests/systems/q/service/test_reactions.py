"""One reaction from each reader to each answer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from sekkei_systems.q.design.models import (
    Answer,
    ReactionType,
)
from sekkei_systems.q.design.tables import answers, reactions
from sekkei_systems.q.refusals import (
    BadReaction,
    NoSuchAnswer,
)
from sekkei_systems.q.service.reactions import reaction_of
from tests.systems.q.conftest import World

DAY = timedelta(days=1).total_seconds()


async def test_one_reaction_each_which_may_change(world: World) -> None:
    await world.join("me", "a", "b")
    await world.follow(("me", "a"), ("b", "a"))
    day = (await world.ask()).day
    await world.answer("a")
    react = world.service.reactions.react
    await react("me", day, "a", ReactionType.HEART)
    world.clock.advance(1)
    await react("b", day, "a", ReactionType.FIRE)
    found = await react("me", day, "a", ReactionType.FIRE)
    assert (dict(found.counts), found.mine) == ({ReactionType.FIRE: 2}, ReactionType.FIRE)
    assert [by.user_id for _, by in await world.service.reactions.of("me", day, "a")] == ["me", "b"]
    left = await world.service.reactions.take_back("me", day, "a")
    assert (dict(left.counts), left.mine) == ({ReactionType.FIRE: 1}, None)
    await world.service.answers.delete("a", day)
    with pytest.raises(NoSuchAnswer):
        await react("me", day, "a", ReactionType.HEART)


async def test_ones_own_reaction_can_always_be_taken_back(world: World) -> None:
    """From somebody who blocks one, too; and then one is shown nothing of the answer."""
    await world.join("a", "b", "c")
    await world.follow(("a", "b"), ("c", "b"))
    day = (await world.ask()).day
    await world.answer("b")
    for reactor in ("a", "c"):
        await world.service.reactions.react(reactor, day, "b", ReactionType.HEART)
    await world.service.following.block("b", "a")
    taken = await world.service.reactions.take_back("a", day, "b")
    assert (taken.counts, taken.mine, taken.more) == ({}, None, False)
    assert await world.db.get(reactions(day, "b", "a").consistent()) is None
    assert (await world.service.reactions.take_back("c", day, "b")).counts == {}
    nothing = await world.service.reactions.take_back("a", day, "nobody")  # says nothing of what is there
    assert nothing == taken


async def test_reactions_of_blocked_and_banned_people_are_hidden(world: World) -> None:
    await world.join("me", "a", "b", "c", "boss")
    await world.make_admin("boss")
    await world.follow(("me", "a"), ("b", "a"), ("c", "a"))
    day = (await world.ask()).day
    await world.answer("a")
    for name in ("b", "c"):
        await world.service.reactions.react(name, day, "a", ReactionType.EYES)
    await world.service.following.block("b", "me")
    await world.ban("c")
    world.pass_time()
    assert await world.service.reactions.of("me", day, "a") == []
    await world.unban("c")
    assert [by.user_id for _, by in await world.service.reactions.of("me", day, "a")] == ["c"]


async def test_the_digest_of_a_week(world: World) -> None:
    await world.with_devices("author", "fan", "other")
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
    before = await world.pushes()
    for _ in range(2):
        await world.opened.parts.scheduled["digest"]({})
        await world.settle()
    assert [one for one in await world.pushes() if one not in before] == [("ExponentPushToken[author]", "digest")]


def test_the_heart_is_one_reaction() -> None:
    assert reaction_of("❤") is reaction_of("❤️") is ReactionType.HEART
    with pytest.raises(BadReaction):
        reaction_of("💩")


async def test_an_answer_of_an_older_version_is_counted_from_its_reactions(world: World) -> None:
    """Answers did not have `reactors`; what is given to them stands in Reactions alone."""
    await world.join("a", "b", "c")
    await world.follow(("a", "b"), ("c", "b"))
    day = (await world.ask()).day
    await world.answer("b")
    await world.db.write(answers.update(day, "b").set(Answer.reactors, None))
    await world.service.reactions.react("a", day, "b", ReactionType.HEART)
    found = await world.service.reactions.react("c", day, "b", ReactionType.FIRE)
    assert (found.counts, found.mine) == ({ReactionType.HEART: 1, ReactionType.FIRE: 1}, ReactionType.FIRE)
    assert (await world.service.reactions.take_back("c", day, "b")).counts == {ReactionType.HEART: 1}
