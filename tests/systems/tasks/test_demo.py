"""The sample data shows something on every page and in every table."""

from __future__ import annotations

import re

from sekkei.web.testing import opened
from sekkei_systems.tasks.system import SYSTEM


async def test_every_kind_of_item_is_there() -> None:
    async with opened(SYSTEM, demo=True) as client:
        await client.work()
        call = client.shell.deployment.store.call
        found = {
            item["type"]["S"]
            for table in SYSTEM.design.tables.values()
            for item in (await call("Scan", {"TableName": table.name}))["Items"]
        }
        kinds = {entity.type for table in SYSTEM.design.tables.values() for entity in table.entities}
        assert found == kinds - {"task_import_part"}, "a part of a file goes when its tasks come"


async def test_every_page_opens_in_both_languages() -> None:
    async with opened(SYSTEM, demo=True) as client:
        await client.work()
        await client.sign_in("demo-aoi")
        home = await client.get("/tasks/")
        team = re.search(r"/tasks/teams/\w+", home.text)
        assert team is not None
        board = await client.get(team[0])
        task = re.search(r'/tasks/teams/\w+/tasks/\w+(?=")', board.text)
        assert task is not None
        paths = ["/tasks/", "/tasks/docs", task[0]]
        paths += [
            team[0] + rest
            for rest in ("", "/tasks", "/late", "/burndown", "/settings", "/tasks/new", "/webhooks", "/imports")
        ]
        for language in ("ja", "en"):
            for path in paths:
                reply = await client.get(f"{path}?lang={language}")
                assert reply.status == 200, path
                assert f'<html lang="{language}"' in reply.text
