"""Two weeks of lessons at four studios, with people who book, wait and remember."""

from __future__ import annotations

import random
from datetime import date, time, timedelta

from sekkei.design import Database
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.system import Context, Parts
from sekkei_systems import days
from sekkei_systems.lessons.design import (
    Contact,
    Lesson,
    Role,
    Search,
    Status,
    StudioRules,
    TieKind,
    UserLesson,
    WeeklyLesson,
    contacts,
    lessons,
    searches,
    user_lessons,
)
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.rules.studios import by_studio, studios_of
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import Member, Staff

_PROGRAMS = (
    "BSL House 1",
    "BSW Hit 2",
    "BB1 Burn It 1",
    "BSB Beats 1",
    "リラックスヨガ",
    "体幹トレーニング",
    "Hip Hop 入門",
)
_INSTRUCTORS = ("YUKI", "Shiori.I", "RYO", "Mako", "Taka", "Hana.M")
STARTS = (time(7, 0), time(10, 30), time(12, 15), time(18, 0), time(19, 30), time(21, 0))
_FULL_EVERY = 4
_POPULAR_PLACES = 3


async def demo(context: Context, parts: Parts) -> None:
    service: Service = parts.service
    if service.provider.has_feeds:
        await parts.scheduled["refresh"]({})
    today = days.today(context.clock)
    chance = random.Random(3)
    slots = await _timetable(context, today, chance)
    for person in DEMO_PEOPLE:
        await context.db.write(
            contacts.put(
                Contact(
                    user_id=person.id,
                    name=person.name,
                    email=person.email,
                    channels=frozenset({"mail"}),
                    quiet_from=time(23, 0),
                    quiet_until=time(7, 0),
                )
            )
        )
    await _rules(context, service, today)
    await _weekly(context, service, today)
    await _popular(context.db, service, today + timedelta(days=1))
    await _ties(service, slots, chance)
    await _searches(context)
    await _history(context.db, today, chance)


async def _timetable(context: Context, today: date, chance: random.Random) -> list[Slot]:
    slots: list[Slot] = []
    puts = []
    told = by_studio(context.settings.get("lessons_feed_url"))
    for studio in studios_of(context.settings):
        if studio.code in told:
            continue  # its own system lists its lessons
        for number in range(14):
            for start in STARTS:
                slot = Slot(studio.code, today + timedelta(days=number), start)
                full = chance.randrange(_FULL_EVERY) == 0
                puts.append(lessons.put(_lesson(context, slot, chance, full)))
                slots.append(slot)
    await context.db.write_many(puts)
    return slots


def _lesson(context: Context, slot: Slot, chance: random.Random, full: bool) -> Lesson:
    capacity = chance.choice((12, 20, 40))
    return Lesson(
        studio_code=slot.studio_code,
        lesson_date=slot.lesson_date,
        start_time=slot.start_time,
        end_time=(slot.starts_at + timedelta(minutes=45)).time(),
        lesson_id=f"{slot.studio_code}-{slot.lesson_date:%m%d}-{slot.start_time:%H%M}",
        lesson_name=chance.choice(_PROGRAMS),
        instructor=chance.choice(_INSTRUCTORS),
        capacity=capacity,
        booked_here=0,
        booked=capacity if full else chance.randrange(capacity - 2),
        was_available=not full,
        episode=0 if full else 1,
        updated_at=days.now(context.clock),
        ttl=slot.starts_at + timedelta(days=90),
    )


async def _rules(context: Context, service: Service, today: date) -> None:
    """One studio asks for a pass; everybody has one, Aoi a membership."""
    studio = next((one for one in service.access.studios if one.code == "sby"), None)
    if studio is None:
        return
    staff, year = Staff(DEMO_PEOPLE[0].id, studio), today + timedelta(days=365)
    rules = StudioRules(
        studio_code=studio.code,
        needs_pass=True,
        has_trial=True,
        opens_days=28,
        opens_time=time(7, 0),
        per_week=10,
        no_shows_max=3,
        updated_at=days.now(context.clock),
    )
    await service.rulebook.save(staff, rules)
    for number, person in enumerate(DEMO_PEOPLE):
        contact = Contact(user_id=person.id, name=person.name)
        name, tickets = ("20 回券", 20) if number else ("月会員", None)
        await service.entitlements.give(staff, contact, name, today, year, tickets)


async def _weekly(context: Context, service: Service, today: date) -> None:
    """Every Saturday afternoon at the first studio, and a day on which it is closed."""
    studio = service.access.studios[0]
    staff = Staff(DEMO_PEOPLE[0].id, studio)
    saturdays = WeeklyLesson(
        studio_code=studio.code,
        weekday=5,
        start_time=time(15, 0),
        end_time=time(16, 0),
        lesson_name="土曜クラス",
        instructor="YUKI",
        capacity=20,
        first_day=today,
        updated_at=days.now(context.clock),
    )
    await service.weekly.close(staff, today + timedelta(days=24), "設備点検")
    await service.weekly.save(staff, saturdays)
    await service.roster.add(staff, DEMO_PEOPLE[-1].email, Role.DESK)


async def _popular(db: Database, service: Service, day: date) -> None:
    """A lesson at every studio that some have booked and others wait for."""
    own = [studio for studio in service.access.studios if service.provider.feed(studio.code) is None]
    for number, studio in enumerate(own):
        slot = Slot(studio.code, day, STARTS[number % len(STARTS)])
        found = await service.timetable.get(slot)
        change = lessons.update(slot.studio_code, slot.lesson_date, slot.start_time)
        await db.write(change.set(Lesson.capacity, 12).set(Lesson.booked, 12 - _POPULAR_PLACES))
        for place, person in enumerate((*DEMO_PEOPLE[number:], *DEMO_PEOPLE[:number])):
            if place < _POPULAR_PLACES:
                await service.bookings.book(Member(person.id), slot)
            else:
                await service.waitlist.join(Member(person.id), slot)
        await db.write(change.set(Lesson.was_available, False).set(Lesson.updated_at, found.updated_at))


async def _ties(service: Service, slots: list[Slot], chance: random.Random) -> None:
    """Bookings where there is room, waiting where there is none, favourites with a note."""
    first = min(slot.lesson_date for slot in slots)
    upcoming = [slot for slot in slots if slot.lesson_date > first + timedelta(days=1)]
    for person in DEMO_PEOPLE:
        for slot in chance.sample(upcoming, 12):
            view = await service.lists.view(Member(person.id), slot)
            if view.lesson.capacity is not None and view.lesson.booked >= view.lesson.capacity:
                await service.waitlist.join(Member(person.id), slot)
            elif chance.random() < 0.6:
                await service.bookings.book(Member(person.id), slot)
            else:
                await service.favorites.add(
                    Member(person.id), slot, chance.choice((None, "いつものお気に入り", "友だちと"))
                )


async def _searches(context: Context) -> None:
    """What two of them look for."""
    aoi, mei = DEMO_PEOPLE[0].id, DEMO_PEOPLE[1].id
    now = days.now(context.clock)
    evenings = frozenset(range(5))
    await context.db.write_many(
        [
            searches.put(Search(user_id=aoi, search_id="demo-1", instructor="YUKI", studio_code="gnz", created_at=now)),
            searches.put(
                Search(
                    user_id=aoi,
                    search_id="demo-2",
                    program="リラックスヨガ",
                    weekdays=evenings,
                    time_from=time(18, 0),
                    created_at=now,
                )
            ),
            searches.put(Search(user_id=mei, search_id="demo-3", instructor="Mako", created_at=now)),
        ]
    )


async def _history(db: Database, today: date, chance: random.Random) -> None:
    puts = []
    for person in DEMO_PEOPLE:
        for back in range(3, 150, chance.choice((4, 6, 9))):
            day = today - timedelta(days=back)
            start = chance.choice(STARTS)
            moment = days.at(day, start.hour, start.minute)
            tie = UserLesson(
                user_id=person.id,
                studio_code=chance.choice(("gnz", "sby", "snj")),
                lesson_date=day,
                start_time=start,
                lesson_name=chance.choice(_PROGRAMS),
                instructor=chance.choice(_INSTRUCTORS),
                kind=TieKind.HISTORY,
                status=Status.COMPLETED,
                reservation_id=f"rsv_demo_{person.id}_{back}",
                attended=chance.randrange(12) > 0,
                created_at=moment,
                updated_at=moment,
            )
            puts.append(user_lessons.put(tie))
    await db.write_many(puts)
