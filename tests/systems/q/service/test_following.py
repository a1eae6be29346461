"""Following, asking to follow, and blocking; counters always equal the edges."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from sekkei.design import TransactionFailed, replace
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Follow, ReportCategory, TargetType, User
from sekkei_systems.q.design.tables import blocks, follow_requests, follows, users
from sekkei_systems.q.refusals import (
    AlreadyFollowing,
    Hidden,
    NoSuchThing,
    NoSuchUser,
    NotFollowing,
    Oneself,
)
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World


async def test_muted_people_are_out_of_the_timeline_and_nothing_else(world: World) -> None:
    await world.join("a", "b", "c")
    await world.follow(("a", "b"), ("a", "c"))
    day = (await world.ask()).day
    await world.answer("b")
    await world.answer("c")
    await world.service.following.mute("a", "b")
    await world.service.following.mute("a", "b")
    world.pass_time()
    assert await world.seen("a") == ["c"]
    assert (await world.service.answers.show("a", day, "b"))[0].text == "秋が好き"
    (card,) = await world.service.following.muted("a")
    assert (card.user.user_id, card.relation.mutes, card.relation.follows) == ("b", True, True)
    assert (await world.service.people.show("b", "a"))[1].mutes is False
    await world.service.following.unmute("a", "b")
    with pytest.raises(NoSuchThing):
        await world.service.following.unmute("a", "b")
    world.pass_time()
    assert sorted(await world.seen("a")) == ["b", "c"]


async def counts(world: World, name: str) -> tuple[int, int]:
    user = await world.user(name)
    return user.following_count, user.follower_count


async def test_follow_and_unfollow_move_both_counters(world: World) -> None:
    following = world.service.following
    await world.join("a", "b")
    assert await following.follow("a", "b") == "following"
    assert (await counts(world, "a"), await counts(world, "b")) == ((1, 0), (0, 1))
    with pytest.raises(AlreadyFollowing):
        await following.follow("a", "b")
    assert not await following.mutual("a", "b")
    await following.follow("b", "a")
    assert await following.mutual("a", "b")
    await following.unfollow("a", "b")
    with pytest.raises(NotFollowing):
        await following.unfollow("a", "b")
    assert (await counts(world, "a"), await counts(world, "b")) == ((0, 1), (1, 0))
    with pytest.raises(Oneself):
        await following.follow("a", "a")
    with pytest.raises(NoSuchUser):
        await following.follow("a", "nobody")


async def test_a_private_account_is_asked(world: World) -> None:
    following = world.service.following
    await world.join("a", "b", "c")
    await world.service.people.change("b", Profile(is_private=True))
    assert await following.follow("a", "b") == "requested"
    assert await following.follow("c", "b") == "requested"
    assert await following.standing("a", "b") == (True, False)
    assert [card.user.user_id for card in await following.requests("b")] == ["a", "c"]
    assert await counts(world, "b") == (0, 0)
    with pytest.raises(Hidden):
        await following.followers("a", "b")
    await following.accept("b", "a")
    await following.decline("b", "c")
    with pytest.raises(NoSuchThing):
        await following.accept("b", "c")
    assert await counts(world, "b") == (0, 1)
    world.pass_time()
    assert [card.user.user_id for card in await following.followers("a", "b")] == ["a"]
    assert await following.follow("c", "b") == "requested"
    await following.unfollow("c", "b")  # takes the request back
    assert await following.standing("c", "b") == (False, False)


async def test_a_block_ends_everything_between_two(world: World) -> None:
    following = world.service.following
    await world.join("a", "b")
    await world.follow(("a", "b"), ("b", "a"))
    await following.block("a", "b")
    await following.block("a", "b")
    assert (await counts(world, "a"), await counts(world, "b")) == ((0, 0), (0, 0))
    assert await world.db.get_many([ref.consistent() for ref in design.mutual("a", "b")]) == [None, None]
    with pytest.raises(NoSuchUser):
        await following.follow("b", "a")  # a is not there for b any more
    with pytest.raises(NoSuchUser):
        await world.service.people.show("b", "a")
    assert [card.user.user_id for card in await following.blocked("a")] == ["b"]
    await following.unblock("a", "b")
    assert await following.follow("b", "a") == "following"


async def test_a_block_takes_requests_with_it(world: World) -> None:
    following = world.service.following
    await world.join("a", "b")
    await world.service.people.change("b", Profile(is_private=True))
    await following.follow("a", "b")
    await following.block("b", "a")
    assert await world.db.get(follow_requests("b", "a").consistent()) is None


async def test_a_block_during_a_race_of_follows_leaves_neither_edge(world: World) -> None:
    await world.join("a", "b")
    for _ in range(8):
        await asyncio.gather(
            world.service.following.follow("a", "b"),
            world.service.following.follow("b", "a"),
            world.service.following.block("a", "b"),
            return_exceptions=True,
        )
        assert await world.db.get(blocks("a", "b").consistent()) is not None
        assert await world.db.get(follows("a", "b").consistent()) is None
        assert await world.db.get(follows("b", "a").consistent()) is None
        assert (await counts(world, "a"), await counts(world, "b")) == ((0, 0), (0, 0))
        await world.service.following.unblock("a", "b")


async def test_a_follow_that_was_checked_before_a_block_does_not_go_through(world: World) -> None:
    """The transaction itself looks at both directions; nothing depends on what was read before."""
    await world.join("a", "b")
    made = Follow(follower_id="a", followee_id="b", created_at=days.now(world.clock))
    await world.service.following.block("b", "a")
    with pytest.raises(TransactionFailed):
        await world.db.transact(design.follow(made))
    assert await counts(world, "b") == (0, 0)


async def test_a_thousand_follow_at_once(fair: World) -> None:
    star = "star"
    names = [f"fan{number}" for number in range(1000)]
    await fair.join(star)
    like = await fair.user(star)
    fans = [replace(like, user_id=name, email=f"{name}@example.com", app_id=None) for name in names]
    await asyncio.gather(*(fair.db.write(users.create(fan)) for fan in fans))
    await asyncio.gather(*(fair.service.following.follow(name, star) for name in names))
    assert (await fair.user(star)).follower_count == 1000
    assert await fair.db.count(design.followers_of(star)) == 1000
    await asyncio.gather(*(fair.service.following.unfollow(name, star) for name in names[:400]))
    assert (await fair.user(star)).follower_count == 600 == await fair.db.count(design.followers_of(star))


async def test_many_follow_at_once_on_every_store(world: World) -> None:
    names = [f"fan{number}" for number in range(25)]
    await world.join("star", *names)
    results = await asyncio.gather(
        *(world.service.following.follow(name, "star") for name in names), return_exceptions=True
    )
    there = sum(one == "following" for one in results)
    assert there > 0
    world.pass_time()
    assert (await world.user("star")).follower_count == there == await world.db.count(design.followers_of("star"))


async def test_whoever_is_blocked_keeps_their_own_defences(world: World) -> None:
    """A harasser who blocks first cannot take away the others' block, mute or report."""
    await world.join("harasser", "target")
    await world.follow(("target", "harasser"))
    day = (await world.ask()).day
    await world.answer("harasser")
    await world.service.following.block("harasser", "target")
    report = world.service.reports.send
    await report("target", TargetType.USER, "harasser", ReportCategory.HARASSMENT)
    await report("target", TargetType.ANSWER, f"{day}#harasser", ReportCategory.HARASSMENT)
    # What they cannot see they learn nothing about: an answer that was never there is taken in the same way.
    await report("target", TargetType.ANSWER, f"{day - timedelta(days=1)}#harasser", ReportCategory.HARASSMENT)
    await world.service.following.mute("target", "harasser")
    await world.service.following.block("target", "harasser")
    assert [one.user.user_id for one in await world.service.following.blocked("target")] == ["harasser"]
    await world.service.following.unblock("harasser", "target")
    with pytest.raises(NoSuchUser):
        await world.service.following.follow("harasser", "target")
    with pytest.raises(NoSuchUser):
        await world.service.people.show("harasser", "target")


async def test_nobody_defends_themselves_against_nobody(world: World) -> None:
    await world.join("a")
    for act in (world.service.following.block, world.service.following.mute):
        with pytest.raises(NoSuchUser):
            await act("a", "nobody")
        with pytest.raises(Oneself):
            await act("a", "a")


async def test_after_a_block_the_one_who_blocked_asks_before_following_again(world: World) -> None:
    await world.join("a", "b")
    await world.follow(("b", "a"), ("a", "b"))
    await world.service.following.block("b", "a")
    await world.service.following.unblock("b", "a")
    assert await world.service.following.follow("b", "a") == "requested"
    await world.service.following.accept("a", "b")
    await world.service.following.unfollow("b", "a")
    assert await world.service.following.follow("b", "a") == "following"  # asked and accepted once is enough


async def test_following_somebody_who_blocked_before_lets_them_follow_back(world: World) -> None:
    await world.join("a", "b")
    await world.service.following.block("b", "a")
    await world.service.following.unblock("b", "a")
    await world.follow(("a", "b"))
    assert await world.service.following.follow("b", "a") == "following"


async def test_unfollowing_ends_the_follow_though_a_request_is_left(world: World) -> None:
    """A request to a private account, which went public before it was answered."""
    await world.join("a", "b")
    await world.service.people.change("b", Profile(is_private=True))
    assert await world.service.following.follow("a", "b") == "requested"
    await world.db.write(users.update("b").set(User.is_private, False))  # as an older version left it
    assert await world.service.following.follow("a", "b") == "following"
    await world.service.following.unfollow("a", "b")
    assert await world.db.get(follows("a", "b").consistent()) is None
    assert await world.db.get(follow_requests("b", "a").consistent()) is None
    assert (await counts(world, "a"), await counts(world, "b")) == ((0, 0), (0, 0))
    with pytest.raises(NotFollowing):
        await world.service.following.unfollow("a", "b")


async def test_requests_are_settled_when_an_account_becomes_public(world: World) -> None:
    names = [f"fan{n}" for n in range(3)]
    await world.join("star", *names, "gone", "once_blocked")
    await world.service.people.change("star", Profile(is_private=True))
    await world.service.following.block("once_blocked", "star")
    await world.service.following.unblock("once_blocked", "star")
    for name in (*names, "gone", "once_blocked"):
        assert await world.service.following.follow(name, "star") == "requested"
    await world.service.leaving.ask("gone")
    await world.service.people.change("star", Profile(is_private=False))
    for name in names:
        assert await world.db.get(follows(name, "star").consistent()) is not None
    assert await counts(world, "star") == (0, 3)
    left = await world.db.all(design.requests_to("star").consistent())
    assert [one.follower_id for one in left] == ["once_blocked"]  # who blocked waits for an answer


async def test_cards_in_lists_say_that_one_has_asked(world: World) -> None:
    await world.join("viewer", "friend", "private")
    await world.service.people.change("private", Profile(is_private=True))
    await world.follow(("viewer", "friend"), ("friend", "private"))
    await world.service.following.accept("private", "friend")
    await world.service.following.follow("viewer", "private")
    world.pass_time()
    (card,) = await world.service.following.following("viewer", "friend")
    assert (card.user.user_id, card.requested) == ("private", True)


async def test_nobody_accepts_themselves(world: World) -> None:
    await world.join("a")
    with pytest.raises(NoSuchThing):
        await world.service.following.accept("a", "a")


async def test_an_account_that_becomes_private_at_this_moment_is_asked(
    fair: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fair.join("a", "b")
    person = fair.proven.sight.person

    async def read_before(viewer: str, other: str) -> Any:
        found = await person(viewer, other)
        await fair.db.write(users.update(other).set(User.is_private, True))
        return found

    monkeypatch.setattr(fair.proven.sight, "person", read_before)
    assert await fair.service.following.follow("a", "b") == "requested"
    assert await fair.db.get(follows("a", "b").consistent()) is None
    assert await fair.db.get(follow_requests("b", "a").consistent()) is not None
