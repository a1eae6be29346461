"""Whether people want to hear something, and when."""

from __future__ import annotations

from datetime import time

import pytest

from sekkei_systems.q.design.models import (
    ReactionType,
)
from sekkei_systems.q.refusals import QuietHalf
from sekkei_systems.q.rules.notices import Wishes
from tests.systems.q.conftest import World

ALL = Wishes(question=True, reaction=True, follow=True, digest=True, quiet_from=None, quiet_until=None)


async def test_one_hears_nothing_from_those_whom_one_mutes(fair: World) -> None:
    await fair.with_devices("a", "b")
    await fair.service.graph.mute("b", "a")
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
    await fair.service.graph.block(blocker, "b" if blocker == "a" else "a")
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
