"""Counters that differ from the edges are found and set right."""

from __future__ import annotations

import pytest

from sekkei.design import UniqueKey
from sekkei_systems.q.design.models import User
from sekkei_systems.q.design.tables import unique_keys, users
from sekkei_systems.q.refusals import NameReserved
from sekkei_systems.q.service.people import Profile, admin_names
from tests.systems.q.conftest import World, counted


async def test_wrong_counters_are_found_and_mended(world: World) -> None:
    await world.join("a", "b")
    await world.follow(("a", "b"))
    await world.db.write(users.update("b").set(User.follower_count, 7))
    world.pass_time()
    jobs = world.jobs()
    assert await jobs.counters.drift(await world.user("a")) is None
    drift = await jobs.counters.drift(await world.user("b"))
    assert drift is not None
    assert (drift["said_follower"], drift["follower"]) == (7, 1)
    await world.opened.context.jobs.start("reconcile", {}, id="reconcile/test")
    await world.settle()
    assert (await world.user("b")).follower_count == 7  # looked at twice before it is touched
    world.clock.advance(11 * 60)
    await world.settle()
    assert (await world.user("b")).follower_count == 1


async def test_a_counter_that_moves_is_not_mended(world: World) -> None:
    await world.join("a", "b", "c")
    await world.follow(("a", "b"))
    await world.db.write(users.update("b").set(User.follower_count, 7))
    world.pass_time()
    jobs = world.jobs()
    drift = await jobs.counters.drift(await world.user("b"))
    assert drift is not None
    await world.follow(("c", "b"))
    world.pass_time()
    await jobs.counters.recount(drift)
    assert (await world.user("b")).follower_count == 8


async def test_people_of_an_earlier_version_are_counted(world: World) -> None:
    """Those who were there before anybody counted, or while nobody read the stream."""
    await world.join("boss", "a", "b")
    await world.make_admin("boss")
    await world.service.leaving.ask("b")
    world.clock.advance(25 * 3600)  # the stream has forgotten them
    await world.opened.context.jobs.start("reconcile", {}, id="reconcile/test")
    await world.settle()
    shown = await world.service.numbers.show("boss")
    assert (shown.members, [one.joined for one in shown.cohorts if one.joined]) == (2, [3])


async def test_the_mark_of_an_administrators_name_is_made_anew(world: World) -> None:
    """An earlier version did not know that a kanji can look like a kana; no mark of it stays."""
    await world.join("boss", "a")
    await world.make_admin("boss")
    await world.service.people.change("boss", Profile(display_name="力ナ"))
    (mark,) = admin_names("力ナ")
    before = UniqueKey(value="ADMIN-NAME#力な", owner={"userId": "boss"})
    await world.db.transact(unique_keys.delete(mark), unique_keys.put(before))
    await world.opened.context.jobs.start("reconcile", {}, id="reconcile/test")
    await world.settle()
    with pytest.raises(NameReserved):
        await world.service.people.change("a", Profile(display_name="カナ"))
    assert await world.db.get(unique_keys(before.value).consistent()) is None


async def test_three_calls_look_at_somebody_whose_counters_agree(fair: World) -> None:
    """Every account is looked at every night: whom they follow, who follows them, and who asked to."""
    names = ("a", "b", "c", "d")
    await fair.join(*names)
    await fair.follow(("a", "b"), ("b", "a"), ("c", "a"))
    await fair.settle()
    with counted(fair) as calls:
        await fair.jobs().counters.reconcile({}, None)
    assert len(calls) == 1 + 3 * len(names)
