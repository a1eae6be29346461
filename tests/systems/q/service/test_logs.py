"""The log of what administrators do."""

from __future__ import annotations

from datetime import timedelta

from sekkei_systems.q.design.models import AdminAction
from tests.systems.q.conftest import World


async def test_the_log_forgets_after_ninety_days(desk: World) -> None:
    await desk.service.moderation.add_word("boss", "word")
    assert len(await desk.logged()) == 1
    desk.clock.advance(timedelta(days=91).total_seconds())
    assert await desk.logged() == []
    assert await desk.logged(AdminAction.ADD_NG_WORD) == []


async def test_the_log_of_one_administrator_and_one_action(desk: World) -> None:
    await desk.make_admin("a")
    for admin, word in (("boss", "ひとつ"), ("a", "ふたつ"), ("boss", "みっつ")):
        await desk.service.moderation.add_word(admin, word)
        desk.pass_time()
    await desk.service.editing.create("boss", "いい質問？")
    desk.pass_time()
    found = await desk.service.logs.page("boss", action=AdminAction.ADD_NG_WORD, admin="boss")
    assert [line.target_id for line in found] == ["みっつ", "ひとつ"]
    assert len(await desk.service.logs.page("boss", admin="boss")) == 3
