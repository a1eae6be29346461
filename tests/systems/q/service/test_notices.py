"""Whether people want to hear something, and when."""

from __future__ import annotations

from datetime import time

import pytest

from sekkei_systems.q.design.models import DeviceType, ReactionType
from sekkei_systems.q.design.tables import push_tokens
from sekkei_systems.q.refusals import BadToken, NoSuchThing, QuietHalf
from sekkei_systems.q.rules.notices import Wishes, words_of
from sekkei_systems.q.service.notices import AGAIN_AFTER
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World

ALL = Wishes(question=True, reaction=True, follow=True, digest=True, quiet_from=None, quiet_until=None)


async def test_one_hears_nothing_from_those_whom_one_mutes(fair: World) -> None:
    await fair.with_devices("a", "b")
    await fair.service.following.mute("b", "a")
    await fair.follow(("a", "b"))
    await fair.settle()
    assert await fair.pushes() == []


@pytest.mark.parametrize("blocker", ["a", "b"])
async def test_one_hears_nothing_from_those_who_are_blocked_before_the_word_is_out(fair: World, blocker: str) -> None:
    await fair.with_devices("a", "b")
    await fair.follow(("a", "b"))
    day = (await fair.ask()).day
    await fair.answer("b")
    await fair.service.reactions.react("a", day, "b", ReactionType.HEART)
    await fair.service.following.block(blocker, "b" if blocker == "a" else "a")
    await fair.settle()
    assert await fair.pushes() == []


def replace_wishes(**given: object) -> Wishes:
    return Wishes(**{**{name: getattr(ALL, name) for name in Wishes.__slots__}, **given})  # type: ignore[arg-type]


async def test_what_happens_in_quiet_hours_arrives_when_they_are_over(fair: World) -> None:
    await fair.with_devices("a", "b")
    await fair.service.notices.wish("b", replace_wishes(quiet_from=time(11), quiet_until=time(13)))
    with pytest.raises(QuietHalf):
        await fair.service.notices.wish("b", replace_wishes(quiet_from=time(11)))
    await fair.follow(("a", "b"))
    await fair.settle()
    (message,) = await fair.push_messages()
    assert message.sent_at is None
    fair.clock.advance(3600)
    await fair.settle()
    (message,) = await fair.push_messages()
    assert message.sent_at is not None


async def test_whoever_does_not_want_the_question_is_not_told(fair: World) -> None:
    await fair.with_devices("a", "b")
    await fair.service.notices.wish("b", replace_wishes(question=False))
    day = (await fair.ask()).day.isoformat()
    await fair.opened.context.jobs.start("push", {"day": day}, id=f"push/{day}")
    await fair.settle()
    assert await fair.pushes() == [("ExponentPushToken[a]", "question")]


# A device belongs to whoever signed in on it last.


async def test_a_device_goes_to_whoever_signed_in_last(world: World) -> None:
    devices = world.service.devices
    await world.join("a", "b")
    token = "ExponentPushToken[abc-123]"
    await devices.register("a", token, DeviceType.IOS)
    await devices.register("a", token, DeviceType.IOS)
    await devices.register("b", token, DeviceType.ANDROID)
    assert await world.db.get(push_tokens("a", token).consistent()) is None
    assert (await world.db.need(push_tokens("b", token).consistent())).device_type is DeviceType.ANDROID
    with pytest.raises(BadToken):
        await devices.register("a", "nonsense", DeviceType.IOS)
    with pytest.raises(NoSuchThing):
        await devices.forget("a", token)
    await devices.forget("b", token)
    await devices.register("a", token, DeviceType.IOS)


# The inbox: what happened, about people who are there for the reader, once.


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
    await fair.service.following.block("a", "d")
    await fair.service.following.block("d", "b")
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
        await fair.service.following.unfollow("a", "b")
    assert sorted(await said(fair, "b")) == ["Aさんが ❤️ をくれました", "Aさんにフォローされました"]
    fair.clock.advance(AGAIN_AFTER.total_seconds())
    await fair.follow(("a", "b"))
    await fair.settle()
    assert len(await said(fair, "b")) == 3  # after so long it is news
