"""Joining, names, profiles."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import pytest

from sekkei.clock import ManualClock
from sekkei.runtime import days
from sekkei.store import Store
from sekkei_systems.q.design.models import Visibility
from sekkei_systems.q.design.tables import unique_keys, users
from sekkei_systems.q.refusals import (
    AdminsStay,
    AlreadyJoined,
    AppIdNeeded,
    AppIdSet,
    Leaving,
    NameReserved,
    NoSuchThing,
    NotJoined,
    Taken,
    TermsNeeded,
    TooYoung,
    WrongState,
)
from sekkei_systems.q.rules.pictures import drawn_anew
from sekkei_systems.q.service.people import Profile, Visitor
from tests.systems.q.conftest import World, open_world, png

BORN = date(2000, 4, 1)


async def test_joining_once_with_an_address_of_ones_own(world: World) -> None:
    people = world.service.people
    made = await people.join(Visitor("u1", "Aoi@Example.com", "葵"), BORN)
    assert (made.email, made.visibility_type, made.app_id) == ("aoi@example.com", Visibility.MUTUAL, None)
    with pytest.raises(AlreadyJoined):
        await people.join(Visitor("u1", "other@example.com", "葵"), BORN)
    with pytest.raises(Taken):
        await people.join(Visitor("u2", "aoi@example.com", "葵"), BORN)
    with pytest.raises(TooYoung):
        await people.join(Visitor("u3", "young@example.com", "若"), date(2015, 1, 1))
    with pytest.raises(NotJoined):
        await world.service.answers.today("u9")


async def test_an_app_id_is_chosen_once_and_belongs_to_one(world: World) -> None:
    people = world.service.people
    for name in ("u1", "u2"):
        await people.join(Visitor(name, f"{name}@example.com", name), BORN)
    await world.ask()
    with pytest.raises(AppIdNeeded):
        await world.answer("u1")
    assert (await people.choose_app_id("u1", "aoi")).app_id == "aoi"
    with pytest.raises(AppIdSet):
        await people.choose_app_id("u1", "aoi2")
    with pytest.raises(Taken):
        await people.choose_app_id("u2", "aoi")
    found, _ = await people.find("u2", "@Aoi")
    assert found.user_id == "u1"


async def test_two_want_one_app_id_at_once(world: World) -> None:
    people = world.service.people
    names = [f"u{number}" for number in range(6)]
    for name in names:
        await people.join(Visitor(name, f"{name}@example.com", name), BORN)
    results = await asyncio.gather(*(people.choose_app_id(name, "same") for name in names), return_exceptions=True)
    assert sum(not isinstance(one, BaseException) for one in results) == 1
    assert all(isinstance(one, Taken) for one in results if isinstance(one, BaseException))


async def test_a_user_name_changes_and_is_free_again(world: World) -> None:
    people = world.service.people
    await world.join("u1", "u2")
    await people.choose_username("u1", "Aoi")
    await people.choose_username("u1", "aoi")
    with pytest.raises(Taken):
        await people.choose_username("u2", "AOI")
    await people.choose_username("u1", "Aoi_new")
    assert (await people.choose_username("u2", "AOI")).username == "AOI"


async def test_profile_and_picture(world: World) -> None:
    people = world.service.people
    await world.join("u1", "u2")
    changed = await people.change("u1", Profile(display_name="葵 🌿", bio="一行目\n二行目", is_private=True))
    assert (changed.display_name, changed.bio, changed.is_private) == ("葵 🌿", "一行目\n二行目", True)
    assert (await people.change("u1", Profile(bio=""))).bio is None
    user = await people.set_picture("u1", png())
    assert user.profile_image_url is not None
    digest = user.profile_image_url.rpartition("/")[2]
    world.pass_time()
    assert (await people.picture("u2", "u1", digest)).content == drawn_anew(png())
    await people.remove_picture("u1")
    world.pass_time()
    with pytest.raises(NoSuchThing):
        await people.picture("u2", "u1", digest)


async def test_a_refused_day_of_birth_is_not_tried_again_at_once(world: World) -> None:
    young, old = Visitor("kid", "kid@example.com", ""), date(2000, 1, 1)
    with pytest.raises(TooYoung):
        await world.service.people.join(young, date(2015, 1, 1))
    with pytest.raises(TooYoung):
        await world.service.people.join(young, old)
    world.clock.advance(24 * 3600 + 1)
    assert (await world.service.people.join(young, old)).birth_date == old
    left = await world.db.store.call("Scan", {"TableName": world.db.table_name(unique_keys.table)})
    assert "2015" not in str(left)  # that they were refused is kept for a day, not how old they said they were


@pytest.mark.parametrize("name", ["admin", "q_official", "0fficial", "support", "adm1n", "staff_q"])
async def test_reserved_names_are_refused(fair: World, name: str) -> None:
    await fair.service.people.join(Visitor("a", "a@example.com", ""), date(2000, 1, 1))
    with pytest.raises(NameReserved):
        await fair.service.people.choose_app_id("a", name)
    with pytest.raises(NameReserved):
        await fair.service.people.choose_username("a", name.title())
    with pytest.raises(NameReserved):
        await fair.service.people.change("a", Profile(display_name=name))


async def test_nobody_looks_like_an_administrator(fair: World) -> None:
    await fair.join("boss", "a")
    await fair.make_admin("boss")
    await fair.service.people.change("boss", Profile(display_name="Aoi Sato"))
    for name in (
        "Aoi Sato",
        "aoi  sato",
        "Αoi Sаto",
        "A0i Sat0",
        "Aoi Sato (本人)",
        "【Aoi】Aoi Sato",
    ):  # Greek and Cyrillic letters among them
        with pytest.raises(NameReserved):
            await fair.service.people.change("a", Profile(display_name=name))
    await fair.service.people.change("a", Profile(display_name="Aoi Saito"))
    await fair.service.people.change("boss", Profile(display_name="Aoi S."))
    await fair.service.people.change("a", Profile(display_name="Aoi Sato"))  # free again


async def test_nobody_looks_like_an_administrator_in_kana(fair: World) -> None:
    await fair.join("boss", "a")
    await fair.make_admin("boss")
    await fair.service.people.change("boss", Profile(display_name="エリー・サトー"))
    for name in ("工リー・サトー", "エリ一サト一", "エリ― サト―", "ｴﾘｰ･ｻﾄｰ", "えりー さとー"):
        with pytest.raises(NameReserved):
            await fair.service.people.change("a", Profile(display_name=name))
    await fair.service.people.change("boss", Profile(display_name="サトー"))
    await fair.service.people.change("a", Profile(display_name="工リー・サトー"))  # free again
    await fair.service.people.change("a", Profile(display_name="サト"))


async def test_names_and_bios_pass_the_same_words_as_answers(desk: World) -> None:
    await desk.service.moderation.add_word("boss", "バカ")
    await desk.service.moderation.add_word("boss", "baka")
    people = desk.service.people
    mine = await people.change("a", Profile(display_name="バ カ", bio="ﾊﾞｶです"))
    assert (mine.display_name, mine.name_flagged, mine.bio_flagged) == ("バ カ", True, True)
    seen, _ = await people.show("b", "a")
    assert (seen.display_name, seen.bio) == (None, None)
    for attempt in (people.choose_username("a", "ba_ka_1"), people.choose_username("a", "Bakabaka")):
        with pytest.raises(NameReserved):
            await attempt
    joined = await people.join(Visitor("c", "c@example.com", "バカ"), BORN)
    assert joined.name_flagged
    desk.pass_time()
    waiting = await desk.service.queue.show("boss")
    assert sorted((one.kind, one.user_id) for one in waiting) == [("bio", "a"), ("name", "a"), ("name", "c")]
    better = await people.change("a", Profile(display_name="葵", bio=""))
    assert (better.name_flagged, better.bio_flagged) == (False, False)
    desk.pass_time()
    assert [(one.kind, one.user_id) for one in await desk.service.queue.show("boss")] == [("name", "c")]


async def test_a_picture_waits_where_the_operator_wants_it(plain: Store, clock: ManualClock) -> None:
    world = await open_world(plain, clock, q_pictures="hide")
    await world.join("a", "b")
    url = (await world.service.people.set_picture("a", png())).profile_image_url or ""
    assert (await world.service.people.show("b", "a"))[0].profile_image_url is None
    with pytest.raises(NoSuchThing):
        await world.service.people.picture("b", "a", url.rpartition("/")[2])
    assert (await world.service.people.picture("a", "a", url.rpartition("/")[2])).user_id == "a"
    with pytest.raises(ValueError, match="SEKKEI_Q_PICTURES"):
        await open_world(plain, clock, q_pictures="perhaps")


async def test_terms_are_agreed_to_when_joining_and_again_when_they_change(plain: Store, clock: ManualClock) -> None:
    given = {"q_terms_version": "1", "q_terms_url": "/terms", "q_privacy_url": "/privacy"}
    world = await open_world(plain, clock, **given)
    people = world.service.people
    for version in (None, "0"):
        with pytest.raises(TermsNeeded):
            await people.join(Visitor("a", "a@example.com", "A", terms=version), BORN)
    joined = await people.join(Visitor("a", "a@example.com", "A", terms="1"), BORN)
    assert (joined.terms_version, joined.terms_at) == ("1", days.now(clock))
    await people.choose_app_id("a", "a_id")
    later = await open_world(plain, clock, **{**given, "q_terms_version": "2"})
    with pytest.raises(TermsNeeded):
        await later.service.timelines.show("a")
    with pytest.raises(TermsNeeded):
        await later.service.people.agree("a", "1")
    assert await later.service.inbox.unread("a") == 0  # what one was told, one may read
    await later.service.people.agree("a", "2")
    assert (await later.service.people.change("a", Profile(bio="x"))).bio == "x"


# Asking to withdraw, and changing one's mind.


WEEK = timedelta(days=7, minutes=1).total_seconds()


async def test_a_week_to_think(world: World) -> None:
    service = world.service
    await world.join("a", "b")
    await world.follow(("b", "a"))
    await world.ask()
    await world.answer("a")
    await service.leaving.ask("a")
    with pytest.raises(Leaving):
        await service.answers.today("a")
    assert await world.seen("b") == []
    await service.leaving.cancel("a")
    world.pass_time()
    assert await world.seen("b") == ["a"]
    with pytest.raises(WrongState):
        await service.leaving.cancel("a")
    world.clock.advance(WEEK)
    await world.settle()
    assert (await world.user("a")).deleting_at is None


async def test_an_admin_gives_up_the_role_first(world: World) -> None:
    await world.join("boss")
    await world.make_admin("boss")
    with pytest.raises(AdminsStay):
        await world.service.leaving.ask("boss")


async def test_asking_again_puts_nothing_off(fair: World) -> None:
    await fair.join("a")
    await fair.service.leaving.ask("a")
    fair.clock.advance(timedelta(days=6).total_seconds())
    with pytest.raises(WrongState):
        await fair.service.leaving.ask("a")
    fair.clock.advance(timedelta(days=1, minutes=1).total_seconds())
    await fair.settle()
    assert await fair.db.get(users("a").consistent()) is None
