"""The timeline among many people is what going through everybody gives."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterator

import pytest

from sekkei.design import CursorRefused, Table
from sekkei.web.testing import Client
from sekkei_systems.q.design.models import ReactionType, Visibility
from sekkei_systems.q.design.tables import answers, users
from sekkei_systems.q.refusals import NoSuchAnswer
from sekkei_systems.q.service import timeline
from sekkei_systems.q.service.people import Profile
from tests.systems.q import crowd
from tests.systems.q.conftest import World, counted


async def whole(world: World) -> list[str]:
    found: list[str] = []
    after = None
    while True:
        page = await world.service.timelines.show(crowd.VIEWER, after=after, size=timeline.PAGE_MAX)
        found += [entry.author.user_id for entry in page.entries]
        after = page.cursor
        if after is None:
            assert (page.total, page.more) == (len(found), False)
            return found


async def test_fifteen_hundred_followees(fair: World) -> None:
    many = crowd.made(people=2_500, followees=1_500, now=crowd.NOW)
    await crowd.store(fair.db, many)
    found = many.timeline()
    assert len(found) > 900
    assert await whole(fair) == found
    with counted(fair) as calls:
        page = await fair.service.timelines.show(crowd.VIEWER, size=timeline.PAGE)
    assert ([entry.author.user_id for entry in page.entries], page.more) == (found[:20], True)
    assert timeline.PAGE < page.total <= timeline.JUDGED_AT_ONCE  # nobody is asked about more than a hundred authors
    assert len(calls) <= 15 + 10, calls  # the answers by their keys, and what everybody's timeline takes


@pytest.mark.parametrize("seed", range(4))
async def test_small_crowds(fair: World, seed: int) -> None:
    few = crowd.made(people=60, followees=seed * 20, now=crowd.NOW, seed=seed)
    await crowd.store(fair.db, few)
    assert await whole(fair) == few.timeline()


async def asked_of_answers(world: World, times: int = 1) -> list[tuple[str, int]]:
    """What is asked of the table of answers for one timeline: the operation, and how many items at most."""
    table = world.db.table_name(answers.table)
    asked: list[tuple[str, int]] = []
    call = world.db.store.call

    async def spy(operation: str, request: dict, *more: object) -> dict:  # type: ignore[type-arg]
        if operation == "BatchGetItem" and table in request["RequestItems"]:
            asked.append((operation, len(request["RequestItems"][table]["Keys"])))
        elif request.get("TableName") == table:
            asked.append((operation, request.get("Limit", 1)))
        return await call(operation, request, *more)

    world.db.store.call = spy  # type: ignore[method-assign, assignment]
    try:
        for _ in range(times):
            asked.clear()
            await world.service.timelines.show(crowd.VIEWER)
    finally:
        world.db.store.call = call  # type: ignore[method-assign]
    return sorted(asked)


async def test_on_a_full_day_answers_are_read_by_their_keys(fair: World) -> None:
    """The day is tried once, no further than there are followees; then it is known to be full."""
    many = crowd.made(people=400, followees=150, now=crowd.NOW)
    await crowd.store(fair.db, many)
    by_key = [("BatchGetItem", 50), ("BatchGetItem", 100), ("GetItem", 1)]
    assert await asked_of_answers(fair) == [*by_key, ("Query", 150)]
    assert await asked_of_answers(fair) == by_key
    assert await whole(fair) == many.timeline()


async def test_while_few_have_answered_the_day_is_read_instead(fair: World) -> None:
    few = crowd.made(people=400, followees=350, now=crowd.NOW, answering=0.1)
    assert 10 < len(few.timeline()) < 100
    await crowd.store(fair.db, few)
    assert await asked_of_answers(fair, times=2) == [("GetItem", 1), ("Query", 350)]
    assert await whole(fair) == few.timeline()


async def test_the_order_is_on_time_first_then_the_earlier(world: World) -> None:
    names = ["a", "b", "c", "d"]
    await world.join("me", *names)
    await world.follow(*(("me", name) for name in names))
    await world.ask()
    await world.answer("c")
    world.clock.advance(60)
    await world.answer("me")
    await world.answer("a")
    world.clock.advance(40 * 60)
    await world.answer("d")
    world.clock.advance(60)
    await world.answer("b")
    world.pass_time()
    assert await world.seen("me") == ["c", "a", "me", "d", "b"]
    first = await world.service.timelines.show("me", size=2)
    second = await world.service.timelines.show("me", after=first.cursor, size=2)
    third = await world.service.timelines.show("me", after=second.cursor, size=2)
    found = [entry.author.user_id for page in (first, second, third) for entry in page.entries]
    assert (found, third.cursor, first.total) == (["c", "a", "me", "d", "b"], None, 5)
    with pytest.raises(CursorRefused):
        await world.service.timelines.show("a", after=first.cursor)


async def test_answer_first_hides_the_others_until_one_has(world: World) -> None:
    await world.join("me", "a")
    await world.follow(("me", "a"))
    await world.service.people.change("me", Profile(answers_first=True))
    await world.ask()
    await world.answer("a")
    world.pass_time()
    locked = await world.service.timelines.show("me")
    assert (locked.locked, locked.entries, locked.total) == (True, [], 1)
    await world.answer("me")
    assert sorted(await world.seen("me")) == ["a", "me"]


async def test_twenty_answers_cost_a_dozen_store_calls_at_most(site: tuple[Client, World]) -> None:
    client, world = site
    names = [f"user{n:02}" for n in range(24)]
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", *names, visibility=Visibility.MUTUAL)
    day = (await world.ask()).day
    for name in names:
        await world.follow(("demo-aoi", name), (name, "demo-aoi"))
        await world.answer(name)
    await world.answer("demo-aoi")
    for name in names:
        await world.service.reactions.react("demo-aoi", day, name, ReactionType.FIRE)
        await world.service.reactions.react(name, day, "demo-aoi", ReactionType.HEART)
    with counted(world) as calls:
        page = (await client.json("GET", "/q/api/timeline")).json()
    shown = {one["author"]["userId"]: one["reactions"] for one in page["items"]}
    assert (len(shown), shown.pop("demo-aoi")["counts"]) == (20, {"❤️": 24})
    assert {one["mine"] for one in shown.values()} == {"🔥"}
    assert len(calls) <= 12, calls


@contextlib.contextmanager
def just_before(world: World, first: str, table: Table, doing: Callable[[], Awaitable[None]]) -> Iterator[None]:
    """Somebody does something when this is about to be asked of a table for the first time."""
    call, name, done = world.db.store.call, world.db.table_name(table), []

    async def spy(operation: str, request: dict, *more: object) -> dict:  # type: ignore[type-arg]
        if not done and operation == first and name in str(request):
            done.append(operation)
            await doing()
        return await call(operation, request, *more)

    world.db.store.call = spy  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        world.db.store.call = call  # type: ignore[method-assign]
    assert done


async def test_an_author_who_opens_up_after_a_reader_has_gone_is_not_shown_to_them(fair: World) -> None:
    """Though the reader had begun to look before; at no moment were they among those for whom it was opened."""
    await fair.join("aoi", "ren")
    await fair.follow(("aoi", "ren"))
    await fair.service.people.change("ren", Profile(visibility_type=Visibility.MUTUAL))
    await fair.ask()
    await fair.answer("ren")

    async def goes_and_opens() -> None:
        await fair.service.following.unfollow("aoi", "ren")
        await fair.service.people.change("ren", Profile(visibility_type=Visibility.FOLLOWERS))

    with just_before(fair, "BatchGetItem", users.table, goes_and_opens):
        assert await fair.seen("aoi") == []


async def test_an_answer_written_for_others_is_not_shown_to_whoever_was_looking(fair: World) -> None:
    """The author removed them before they wrote it."""
    await fair.join("aoi", "ren")
    await fair.follow(("aoi", "ren"))
    day = (await fair.ask()).day

    async def removes_and_answers() -> None:
        await fair.service.following.remove_follower("ren", "aoi")
        await fair.answer("ren")

    with just_before(fair, "GetItem", answers.table, removes_and_answers), pytest.raises(NoSuchAnswer):
        await fair.service.sight.answer("aoi", day, "ren")
