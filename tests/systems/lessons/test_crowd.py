"""A crowd at opening hour: places are exact, counted in the raw table."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.refusals import Refusal
from sekkei.store import Embedded
from sekkei.web.limits import WRITES
from sekkei.web.testing import opened, test_settings
from sekkei_fakes.studio.system import State
from sekkei_systems.lessons.design import lessons_table, user_lessons_table
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.system import SYSTEM
from tests.systems.lessons.service.test_reservations import Both, both_sides
from tests.systems.lessons.steps import add_lesson
from tests.systems.lessons.world import LESSON, NOON

PLACES, CLIENTS = 5, 200


async def rows(both: Both, table: Any) -> list[dict[str, Any]]:
    """As they are stored, without the design in between."""
    world, found, after = both.world, [], {}
    while True:
        request = {"TableName": world.db.table_name(table), "ConsistentRead": True, **after}
        answer = await world.db.store.call("Scan", request)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        after = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


async def exact(both: Both) -> int:
    """Bookings in the raw table, which are also the lesson's counter and what the studio has sold to us."""
    ties = await rows(both, user_lessons_table)
    bookings = [one for one in ties if one["type"] == {"S": "booking"} and one["status"] == {"S": "active"}]
    (lesson,) = [one for one in await rows(both, lessons_table) if one.get("kind") == {"S": "lesson"}]
    sold = {key for key, one in both.system.reservations.items() if one.state is State.SOLD}
    assert {one["reservationId"]["S"] for one in bookings} == sold
    assert lesson["bookedHere"] == {"N": str(len(bookings))}
    assert len(bookings) + both.system.lessons[str(LESSON)].counter <= PLACES
    return len(bookings)


@pytest.mark.parametrize("clients", [40, pytest.param(CLIENTS, marks=pytest.mark.torture)])
async def test_a_crowd_books_and_cancels_here_and_at_the_studio_at_once(clients: int) -> None:
    """Half of them cancel what they got and try again, while the studio's own counter sells and takes back."""
    clock, dice = ManualClock(NOON), random.Random(clients)
    store = Embedded(clock=clock)
    both = await both_sides(store, clock, PLACES, sellers=Sellers(ports=frozenset({"gnz"})))

    async def client(number: int) -> None:
        user = f"user{number}"
        for _ in range(3):
            await asyncio.sleep(0)
            try:
                await both.world.book(user, LESSON)
            except Refusal:
                continue
            if number % 2:
                await both.world.cancel(user, LESSON)

    async def counter() -> None:
        for _ in range(clients):
            await asyncio.sleep(0)
            if dice.random() < 0.5:
                both.system.sell(str(LESSON))
            else:
                both.system.give_back(str(LESSON))
            assert both.system.taken(str(LESSON)) <= PLACES

    await asyncio.gather(*(client(number) for number in range(clients)), counter())
    await both.settle()
    await exact(both)
    while both.system.lessons[str(LESSON)].counter:
        both.system.give_back(str(LESSON))
    for number in range(clients):
        try:
            await both.world.book(f"late{number}", LESSON)
        except Refusal:
            break
    assert await exact(both) == PLACES
    await store.close()


async def test_members_at_one_address_do_not_refuse_each_other(clock: ManualClock) -> None:
    """At opening hour a whole studio writes from its own network; no time passes in which buckets could fill up."""
    settings = test_settings(values={"rate_limit": "on"})
    async with opened(SYSTEM, settings=settings, clock=clock) as client:
        await client.sign_in(DEMO_PEOPLE[0].id)
        await add_lesson(client, capacity="40")
        writes = int(WRITES.burst) // len(DEMO_PEOPLE) + 10
        for person in DEMO_PEOPLE:
            member = client.another()
            await member.sign_in(person.id)
            statuses = {
                (await member.json("PUT", f"/lessons/api/me/favorites/{LESSON}", {})).status for _ in range(writes)
            }
            assert statuses == {200}, person.id
        assert writes * len(DEMO_PEOPLE) > WRITES.burst
