from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.store import Store
from sekkei_systems.lessons import refusals
from sekkei_systems.lessons.design import Lesson, Status, TieKind, lessons
from sekkei_systems.lessons.rules.policy import Fairness, Policy
from sekkei_systems.lessons.rules.studios import Sellers
from sekkei_systems.lessons.rules.waitlist import Wishes
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.passes import Entitlements
from tests.systems.lessons.service.test_rulebook import rules
from tests.systems.lessons.steps import booked, tie
from tests.systems.lessons.world import LESSON, STAFF, World, open_world


async def test_registering_again_after_cancelling_works(world: World) -> None:
    await world.lesson(capacity=0)
    first = await world.join("hana", LESSON)
    with pytest.raises(refusals.AlreadyRegistered):
        await world.join("hana", LESSON)
    await world.leave("hana", LESSON)
    with pytest.raises(refusals.NoSuchTie):
        await world.leave("hana", LESSON)
    again = await world.join("hana", LESSON)
    assert again.waitlist_id != first.waitlist_id
    found = await tie(world, "hana", TieKind.WAITLIST)
    assert found is not None
    assert found.status is Status.ACTIVE


async def test_the_queue_has_the_order_of_registration(world: World) -> None:
    await world.lesson(capacity=0)
    for number in (3, 1, 2):
        await world.join(f"u{number}", LESSON)
        world.clock.advance(0.01)
        assert (await world.view(f"u{number}", LESSON)).position is not None, "known at once, index or not"
    world.settle()
    assert [entry.user_id for entry in await world.queue(LESSON)] == ["u3", "u1", "u2"]
    assert (await world.view("u2", LESSON)).position == 3
    await world.leave("u1", LESSON)
    assert (await world.view("u1", LESSON)).position is None


async def test_who_gave_a_place_from_the_waitlist_back_may_wait_again(world: World) -> None:
    await world.lesson(capacity=1)
    await world.book("ren", LESSON)
    await world.join("hana", LESSON)
    await world.cancel("ren", LESSON)
    await world.book("hana", LESSON)
    await world.cancel("hana", LESSON)
    await world.book("ren", LESSON)
    await world.join("hana", LESSON)
    waiting = await tie(world, "hana", TieKind.WAITLIST)
    assert waiting is not None
    assert waiting.status is Status.ACTIVE


async def test_nobody_waits_for_what_they_have_booked(world: World) -> None:
    await world.lesson(capacity=40)
    users = [f"u{number}" for number in range(20)]

    async def fill(user: str) -> None:
        await asyncio.gather(world.book(user, LESSON), world.join(user, LESSON), return_exceptions=True)

    update = lessons.update(LESSON.studio_code, LESSON.lesson_date, LESSON.start_time)
    await world.db.write(update.set(Lesson.booked, 40))
    racing = [fill(user) for user in users]
    await asyncio.gather(*racing, world.db.write(update.set(Lesson.booked, 0)))
    for user in users:
        found = [await tie(world, user, kind) for kind in (TieKind.BOOKING, TieKind.WAITLIST)]
        active = [one for one in found if one is not None and one.status is Status.ACTIVE]
        assert len(active) <= 1, user


# Who waits may have a free place booked without being asked, until some hours before; in the order of the queue.


FIRST = Policy(fairness=Fairness.FIRST_IN_LINE, broadcast_within=timedelta(hours=1))


async def waiting(world: World, **hours: int | None) -> None:
    """A full lesson, and those who wait for it, in this order, some with a place to be booked for them."""
    await world.lesson(capacity=1)
    await world.book("ren", LESSON)
    for user, before in hours.items():
        await world.person(user)
        await world.join(user, LESSON)
        if before is not None:
            await world.service.waitlist.prefer(Member(user), LESSON, Wishes(before))
        world.clock.advance(0.01)
    await world.watch()


async def holders(world: World, *users: str) -> list[str]:
    ties = [await tie(world, user, TieKind.BOOKING) for user in users]
    return [one.user_id for one in ties if one is not None and one.status is Status.ACTIVE]


@pytest.mark.parametrize("policy", [Policy(), FIRST], ids=["broadcast", "first-in-line"])
async def test_the_first_in_line_is_booked_and_told_once(store: Store, clock: ManualClock, policy: Policy) -> None:
    world = await open_world(store, clock, policy)
    await waiting(world, aki=6, sora=6)
    await world.cancel("ren", LESSON)
    for _ in range(2):
        await world.watch()
    assert await holders(world, "aki", "sora") == ["aki"]
    assert await booked(world) == 1
    over = await tie(world, "aki", TieKind.WAITLIST)
    still = await tie(world, "sora", TieKind.WAITLIST)
    assert over is not None
    assert still is not None
    assert (over.status, still.status, still.notify_count) == (Status.COMPLETED, Status.ACTIVE, 0)
    assert [(one.to, str(one.body["subject"]).partition(":")[0]) for one in await world.notices()] == [
        ("aki@example.com", "席が空いたので予約しました")
    ]


async def test_nobody_overtakes_who_is_first_and_only_wants_to_be_told(store: Store, clock: ManualClock) -> None:
    world = await open_world(store, clock, FIRST)
    await waiting(world, aki=None, sora=6)
    await world.cancel("ren", LESSON)
    await world.watch()
    assert await holders(world, "aki", "sora") == []
    first = await tie(world, "aki", TieKind.WAITLIST)
    assert first is not None
    assert first.offer_until is not None


async def test_after_the_cut_off_they_are_told_like_everybody(world: World) -> None:
    await waiting(world, aki=24)
    world.clock.set((LESSON.starts_at - timedelta(hours=23)).timestamp())
    await world.cancel("ren", LESSON)
    await world.watch()
    assert await holders(world, "aki") == []
    assert len(await world.notices()) == 1


async def test_who_has_no_ticket_is_told_instead(world: World) -> None:
    await waiting(world, aki=6)
    await world.service.rulebook.save(STAFF, rules(world, needs_pass=True))
    await world.cancel("ren", LESSON)
    await world.watch()
    assert await holders(world, "aki") == []
    assert len(await world.notices()) == 1


async def test_who_cannot_be_reached_is_not_booked_behind_their_back(world: World) -> None:
    await waiting(world, aki=6)
    await world.person("aki", channels=frozenset())
    await world.cancel("ren", LESSON)
    await world.watch()
    assert await holders(world, "aki") == []


async def test_a_pause_lasts_until_its_day_and_keeps_the_place_in_line(world: World) -> None:
    late = world.clock.now()
    await waiting(world, aki=1)
    waitlist = world.service.waitlist
    await waitlist.prefer(Member("aki"), LESSON, Wishes(paused_until=date(2025, 7, 30)))
    before = (await world.queue(LESSON))[0].queue_key
    await world.cancel("ren", LESSON)
    await world.watch()
    assert await holders(world, "aki") == []
    assert await world.notices() == []
    world.clock.set(late + 13 * 3600)
    await world.watch()
    assert await holders(world, "aki") == ["aki"]
    over = await tie(world, "aki", TieKind.WAITLIST)
    assert over is not None
    assert over.queue_key == before
    with pytest.raises(refusals.NoSuchTie):
        await waitlist.prefer(Member("aki"), LESSON, Wishes(None))


async def test_resuming_at_once(world: World) -> None:
    await waiting(world, aki=None)
    waitlist = world.service.waitlist
    await waitlist.prefer(Member("aki"), LESSON, Wishes(paused_until=date(2025, 7, 30)))
    resumed = await waitlist.prefer(Member("aki"), LESSON, Wishes(paused_until=None))
    assert resumed.paused_until is None
    await world.cancel("ren", LESSON)
    assert await world.watch() == 1


async def leaves(world: World) -> None:
    await world.leave("aki", LESSON)


async def wants_to_be_asked(world: World) -> None:
    await world.service.waitlist.prefer(Member("aki"), LESSON, Wishes(None))


async def pauses(world: World) -> None:
    await world.service.waitlist.prefer(Member("aki"), LESSON, Wishes(paused_until=LESSON.lesson_date))


@pytest.mark.parametrize("moment", [(Sellers, "fresh"), (Entitlements, "entitled")], ids=["looked at", "read"])
@pytest.mark.parametrize("deed", [leaves, wants_to_be_asked, pauses])
async def test_whoever_no_longer_wishes_it_is_not_booked(
    deed: Callable[[World], Awaitable[None]], moment: tuple[type, str], world: World
) -> None:
    """Also when they say so after the monitor has seen them, and while it books."""
    await waiting(world, aki=6)
    await world.cancel("ren", LESSON)
    (tie_seen,) = await world.queue(LESSON)
    owner, name = moment
    sound, said = getattr(owner, name), False

    async def meanwhile(*about: Any, **more: Any) -> Any:
        nonlocal said
        if not said:
            said = True
            await deed(world)
        return await sound(*about, **more)

    auto = world.monitor.auto
    assert auto is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, meanwhile)
        assert not await auto.book(tie_seen, await world.lesson_now())
    assert said
    assert await holders(world, "aki") == []
