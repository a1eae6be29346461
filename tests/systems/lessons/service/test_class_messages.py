from __future__ import annotations

import pytest

from sekkei_systems.lessons import refusals
from tests.systems.lessons.world import LESSON, STAFF, World


async def test_the_class_is_told_once_and_those_who_wait_only_when_asked(world: World) -> None:
    await world.lesson(capacity=2)
    for user in ("hana", "ren"):
        await world.person(user)
    await world.person("mute", channels=frozenset())
    await world.book("hana", LESSON)
    await world.book("mute", LESSON)
    await world.join("ren", LESSON)
    world.settle()
    messages = world.service.class_messages
    assert await messages.send(STAFF, LESSON, " タオルをお持ちください ") == 1
    (act,) = await world.service.acts.of(LESSON)
    assert await messages.finish(LESSON, act.act_id) == 1
    assert [one.to for one in await world.notices()] == ["hana@example.com"]
    assert "タオルをお持ちください" in str((await world.notices())[0].body["text"])
    assert await messages.send(STAFF, LESSON, "空きが出そうです", to_waiting=True) == 2
    assert sorted(one.to for one in await world.notices()) == ["hana@example.com"] * 2 + ["ren@example.com"]
    for words in ("", "  ", "あ" * 1001):
        with pytest.raises(refusals.BadWords):
            await messages.send(STAFF, LESSON, words)
