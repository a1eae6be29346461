"""Suggestions, contacts and invites."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sekkei.design import Database
from sekkei_systems.q import design
from sekkei_systems.q.design.models import Follow, Invite, User
from sekkei_systems.q.design.tables import contacts, follow_requests, follows, invites, users
from sekkei_systems.q.refusals import (
    FindableNeeded,
    InvitesFull,
    NoSuchThing,
    NoSuchUser,
    Oneself,
    TakenAlready,
    TooManyContacts,
)
from sekkei_systems.q.service.finding import A_DAY, AT_ONCE, FRIENDS_READ, GOOD_FOR, LINKS_MAX, SHOWN, USES, hashed
from sekkei_systems.q.service.people import Profile
from tests.lost import answer_lost
from tests.systems.q.conftest import World, counted

# Friends of friends: who is suggested, who never is, and what it costs.


async def suggested(world: World, who: str) -> dict[str, int]:
    world.pass_time()  # friends' lists may be a moment behind
    return {one.card.user.user_id: one.through for one in await world.service.suggestions.show(who)}


async def test_whom_ones_friends_follow(world: World) -> None:
    await world.join("me", "one", "two", "often", "once", "known", "stranger")
    await world.follow(("me", "one"), ("me", "two"), ("me", "known"), ("one", "me"))
    await world.follow(("one", "often"), ("two", "often"), ("one", "once"), ("two", "known"), ("stranger", "me"))
    assert await suggested(world, "me") == {"often": 2, "once": 1}
    assert list(await suggested(world, "me")) == ["often", "once"]


async def test_nobody_whom_sight_forbids_and_nobody_unwanted(world: World) -> None:
    others = ("blocks", "blocked", "muted", "asked", "leaving", "banned", "private")
    await world.join("boss", "me", "friend", *others)
    await world.make_admin("boss")
    await world.follow(("me", "friend"), *(("friend", one) for one in others))
    await world.service.people.change("asked", Profile(is_private=True))
    await world.service.people.change("private", Profile(is_private=True, bio="for followers"))
    await world.service.following.block("blocks", "me")
    await world.service.following.block("me", "blocked")
    await world.service.following.mute("me", "muted")
    await world.service.following.follow("me", "asked")
    await world.service.leaving.ask("leaving")
    await world.ban("banned")
    assert await suggested(world, "me") == {"private": 1}


async def test_through_nobody_whose_list_one_may_not_see(world: World) -> None:
    """Whoever is banned or leaves is not there, and neither is whom they follow."""
    await world.join("boss", "me", "friend", "other")
    await world.make_admin("boss")
    await world.follow(("me", "friend"), ("friend", "other"))
    await world.ban("friend")
    assert await suggested(world, "me") == {}
    await world.unban("friend")
    assert await suggested(world, "me") == {"other": 1}


async def test_the_cost_has_a_limit(fair: World) -> None:
    friends, far = [f"friend{n}" for n in range(10)], [f"far{n}" for n in range(20)]
    await fair.join("me", *friends, *far)
    await fair.follow(*(("me", one) for one in friends), *((one, other) for one in friends for other in far))
    with counted(fair) as calls:
        found = await suggested(fair, "me")
    assert len(found) == SHOWN
    assert set(found.values()) == {FRIENDS_READ}
    assert len(calls) <= 17, calls


# Found by an address: only where both want it, and nothing can be tried out.


DAY = 24 * 3600


async def found(world: World, who: str, *addresses: str) -> list[str]:
    cards = await world.service.contacts.find(who, [hashed(one) for one in addresses])
    return sorted(one.user.user_id for one in cards)


async def test_both_must_want_it(world: World) -> None:
    await world.join("a", "b", "shy")
    await world.service.contacts.be_findable("b", True)
    with pytest.raises(FindableNeeded):
        await found(world, "a", "b@example.com")
    await world.service.contacts.be_findable("a", True)
    asked = (" B@Example.com", "shy@example.com", "a@example.com", "nobody@example.com")
    assert await found(world, "a", *asked) == ["b"]
    await world.service.contacts.be_findable("b", False)
    assert await found(world, "a", *asked) == []


async def test_sight_comes_first(world: World) -> None:
    others = ("blocks", "blocked", "banned", "leaving")
    await world.join("boss", "a", *others)
    await world.make_admin("boss")
    for name in ("a", *others):
        await world.service.contacts.be_findable(name, True)
    await world.service.following.block("blocks", "a")
    await world.service.following.block("a", "blocked")
    await world.ban("banned")
    await world.service.leaving.ask("leaving")
    assert await found(world, "a", *(f"{one}@example.com" for one in others)) == []


async def test_so_many_a_day(world: World) -> None:
    await world.join("a", "b")
    for name in ("a", "b"):
        await world.service.contacts.be_findable(name, True)
    for turn in range(A_DAY // AT_ONCE):
        assert await found(world, "a", *(f"{turn}-{n}@example.com" for n in range(AT_ONCE))) == []
    with pytest.raises(TooManyContacts):
        await found(world, "a", "b@example.com")
    world.clock.advance(DAY)
    assert await found(world, "a", "b@example.com") == ["b"]


async def test_the_table_tells_nobodys_address_and_forgets_who_left(fair: World) -> None:
    await fair.join("a", "b")
    await fair.service.contacts.be_findable("a", True)
    (row,) = await fair.db.all(contacts.scan())
    assert row.address not in (hashed("a@example.com"), "a@example.com")
    assert row.address == fair.proven.contacts.keys("A@example.com ")[0]
    await fair.service.leaving.ask("a")
    fair.clock.advance(8 * DAY)
    for _ in range(10):
        await fair.settle()
    assert await fair.db.all(contacts.scan().consistent()) == []


# Links that invite: both follow each other, once, within limits, and never across a block.


@pytest.fixture
async def town(world: World) -> World:
    await world.join("host", "guest")
    return world


async def link(world: World, who: str = "host") -> str:
    token, _ = await world.service.invites.make(who)
    return str(token)


async def edges(db: Database) -> set[tuple[str, str]]:
    found: list[Follow] = await db.all(follows.scan().consistent())
    return {(one.follower_id, one.followee_id) for one in found}


async def counts(world: World, name: str) -> tuple[int, int]:
    user = await world.user(name)
    return user.following_count, user.follower_count


async def test_a_link_is_made_although_the_answer_was_lost_and_it_was_used_since(town: World) -> None:
    async def used() -> None:
        (there,) = await town.db.all(invites.scan().consistent())
        await town.db.write(invites.update(there.invite_id).add(Invite.uses_left, -1))

    with answer_lost(town.db, used):
        token = await link(town)
    assert await town.service.invites.take("guest", token) == "following"


async def test_both_follow_and_both_counters_move(town: World) -> None:
    token = await link(town)
    assert (await town.service.invites.open("guest", token)).inviter.user_id == "host"
    assert await town.service.invites.take("guest", token) == "following"
    assert await edges(town.db) == {("host", "guest"), ("guest", "host")}
    assert [await counts(town, name) for name in ("host", "guest")] == [(1, 1), (1, 1)]
    with pytest.raises(TakenAlready):
        await town.service.invites.take("guest", token)
    await town.service.following.unfollow("host", "guest")
    with pytest.raises(TakenAlready):  # it does not bring back whom the host has left
        await town.service.invites.take("guest", token)


async def test_one_way_that_is_there_stays(town: World) -> None:
    await town.follow(("guest", "host"))
    await town.service.invites.take("guest", await link(town))
    assert [await counts(town, name) for name in ("host", "guest")] == [(1, 1), (1, 1)]


@pytest.mark.parametrize("private", ["host", "guest"])
async def test_a_private_account_is_asked(town: World, private: str) -> None:
    other = "guest" if private == "host" else "host"
    await town.service.people.change(private, Profile(is_private=True))
    outcome = await town.service.invites.take("guest", await link(town))
    assert outcome == ("requested" if private == "host" else "following")
    assert await edges(town.db) == {(private, other)}
    assert await town.db.get(follow_requests(private, other).consistent()) is not None
    assert [await counts(town, name) for name in (private, other)] == [(1, 0), (0, 1)]


@pytest.mark.parametrize("private", ["host", "guest"])
async def test_who_becomes_private_at_this_moment_is_asked(
    town: World, private: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, person, token = "guest" if private == "host" else "host", town.proven.sight.person, await link(town)

    async def read_before(viewer: str, whom: str) -> Any:
        found = await person(viewer, whom)
        await town.db.write(users.update(private).set(User.is_private, True))
        return found

    monkeypatch.setattr(town.proven.sight, "person", read_before)
    outcome = await town.service.invites.take("guest", token)
    assert outcome == ("requested" if private == "host" else "following")
    assert await edges(town.db) == {(private, other)}
    assert await town.db.get(follow_requests(private, other).consistent()) is not None


@pytest.mark.parametrize(("blocker", "blocked"), [("host", "guest"), ("guest", "host")])
async def test_never_across_a_block(town: World, blocker: str, blocked: str) -> None:
    token = await link(town)
    await town.service.following.block(blocker, blocked)
    with pytest.raises((NoSuchUser, NoSuchThing)):
        await town.service.invites.take("guest", token)
    assert await edges(town.db) == set()
    await town.service.following.unblock(blocker, blocked)
    await town.service.invites.take("guest", token)  # who blocked asks before following again
    assert await edges(town.db) == {(blocked, blocker)}


async def test_links_end(town: World) -> None:
    token = await link(town)
    for wrong in ("", "x" * 32, "0" * 32, token.upper() + "0"):
        with pytest.raises(NoSuchThing):
            await town.service.invites.open("guest", wrong)
    with pytest.raises(Oneself):
        await town.service.invites.take("host", token)
    town.pass_time()
    (mine,) = await town.service.invites.mine("host")
    with pytest.raises(NoSuchThing):
        await town.service.invites.end("guest", mine.invite_id)
    await town.service.invites.end("host", mine.invite_id)
    with pytest.raises(NoSuchThing):
        await town.service.invites.take("guest", token)
    late = await link(town)
    town.clock.advance(GOOD_FOR.total_seconds() + 1)
    with pytest.raises(NoSuchThing):
        await town.service.invites.take("guest", late)
    assert await town.proven.invites.inviter(late) is None


async def test_limits(fair: World) -> None:
    await fair.join("host", *(f"guest{n}" for n in range(USES + 2)))
    token = await link(fair)
    taken = await asyncio.gather(
        *(fair.service.invites.take(f"guest{n}", token) for n in range(USES + 2)), return_exceptions=True
    )
    assert sum(one == "following" for one in taken) == USES
    assert all(one == "following" or isinstance(one, NoSuchThing) for one in taken)
    assert await counts(fair, "host") == (USES, USES)
    for _ in range(LINKS_MAX):
        await link(fair)
    with pytest.raises(InvitesFull):
        await link(fair)


async def test_nothing_of_a_link_is_stored_and_it_leaves_with_its_maker(fair: World) -> None:
    await fair.join("boss", "host", "guest")
    await fair.make_admin("boss")
    token = await link(fair)
    await fair.service.invites.take("guest", token)
    (stored,) = await fair.db.all(invites.scan())
    assert token not in repr(stored)
    assert "guest" not in repr(stored)
    assert (await fair.proven.invites.inviter(token)).display_name == "Host"  # type: ignore[union-attr]
    await fair.ban("host")
    assert await fair.proven.invites.inviter(token) is None
    with pytest.raises(NoSuchUser):
        await fair.service.invites.open("guest", token)
    await fair.unban("host")
    await fair.service.leaving.ask("host")
    fair.clock.advance(8 * 24 * 3600)
    for _ in range(10):
        await fair.settle()
    assert await fair.db.get(users("host").consistent()) is None
    assert await fair.db.all(design.invites_of("host")) == []
