from __future__ import annotations

from sekkei.runtime.settings import Settings
from sekkei_systems.lessons.ports.timetable.by_studio import ByStudio, provider_of
from sekkei_systems.lessons.ports.timetable.catalogue import Catalogue
from sekkei_systems.lessons.ports.timetable.feed import Feed
from sekkei_systems.lessons.rules.drafts import draft_of
from sekkei_systems.lessons.rules.places import Availability
from tests.systems.lessons.world import LESSON, STUDIOS, World


async def test_every_studio_has_its_own_feed_or_our_timetable(world: World) -> None:
    values = {"lessons_feed_url": "gnz=https://a.example/x?k=1, sby=https://b.example"}
    found = provider_of(Settings(values=values), world.db, world.clock, STUDIOS)
    assert [type(found.feed(code)).__name__ for code in ("gnz", "sby", "snj")] == ["Feed", "Feed", "NoneType"]
    for_all = provider_of(Settings(values={"lessons_feed_url": "https://a.example/?k=v"}), world.db, world.clock, [])
    assert isinstance(for_all.feed("snj"), Feed)
    there = await world.lesson(capacity=5)
    ours = ByStudio({}, Catalogue(world.db))
    assert await ours.availability(there) == Availability(5, 5, True, told=False)
    world.settle()
    assert await ours.list("gnz", LESSON.lesson_date, LESSON.lesson_date) == [draft_of(there)]
