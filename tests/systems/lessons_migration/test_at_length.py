"""The move of 50,000 rows with their contacts, by processes that are killed again and again, on a file and on a store
that is not ours. The short form is in test_contacts.py and test_kills.py."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sekkei.store import Store, open_store

ROWS = 50_000
KILLS = 6
KILLED_AFTER_SECONDS = (2.0, 8.0)
MAPPING = {
    "account": "line-{user}",
    "contacts": {"table": "usersTable", "user": "userId", "name": "displayName", "mail": "email", "line": "lineId"},
}

log = logging.getLogger("sekkei.migration")

pytestmark = [pytest.mark.torture, pytest.mark.timeout(0)]


class Shell:
    """The command on one store, with one mapping."""

    def __init__(self, store: str, mapping: Path) -> None:
        mapping.write_text(json.dumps(MAPPING))
        self.store, self._more = store, ["--store", store, "--mapping", str(mapping)]

    def command(self, stage: str, *more: str) -> list[str]:
        return [sys.executable, "-m", "sekkei.cli", "lessons", "migrate", stage, *more, *self._more]

    def report(self, stage: str, *more: str, code: int = 0) -> dict[str, Any]:
        ended = subprocess.run(self.command(stage, "--format", "json", *more), capture_output=True, check=False)
        assert ended.returncode == code, ended.stderr.decode()
        found: dict[str, Any] = json.loads(ended.stdout)
        log.info("%s: %s", stage, {name: value for name, value in found.items() if value and name != "listed"})
        return found


def kill(shell: Shell, chance: random.Random, times: int, stage: str, *more: str) -> int:
    """Start a stage and kill it, as often as it lasts long enough to be killed."""
    killed = 0
    while killed < times:
        run = subprocess.Popen(shell.command(stage, *more), stdout=subprocess.DEVNULL)
        try:
            run.wait(chance.uniform(*KILLED_AFTER_SECONDS))
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            killed += 1
        else:
            break
    log.info("%s: killed %d times", stage, killed)
    return killed


def spoil(store: str, count: int) -> None:
    """Change entries of the new table behind the move's back."""

    async def change() -> None:
        opened = open_store(store)
        page = await opened.call("Scan", {"TableName": "user_lessons", "Limit": count})
        for item in page["Items"]:
            await opened.call("PutItem", {"TableName": "user_lessons", "Item": {**item, "instructor": {"S": "?"}}})
        await opened.close()

    asyncio.run(change())


async def scanned(opened: Store, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": table}
    while True:
        page = await opened.call("Scan", request)
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def entries_left(store: str) -> int:
    async def look() -> int:
        opened = open_store(store)
        found = await scanned(opened, "user_lessons")
        await opened.close()
        return len(found)

    return asyncio.run(look())


def silent_by_hand(store: str) -> tuple[int, int]:
    """Out of the raw tables: how many contacts there are, and how many wait without an address."""

    async def look() -> tuple[int, int]:
        opened = open_store(store)
        now = datetime.now(UTC)
        people = await scanned(opened, "Users")
        reached = {one["userId"]["S"] for one in people if "email" in one or "lineUserId" in one}
        waiting = [
            tie["userId"]["S"]
            for tie in await scanned(opened, "user_lessons")
            if tie["status"]["S"] == "active" and datetime.fromisoformat(tie["lessonDateTime"]["S"]) > now
        ]
        await opened.close()
        return len(people), sum(user not in reached for user in waiting)

    return asyncio.run(look())


@pytest.mark.parametrize("where", ["file", "ministack"])
def test_fifty_thousand_rows(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    on_file = where == "file"
    store = str(tmp_path / "sekkei.db") if on_file else str(request.getfixturevalue("ministack_endpoint"))
    shell = Shell(store, tmp_path / "old.json")
    subprocess.run(shell.command("sample", "--rows", str(ROWS)), check=True)
    plan = shell.report("plan")
    assert (plan["rows"], plan["conflicts"] > 3_000, plan["unusable"] > 500) == (ROWS, True, True)
    chance = random.Random(1)
    assert kill(shell, chance, KILLS, "run") > 0
    done = shell.report("run")
    assert {name: done[name] for name in ("rows", "over", "unusable")} == {
        name: plan[name] for name in ("rows", "over", "unusable")
    }
    again = shell.report("run")
    assert (again["written"], again["removed"], again["unchanged"]) == (0, 0, plan["written"])
    found = shell.report("verify")
    assert (found["drift"], found["unchanged"], found["conflicts"]) == (0, plan["written"], plan["conflicts"])
    contacts, silent = silent_by_hand(store)
    assert (contacts > 4_000, found["silent"]) == (True, silent)
    spoil(store, 7)
    assert shell.report("verify", code=1)["drift"] == 7
    assert shell.report("run")["written"] == 7
    assert shell.report("verify")["drift"] == 0
    assert shell.report("cutover", code=1)["silent"] == silent > 0, "not while people would wait in silence"
    if kill(shell, chance, 1, "cutover", "--allow-silent"):
        assert shell.report("cutover", "--allow-silent")["drift"] == 0
    assert kill(shell, chance, 2, "rollback") > 0
    taken = shell.report("rollback")
    assert (0 < taken["removed"] <= plan["written"], taken["ahead"]) == (True, 0), "it goes on where it was killed"
    assert entries_left(store) == 0
