"""Found by an address: only where both want it, and nothing can be tried out."""

from __future__ import annotations

import pytest

from sekkei_systems.q.design.tables import contacts
from sekkei_systems.q.refusals import FindableNeeded, TooManyContacts
from sekkei_systems.q.service.finding import A_DAY, AT_ONCE, hashed
from tests.systems.q.conftest import World

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
    await world.service.graph.block("blocks", "a")
    await world.service.graph.block("a", "blocked")
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
