"""Forbidden words are known everywhere within a minute."""

from __future__ import annotations

import pytest

from sekkei_systems.q.design.models import AdminAction
from sekkei_systems.q.refusals import (
    NoSuchThing,
    Taken,
)
from sekkei_systems.q.service.words import ForbiddenWords
from tests.systems.q.conftest import World


async def test_words_are_known_everywhere_within_a_minute(desk: World) -> None:
    elsewhere = ForbiddenWords(desk.db, desk.clock)
    assert not await elsewhere.flags("spam")
    await desk.service.moderation.add_word("boss", "ＳＰＡＭ")
    with pytest.raises(Taken):
        await desk.service.moderation.add_word("boss", "spam")
    assert await desk.service.words.flags("S P A M")
    desk.clock.advance(61)
    assert await elsewhere.flags("spam")
    await desk.service.moderation.add_word("boss", "spambook", allowed=True)
    assert not await desk.service.words.flags("spambook")
    await desk.service.moderation.delete_word("boss", "spam")
    with pytest.raises(NoSuchThing):
        await desk.service.moderation.delete_word("boss", "spam")
    assert not await desk.service.words.flags("spam")
    assert [name for name, _ in await desk.logged(AdminAction.ADD_NG_WORD)] == ["ADD_NG_WORD"] * 2
