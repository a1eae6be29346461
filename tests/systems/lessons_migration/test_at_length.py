"""The move of 50,000 rows, by processes that are killed again and again, on a file and on a store that is not ours."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sekkei.store import open_store

ROWS = 50_000
KILLS = 6
KILLED_AFTER_SECONDS = (2.0, 8.0)

pytestmark = [pytest.mark.torture, pytest.mark.timeout(0)]


def command(store: str, stage: str, *more: str) -> list[str]:
    return [sys.executable, "-m", "sekkei.cli", "lessons", "migrate", stage, *more, "--store", store]


def report(store: str, stage: str, *more: str, code: int = 0) -> dict[str, Any]:
    ended = subprocess.run(command(store, stage, "--format", "json", *more), capture_output=True, check=False)
    assert ended.returncode == code, ended.stderr.decode()
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def kill_runs(store: str, chance: random.Random) -> int:
    """Start a run and kill it, as often as it lasts long enough to be killed."""
    killed = 0
    while killed < KILLS:
        run = subprocess.Popen(command(store, "run"), stdout=subprocess.DEVNULL)
        try:
            run.wait(chance.uniform(*KILLED_AFTER_SECONDS))
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            killed += 1
        else:
            break
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


@pytest.mark.parametrize("where", ["file", "ministack"])
def test_fifty_thousand_rows(where: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    on_file = where == "file"
    store = str(tmp_path / "sekkei.db") if on_file else str(request.getfixturevalue("ministack_endpoint"))
    subprocess.run(command(store, "sample", "--rows", str(ROWS)), check=True)
    plan = report(store, "plan")
    assert (plan["rows"], plan["conflicts"] > 3_000, plan["unusable"] > 500) == (ROWS, True, True)
    assert kill_runs(store, random.Random(1)) > 0
    done = report(store, "run")
    assert {name: done[name] for name in ("rows", "over", "unusable")} == {
        name: plan[name] for name in ("rows", "over", "unusable")
    }
    again = report(store, "run")
    assert (again["written"], again["removed"], again["unchanged"]) == (0, 0, plan["written"])
    found = report(store, "verify")
    assert (found["drift"], found["unchanged"], found["conflicts"]) == (0, plan["written"], plan["conflicts"])
    spoil(store, 7)
    assert report(store, "verify", code=1)["drift"] == 7
    assert report(store, "run")["written"] == 7
    assert report(store, "verify")["drift"] == report(store, "cutover", "--allow-silent")["drift"] == 0
    taken = report(store, "rollback")
    assert (taken["removed"], taken["ahead"]) == (plan["written"], 0)
