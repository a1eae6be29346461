"""Joining, names that are one's own, following, asking, blocking."""

from __future__ import annotations

import asyncio
from datetime import date

import pytest

from sekkei.design import TransactionFailed, replace
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.entities import blocks, follow_requests, follows, push_tokens, users
from sekkei_systems.q.models import DeviceType, Follow, Visibility
from sekkei_systems.q.pictures import drawn_anew
from sekkei_systems.q.refusals import (
    AlreadyFollowing,
    AlreadyJoined,
    AppIdNeeded,
    AppIdSet,
    BadToken,
    Hidden,
    NoSuchThing,
    NoSuchUser,
    NotFollowing,
    NotJoined,
    Oneself,
    Taken,
    TooYoung,
)
from sekkei_systems.q.service.people import Profile, Visitor
from tests.systems.q.conftest import World
from tests.systems.q.test_pictures import png

BORN = date(2000, 4, 1)


async def test_joining_once_with_an_address_of_ones_own(world: World) -> None:
    people = world.service.people
    made = await people.join(Visitor("u1", "Aoi@Example.com", "葵"), BORN)
    assert (made.email, made.visibility_type, made.app_id) == ("aoi@example.com", Visibility.MUTUAL, None)
    with pytest.raises(AlreadyJoined):
        await people.join(Visitor("u1", "other@example.com", "葵"), BORN)
    with pytest.raises(Taken):
        await people.join(Visitor("u2", "aoi@example.com", "葵"), BORN)
    with pytest.raises(TooYoung):
        await people.join(Visitor("u3", "young@example.com", "若"), date(2015, 1, 1))
    with pytest.raises(NotJoined):
        await world.service.answers.today("u9")


async def test_an_app_id_is_chosen_once_and_belongs_to_one(world: World) -> None:
    people = world.service.people
    for name in ("u1", "u2"):
        await people.join(Visitor(name, f"{name}@example.com", name), BORN)
    await world.ask()
    with pytest.raises(AppIdNeeded):
        await world.answer("u1")
    assert (await people.choose_app_id("u1", "aoi")).app_id == "aoi"
    with pytest.raises(AppIdSet):
        await people.choose_app_id("u1", "aoi2")
    with pytest.raises(Taken):
        await people.choose_app_id("u2", "aoi")
    found, _ = await people.find("u2", "@Aoi")
    assert found.user_id == "u1"


async def test_two_want_one_app_id_at_once(world: World) -> None:
    people = world.service.people
    names = [f"u{number}" for number in range(6)]
    for name in names:
        await people.join(Visitor(name, f"{name}@example.com", name), BORN)
    results = await asyncio.gather(*(people.choose_app_id(name, "same") for name in names), return_exceptions=True)
    assert sum(not isinstance(one, BaseException) for one in results) == 1
    assert all(isinstance(one, Taken) for one in results if isinstance(one, BaseException))


async def test_a_user_name_changes_and_is_free_again(world: World) -> None:
    people = world.service.people
    await world.join("u1", "u2")
    await people.choose_username("u1", "Aoi")
    await people.choose_username("u1", "aoi")
    with pytest.raises(Taken):
        await people.choose_username("u2", "AOI")
    await people.choose_username("u1", "Aoi_new")
    assert (await people.choose_username("u2", "AOI")).username == "AOI"


async def test_profile_and_picture(world: World) -> None:
    people = world.service.people
    await world.join("u1", "u2")
    changed = await people.change("u1", Profile(display_name="葵 🌿", bio="一行目\n二行目", is_private=True))
    assert (changed.display_name, changed.bio, changed.is_private) == ("葵 🌿", "一行目\n二行目", True)
    assert (await people.change("u1", Profile(bio=""))).bio is None
    user = await people.set_picture("u1", png())
    assert user.profile_image_url is not None
    digest = user.profile_image_url.rpartition("/")[2]
    world.pass_time()
    assert (await people.picture("u2", "u1", digest)).content == drawn_anew(png())
    await people.remove_picture("u1")
    world.pass_time()
    with pytest.raises(NoSuchThing):
        await people.picture("u2", "u1", digest)


# Following


async def counts(world: World, name: str) -> tuple[int, int]:
    user = await world.user(name)
    return user.following_count, user.follower_count


async def test_follow_and_unfollow_move_both_counters(world: World) -> None:
    graph = world.service.graph
    await world.join("a", "b")
    assert await graph.follow("a", "b") == "following"
    assert (await counts(world, "a"), await counts(world, "b")) == ((1, 0), (0, 1))
    with pytest.raises(AlreadyFollowing):
        await graph.follow("a", "b")
    assert not await graph.mutual("a", "b")
    await graph.follow("b", "a")
    assert await graph.mutual("a", "b")
    await graph.unfollow("a", "b")
    with pytest.raises(NotFollowing):
        await graph.unfollow("a", "b")
    assert (await counts(world, "a"), await counts(world, "b")) == ((0, 1), (1, 0))
    with pytest.raises(Oneself):
        await graph.follow("a", "a")
    with pytest.raises(NoSuchUser):
        await graph.follow("a", "nobody")


async def test_a_private_account_is_asked(world: World) -> None:
    graph = world.service.graph
    await world.join("a", "b", "c")
    await world.service.people.change("b", Profile(is_private=True))
    assert await graph.follow("a", "b") == "requested"
    assert await graph.follow("c", "b") == "requested"
    assert await graph.standing("a", "b") == (True, False)
    assert [card.user.user_id for card in await graph.requests("b")] == ["a", "c"]
    assert await counts(world, "b") == (0, 0)
    with pytest.raises(Hidden):
        await graph.followers("a", "b")
    await graph.accept("b", "a")
    await graph.decline("b", "c")
    with pytest.raises(NoSuchThing):
        await graph.accept("b", "c")
    assert await counts(world, "b") == (0, 1)
    world.pass_time()
    assert [card.user.user_id for card in await graph.followers("a", "b")] == ["a"]
    assert await graph.follow("c", "b") == "requested"
    await graph.unfollow("c", "b")  # takes the request back
    assert await graph.standing("c", "b") == (False, False)


async def test_a_block_ends_everything_between_two(world: World) -> None:
    graph = world.service.graph
    await world.join("a", "b")
    await world.follow(("a", "b"), ("b", "a"))
    await graph.block("a", "b")
    await graph.block("a", "b")
    assert (await counts(world, "a"), await counts(world, "b")) == ((0, 0), (0, 0))
    assert await world.db.get_many([ref.consistent() for ref in design.mutual("a", "b")]) == [None, None]
    with pytest.raises(NoSuchUser):
        await graph.follow("b", "a")  # a is not there for b any more
    with pytest.raises(NoSuchUser):
        await world.service.people.show("b", "a")
    assert [card.user.user_id for card in await graph.blocked("a")] == ["b"]
    await graph.unblock("a", "b")
    assert await graph.follow("b", "a") == "following"


async def test_a_block_takes_requests_with_it(world: World) -> None:
    graph = world.service.graph
    await world.join("a", "b")
    await world.service.people.change("b", Profile(is_private=True))
    await graph.follow("a", "b")
    await graph.block("b", "a")
    assert await world.db.get(follow_requests("b", "a").consistent()) is None


async def test_a_block_during_a_race_of_follows_leaves_neither_edge(world: World) -> None:
    await world.join("a", "b")
    for _ in range(8):
        await asyncio.gather(
            world.service.graph.follow("a", "b"),
            world.service.graph.follow("b", "a"),
            world.service.graph.block("a", "b"),
            return_exceptions=True,
        )
        assert await world.db.get(blocks("a", "b").consistent()) is not None
        assert await world.db.get(follows("a", "b").consistent()) is None
        assert await world.db.get(follows("b", "a").consistent()) is None
        assert (await counts(world, "a"), await counts(world, "b")) == ((0, 0), (0, 0))
        await world.service.graph.unblock("a", "b")


async def test_a_follow_that_was_checked_before_a_block_does_not_go_through(world: World) -> None:
    """The transaction itself looks at both directions; nothing depends on what was read before."""
    await world.join("a", "b")
    made = Follow(follower_id="a", followee_id="b", created_at=days.now(world.clock))
    await world.service.graph.block("b", "a")
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
    await asyncio.gather(*(fair.service.graph.follow(name, star) for name in names))
    assert (await fair.user(star)).follower_count == 1000
    assert await fair.db.count(design.followers_of(star)) == 1000
    await asyncio.gather(*(fair.service.graph.unfollow(name, star) for name in names[:400]))
    assert (await fair.user(star)).follower_count == 600 == await fair.db.count(design.followers_of(star))


async def test_many_follow_at_once_on_every_store(world: World) -> None:
    names = [f"fan{number}" for number in range(25)]
    await world.join("star", *names)
    results = await asyncio.gather(
        *(world.service.graph.follow(name, "star") for name in names), return_exceptions=True
    )
    there = sum(one == "following" for one in results)
    assert there > 0
    world.pass_time()
    assert (await world.user("star")).follower_count == there == await world.db.count(design.followers_of("star"))


# Devices


async def test_a_device_goes_to_whoever_signed_in_last(world: World) -> None:
    devices = world.service.devices
    await world.join("a", "b")
    token = "ExponentPushToken[abc-123]"
    await devices.register("a", token, DeviceType.IOS)
    await devices.register("a", token, DeviceType.IOS)
    await devices.register("b", token, DeviceType.ANDROID)
    assert await world.db.get(push_tokens("a", token).consistent()) is None
    assert (await world.db.need(push_tokens("b", token).consistent())).device_type is DeviceType.ANDROID
    with pytest.raises(BadToken):
        await devices.register("a", "nonsense", DeviceType.IOS)
    with pytest.raises(NoSuchThing):
        await devices.forget("a", token)
    await devices.forget("b", token)
    await devices.register("a", token, DeviceType.IOS)
