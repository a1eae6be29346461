"""The map of a design."""

from __future__ import annotations

from sekkei.web.testing import opened
from sekkei_systems.tasks.system import SYSTEM

MAP = "/console/designs/tasks/map"


async def test_a_pattern_lights_its_path_and_an_attribute_names_who_touches_it() -> None:
    async with opened(SYSTEM) as client:
        assert MAP in (await client.get("/console/patterns")).text
        whole = (await client.get(MAP)).text
        assert "<svg" in whole
        assert 'class="dim"' not in whole
        drawn = whole[whole.index('class="card map"') :].partition("</svg>")[0]
        assert 'role="img"' not in drawn, "links inside of an image are not heard"
        assert 'aria-label="チーム タスク: team_id, task_id"' in drawn
        one = (await client.get(f"{MAP}?pattern=members_of")).text
        assert one.count('<g class="lit">') == 1
        assert "チームの全ユーザー" in one
        attribute = (await client.get(f"{MAP}?entity=tasks&attribute=status&lang=en")).text
        assert "default_board" in attribute
        assert "Found by" in attribute
        for query in ("pattern=none", "entity=none", "entity=tasks&attribute=none"):
            assert (await client.get(f"{MAP}?{query}")).status == 404
        assert (await client.get("/console/designs/none/map")).status == 404


async def test_live_tables_that_differ_are_told() -> None:
    async with opened(SYSTEM) as client:
        assert "テーブルは設計どおりです。" in (await client.get(f"{MAP}?live=1")).text
        store = client.shell.deployment.store
        await store.call("DeleteTable", {"TableName": "task-table-invitation-v3"})
        assert "task-table-invitation-v3" in (await client.get(f"{MAP}?live=1")).text.split("実際のテーブルとの違い")[1]
