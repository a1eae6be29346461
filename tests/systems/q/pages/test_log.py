"""What administrators did."""

from __future__ import annotations

from sekkei_systems.q.pages.log import Which, log
from tests.systems.q.conftest import World


async def test_by_action_and_by_administrator(desk: World) -> None:
    by, logs = await desk.proven.access.admin("boss"), desk.proven.logs
    await desk.service.moderation.add_word("boss", "one")
    await desk.service.editing.create("boss", "好きな音は？")
    desk.pass_time()

    async def shown(**query: str) -> list[str]:
        page = await log(by, logs, Which(**query))
        return sorted(one.action.value for one in page.values["found"])

    assert await shown() == ["ADD_NG_WORD", "CREATE_QUESTION"]
    assert await shown(action="ADD_NG_WORD", admin="boss") == ["ADD_NG_WORD"]
    assert await shown(action="nonsense", admin="somebody") == []
