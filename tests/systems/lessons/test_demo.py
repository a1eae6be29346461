from __future__ import annotations

import re

from sekkei.web.testing import opened
from sekkei_systems.lessons.system import SYSTEM


async def test_the_demo_fills_every_table_and_every_page_opens() -> None:
    async with opened(SYSTEM, demo=True) as client:
        await client.work()
        for table in SYSTEM.design.tables.values():
            assert (await client.shell.deployment.store.call("Scan", {"TableName": table.name, "Limit": 1}))["Items"]
        await client.sign_in("demo-aoi")
        timetable = await client.get("/lessons/")
        lesson = re.search(r"/lessons/lessons/[a-z]+/[\d-]+/\d\d:\d\d", timetable.text)
        assert lesson is not None
        people = lesson[0].replace("/lessons/lessons/", "/lessons/desk/gnz/people/")
        rooms = (
            "",
            "mine",
            "history",
            "settings",
            "searches",
            "passes",
            "rules/sby",
            "desk/gnz",
            "desk/sby/rules",
            "desk/sby/passes",
            "desk/gnz/weekly",
            "desk/ebs",
            "desk/ebs/connection",
            "docs",
        )
        for path in [lesson[0], people, *(f"/lessons/{room}" for room in rooms)]:
            for language in ("ja", "en"):
                assert (await client.get(f"{path}?lang={language}", follow=True)).status == 200, path
