"""Friends of friends: who is suggested, who never is, and what it costs."""

from __future__ import annotations

from sekkei_systems.q.service.finding import FRIENDS_READ, SHOWN
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World, counted


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
    await world.service.graph.block("blocks", "me")
    await world.service.graph.block("me", "blocked")
    await world.service.graph.mute("me", "muted")
    await world.service.graph.follow("me", "asked")
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
