"""The inbox: what happened, about people who are there for the reader, once."""

from __future__ import annotations

from sekkei_systems.q.design.models import ReactionType
from sekkei_systems.q.rules.notices import Wishes, words_of
from sekkei_systems.q.service.notices import AGAIN_AFTER
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World

QUIET = Wishes(question=True, reaction=True, follow=False, digest=True, quiet_from=None, quiet_until=None)


async def said(world: World, who: str, language: str = "ja") -> list[str]:
    return [words_of(one.notice, one.about, language) for one in await world.service.inbox.page(who)]


async def test_it_has_follows_and_reactions_newest_first_also_without_a_device(world: World) -> None:
    await world.join("a", "b")
    await world.follow(("a", "b"))
    world.clock.advance(60)
    day = (await world.ask()).day
    await world.answer("b")
    await world.service.reactions.react("a", day, "b", ReactionType.HEART)
    await world.settle()
    assert await said(world, "b") == ["Aさんが ❤️ をくれました", "Aさんにフォローされました"]
    assert await world.service.inbox.unread("b") == 2
    await world.service.inbox.read("b")
    assert await world.service.inbox.unread("b") == 0
    assert [one.is_new for one in await world.service.inbox.page("b")] == [False, False]
    assert await said(world, "a") == []


async def test_it_tells_nothing_of_people_who_are_not_there_for_the_reader(fair: World) -> None:
    await fair.join("boss", "a", "b", "c", "d")
    await fair.make_admin("boss")
    await fair.follow(("a", "d"), ("b", "d"), ("c", "d"))
    await fair.settle()
    assert len(await said(fair, "d")) == 3
    await fair.service.graph.block("a", "d")
    await fair.service.graph.block("d", "b")
    await fair.ban("c")
    fair.pass_time()
    assert await said(fair, "d") == []
    assert await fair.service.inbox.unread("d") == 0  # a number would tell that there was something


async def test_a_name_that_waits_for_a_look_is_not_in_it(fair: World) -> None:
    await fair.join("boss", "a", "b")
    await fair.make_admin("boss")
    await fair.service.moderation.add_word("boss", "バカ")
    await fair.service.people.change("a", Profile(display_name="バカ"))
    await fair.follow(("a", "b"))
    await fair.settle()
    assert await said(fair, "b", "en") == ["a_id followed you"]


async def test_what_one_does_not_want_to_ring_is_still_there_to_read(fair: World) -> None:
    await fair.with_devices("a", "b")
    wishes = await fair.service.notices.wish("b", QUIET)
    assert wishes.follow is False
    await fair.follow(("a", "b"))
    await fair.settle()
    assert await fair.pushes() == []
    assert len(await said(fair, "b")) == 1


async def test_nobody_can_fill_it_by_doing_and_undoing_the_same_thing(fair: World) -> None:
    await fair.join("a", "b")
    day = (await fair.ask()).day
    await fair.answer("b")
    for _ in range(3):
        await fair.follow(("a", "b"))
        await fair.service.reactions.react("a", day, "b", ReactionType.HEART)
        await fair.settle()
        await fair.service.reactions.take_back("a", day, "b")
        await fair.service.graph.unfollow("a", "b")
    assert sorted(await said(fair, "b")) == ["Aさんが ❤️ をくれました", "Aさんにフォローされました"]
    fair.clock.advance(AGAIN_AFTER.total_seconds())
    await fair.follow(("a", "b"))
    await fair.settle()
    assert len(await said(fair, "b")) == 3  # after so long it is news
