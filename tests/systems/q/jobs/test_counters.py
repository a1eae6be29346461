"""Counters that differ from the edges are found and set right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from sekkei.design import Database, TransactionFailed
from sekkei.runtime import days
from sekkei_systems.q import design
from sekkei_systems.q.design.models import AdminAction, Block, Follow, User
from sekkei_systems.q.design.tables import follows, unique_keys, users
from sekkei_systems.q.refusals import NameReserved, NotFollowing
from sekkei_systems.q.rules import times
from sekkei_systems.q.service.people import Profile, admin_names
from sekkei_systems.q.service.sanctions import COUNT_BANNED
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
    """A mark that is missing is there again after a night. A kanji can look like a kana."""
    await world.join("boss", "a")
    await world.make_admin("boss")
    await world.service.people.change("boss", Profile(display_name="力ナ"))
    (mark,) = admin_names("力ナ")
    await world.db.transact(unique_keys.delete(mark))
    await world.opened.context.jobs.start("reconcile", {}, id="reconcile/test")
    await world.settle()
    with pytest.raises(NameReserved):
        await world.service.people.change("a", Profile(display_name="カナ"))


async def test_three_calls_look_at_somebody_whose_counters_agree(fair: World) -> None:
    """Every account is looked at every night: whom they follow, who follows them, and who asked to."""
    names = ("a", "b", "c", "d")
    await fair.join(*names)
    await fair.follow(("a", "b"), ("b", "a"), ("c", "a"))
    await fair.settle()
    with counted(fair) as calls:
        await fair.jobs().counters.reconcile({}, None)
    assert len(calls) == 1 + 3 * len(names)


# Whoever is banned is not in others' counters until the ban ends, whatever happens to the edges meanwhile.


WEEK = timedelta(days=7, minutes=1).total_seconds()


async def counts(world: World, *names: str) -> list[tuple[int, int]]:
    """Following and followers of each."""
    return [(user.following_count, user.follower_count) for user in [await world.user(name) for name in names]]


async def edge_of(world: World, follower: str, followee: str) -> Follow:
    return await world.db.need(follows(follower, followee).consistent())


async def check_recount(world: World, *names: str) -> None:
    world.pass_time()
    jobs = world.jobs()
    assert [await jobs.counters.drift(await world.user(name)) for name in names] == [None] * len(names)


async def friends(world: World) -> None:
    """a and b follow each other, and c follows a."""
    await world.join("a", "b", "c", "boss")
    await world.make_admin("boss")
    await world.follow(("a", "b"), ("b", "a"), ("c", "a"))
    world.pass_time()


async def test_a_ban_takes_out_of_counters_and_its_end_puts_back(world: World) -> None:
    await friends(world)
    await world.ban("a")
    await world.settle()
    assert await counts(world, "a", "b", "c") == [(1, 2), (0, 0), (0, 0)]
    await check_recount(world, "a", "b", "c")
    await world.unban("a")
    await world.settle()
    assert await counts(world, "a", "b", "c") == [(1, 2), (1, 1), (1, 0)]
    await check_recount(world, "a", "b", "c")
    edge = await edge_of(world, "a", "b")
    assert (edge.follower_banned, edge.followee_banned) == (None, None)


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
async def test_both_sides_banned_and_back_in_each_order(world: World, order: tuple[str, str]) -> None:
    await friends(world)
    await world.ban("a")
    await world.settle()
    await world.ban("b")
    await world.settle()
    assert await counts(world, "a", "b", "c") == [(0, 1), (0, 0), (0, 0)]
    await check_recount(world, "a", "b", "c")
    for name in order:
        await world.unban(name)
        await world.settle()
        await check_recount(world, "a", "b", "c")
    assert await counts(world, "a", "b", "c") == [(1, 2), (1, 1), (1, 0)]


async def test_the_last_of_several_decisions_holds(world: World) -> None:
    await friends(world)
    await world.ban("a")
    await world.unban("a")
    await world.ban("a")
    await world.settle()
    assert await counts(world, "b", "c") == [(0, 0), (0, 0)]
    await world.unban("a")
    await world.ban("a")
    await world.unban("a")
    await world.settle()
    assert await counts(world, "b", "c") == [(1, 1), (1, 0)]
    await check_recount(world, "a", "b", "c")


async def test_a_mark_that_comes_late_is_refused(world: World) -> None:
    """A worker that read the ban and slept until it was over changes nothing."""
    await friends(world)
    edge = await edge_of(world, "c", "a")
    await world.ban("a")
    await world.unban("a")
    with pytest.raises(TransactionFailed):
        await world.db.transact(design.count_banned(edge, "a", True))
    assert await counts(world, "c") == [(1, 0)]
    assert (await edge_of(world, "c", "a")).followee_banned is None


async def test_a_mark_that_two_workers_make_counts_once(world: World) -> None:
    await friends(world)
    edge = await edge_of(world, "c", "a")
    await world.db.write(users.update("a").set(User.is_banned, True))
    await world.db.transact(design.count_banned(edge, "a", True))
    with pytest.raises(TransactionFailed):
        await world.db.transact(design.count_banned(edge, "a", True))
    assert await counts(world, "c") == [(0, 0)]


async def test_the_job_done_again_changes_nothing(world: World) -> None:
    await friends(world)
    await world.ban("a")
    await world.settle()
    (entry,) = await world.service.logs.page("boss", action=AdminAction.BAN_USER)
    payload = {"timestamp": entry.timestamp.isoformat(), "log_id": entry.log_id}
    steps = dict(world.opened.parts.jobs[COUNT_BANNED].steps)
    for name in ("follows-out", "follows-in"):
        assert (await steps[name](payload, None)).done == 0
    assert await counts(world, "a", "b", "c") == [(1, 2), (0, 0), (0, 0)]


async def test_a_job_cut_off_anywhere_goes_on(fair: World) -> None:
    """Every step is done, and its end never written down, before it is done for good."""
    names = [f"fan{number}" for number in range(60)]
    await fair.join("a", "boss", *names)
    await fair.make_admin("boss")
    await fair.follow(*((name, "a") for name in names), *(("a", name) for name in names))
    await fair.ban("a")
    (entry,) = await fair.service.logs.page("boss", action=AdminAction.BAN_USER)
    definitions, jobs, id = fair.opened.parts.jobs, fair.opened.context.jobs, f"{COUNT_BANNED}/{entry.log_id}"
    steps = definitions[COUNT_BANNED].steps
    while not (run := await jobs.get(id)).finished:  # type: ignore[union-attr]
        assert run is not None
        await dict(steps)[run.step or steps[0][0]](run.payload, run.cursor)
        await jobs.run_once(definitions)
    assert await counts(fair, "a", *names) == [(60, 60)] + [(0, 0)] * 60


async def test_whom_the_index_did_not_show_yet_is_found_later(world: World) -> None:
    await friends(world)
    await world.ban("a")
    await world.settle()
    await world.db.transact(  # as if the job had not seen this edge
        follows.update("c", "a").remove(Follow.followee_banned), users.update("c").add(User.following_count, 1)
    )
    world.clock.advance(times.RECOUNT_AFTER.total_seconds())
    await world.settle()
    assert await counts(world, "c") == [(0, 0)]
    await check_recount(world, "a", "b", "c")


async def test_no_longer_following_somebody_banned(world: World) -> None:
    await friends(world)
    await world.ban("a")
    await world.settle()
    await world.service.following.unfollow("b", "a")
    await world.service.following.remove_follower("b", "a")
    assert await counts(world, "a", "b") == [(0, 1), (0, 0)]
    with pytest.raises(NotFollowing):
        await world.service.following.unfollow("b", "a")
    await world.unban("a")
    await world.settle()
    assert await counts(world, "a", "b", "c") == [(0, 1), (0, 0), (1, 0)]
    await check_recount(world, "a", "b", "c")


async def test_an_edge_that_changed_since_it_was_read_stays(world: World) -> None:
    await friends(world)
    read = await edge_of(world, "b", "a")
    await world.ban("a")
    await world.settle()
    made = Block(blocker_id="b", blocked_id="a", created_at=days.now(world.clock))
    for stale in (design.unfollow(read), design.block(made, read, await edge_of(world, "a", "b"))):
        with pytest.raises(TransactionFailed):
            await world.db.transact(stale)
    assert await counts(world, "a", "b") == [(1, 2), (0, 0)]


async def test_a_block_of_somebody_banned(world: World) -> None:
    """Who is banned cannot be found to be blocked; a block that was on its way, or comes before the job, can be."""
    await friends(world)
    await world.ban("a")
    await world.settle()
    made = Block(blocker_id="b", blocked_id="a", created_at=days.now(world.clock))
    edges = [await edge_of(world, "b", "a"), await edge_of(world, "a", "b")]
    await world.db.transact(design.block(made, *edges))
    assert await counts(world, "a", "b") == [(0, 1), (0, 0)]
    await world.unban("a")
    await world.service.following.block("c", "a")  # its edge still says that a is banned
    assert await counts(world, "a", "c") == [(0, 0), (0, 0)]
    await world.settle()
    assert await counts(world, "a", "b", "c") == [(0, 0), (0, 0), (0, 0)]
    await check_recount(world, "a", "b", "c")


@pytest.mark.parametrize(("banned", "left"), [("a", [(1, 1), (1, 1)]), ("b", [(1, 1), (0, 0)])])
async def test_somebody_leaves_when_one_of_two_is_banned(
    world: World, banned: str, left: list[tuple[int, int]]
) -> None:
    await friends(world)
    await world.follow(("b", "c"), ("c", "b"))
    await world.service.leaving.ask("a")
    await world.ban(banned)
    await world.settle()
    world.clock.advance(WEEK)
    for _ in range(40):
        await world.settle()
        if await world.db.get(users("a").consistent()) is None:
            break
    assert await world.db.get(users("a").consistent()) is None
    assert await counts(world, "b", "c") == left
    await check_recount(world, "b", "c")


@contextmanager
def ban_in_between(world: World, banned: str, edge: tuple[str, str]) -> Iterator[None]:
    """Somebody is banned and an edge marked, after it was read and before the next transaction."""
    transact, waiting = world.db.transact, [edge]

    async def late(_: Database, *actions: Any) -> None:
        while waiting:
            found = await edge_of(world, *waiting.pop())
            await world.db.write(users.update(banned).set(User.is_banned, True))
            await transact(design.count_banned(found, banned, True))
        await transact(*actions)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "transact", late)
        yield
    assert not waiting


async def test_a_ban_during_a_withdrawal_loses_no_count(fair: World, caplog: pytest.LogCaptureFixture) -> None:
    await friends(fair)
    steps = dict(fair.opened.parts.jobs["withdraw"].steps)
    with ban_in_between(fair, "b", ("a", "b")):
        await steps["follows-out"]({"user_id": "a"}, None)
    assert await counts(fair, "a", "b") == [(0, 2), (1, 0)]
    assert "without its counters" not in caplog.text


async def test_a_ban_during_an_unfollow_loses_no_count(fair: World) -> None:
    await friends(fair)
    with ban_in_between(fair, "a", ("c", "a")):
        await fair.service.following.remove_follower("a", "c")
    assert await counts(fair, "a", "c") == [(1, 1), (0, 0)]
    assert await fair.db.get(follows("c", "a").consistent()) is None


async def test_a_ban_during_a_block_loses_no_count(fair: World) -> None:
    await friends(fair)
    with ban_in_between(fair, "a", ("c", "a")):
        await fair.service.following.block("c", "a")
    assert await counts(fair, "a", "c") == [(1, 1), (0, 0)]
