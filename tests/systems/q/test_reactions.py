"""What people hear of when items change."""

from __future__ import annotations

from sekkei_systems.q.design.models import (
    ReactionType,
)
from sekkei_systems.q.rules.notices import Wishes
from sekkei_systems.q.service.people import Profile
from tests.systems.q.conftest import World

ALL = Wishes(question=True, reaction=True, follow=True, digest=True, quiet_from=None, quiet_until=None)


async def test_people_hear_of_followers_requests_and_reactions_once(world: World) -> None:
    await world.with_devices("a", "b", "quiet")
    await world.service.notices.wish("quiet", replace_wishes(follow=False))
    await world.follow(("a", "b"), ("a", "quiet"))
    await world.service.people.change("b", Profile(is_private=True))
    await world.service.following.follow("quiet", "b")
    day = (await world.ask()).day
    await world.answer("b")
    for kind in (ReactionType.HEART, ReactionType.FIRE):
        await world.service.reactions.react("a", day, "b", kind)
        await world.settle()
    b = "ExponentPushToken[b]"
    assert await world.pushes() == [(b, "follow"), (b, "follow"), (b, "reaction")]


def replace_wishes(**given: object) -> Wishes:
    return Wishes(**{**{name: getattr(ALL, name) for name in Wishes.__slots__}, **given})  # type: ignore[arg-type]


async def test_whoever_asked_hears_of_the_acceptance_and_nobody_else(fair: World) -> None:
    await fair.with_devices("asks", "private")
    await fair.service.people.change("private", Profile(is_private=True))
    await fair.service.following.follow("asks", "private")
    await fair.settle()
    await fair.service.following.accept("private", "asks")
    await fair.settle()
    told = {one.to: one.body["body"] for one in await fair.push_messages()}
    assert told == {
        "ExponentPushToken[private]": "Asksさんからフォローの申請が届きました",
        "ExponentPushToken[asks]": "Privateさんがフォローの申請を承認しました",
    }


async def test_everybody_is_told_in_their_own_language(fair: World) -> None:
    await fair.with_devices("ja", "en", "by")
    await fair.service.people.change("en", Profile(language="en"))
    await fair.follow(("by", "ja"), ("by", "en"))
    await fair.settle()
    told = {one.to: one.body["body"] for one in await fair.push_messages()}
    assert told == {
        "ExponentPushToken[ja]": "Byさんにフォローされました",
        "ExponentPushToken[en]": "By followed you",
    }
