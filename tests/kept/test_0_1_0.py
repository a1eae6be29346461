"""A store that version 0.1.0 wrote, with the sample data of all five systems: it opens, verifies, and every page works.

`make_0_1_0.py` made the file. A change of stored data comes with a migration, and this is the data it is tried on.
"""

from __future__ import annotations

import lzma
import re
from collections import Counter, deque
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin

import pytest

from sekkei import cli
from sekkei.clock import ManualClock
from sekkei.runtime.dead_letters import DeadLetterKind
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.design import newest_messages
from sekkei.runtime.discovery import load_all
from sekkei.runtime.settings import Secrets
from sekkei.store import Embedded
from sekkei.web.testing import Client, opened, test_settings
from sekkei_systems.tasks.design import tasks

FILE = Path(__file__).with_name("store_0_1_0.db.xz")
WRITTEN = datetime(2026, 11, 15, 3, 0, tzinfo=UTC)
LATER_SECONDS = 60
PAGES_MAX = 400
ALIKE_MAX = 3
"""Pages of one route: the fourth task is much like the third."""
LINK = re.compile(r'href="([^"#]+)"')
ID = re.compile(r"(?<=/)[^/]*\d[^/]*(?=/|$)")
LEFT_OUT = re.compile(r"/static/|/live|/sign-out|/sw\.js|^https?:|^mailto:|^data:")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "sekkei.db"
    path.write_bytes(lzma.decompress(FILE.read_bytes()))
    return path


@pytest.fixture
async def client(path: Path) -> AsyncIterator[Client]:
    clock = ManualClock(WRITTEN.timestamp() + LATER_SECONDS)
    systems, missing = load_all()
    assert missing == {}
    settings = test_settings(env="dev", secrets=Secrets(b"kept for tests, and nothing else"), data=path.parent)
    store = Embedded(path, clock=clock)
    async with opened(*systems, store=store, clock=clock, settings=settings) as client:
        yield client
    await store.close()


def test_it_verifies(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", str(path)]) == 0, capsys.readouterr().out


async def test_the_worker_finds_nothing_that_it_cannot_do(client: Client) -> None:
    await client.work()
    dead = client.shell.deployment.dead_letters
    assert [letter for kind in DeadLetterKind for letter in (await dead.page(kind, size=20))[0]] == []


async def test_what_stood_in_clear_in_the_outbox_is_sealed(client: Client, path: Path) -> None:
    async def bodies() -> list[dict[str, Any]]:
        under = Embedded(path)
        rows = (await under.call("Scan", {"TableName": "sekkei-runtime"}))["Items"]
        await under.close()
        return [row["body"] for row in rows if row["type"]["S"] == "message"]

    before = await client.shell.deployment.runtime.all(newest_messages())
    assert any("M" in body for body in await bodies()), "version 0.1.0 sealed nothing"
    await client.shell.deployment.worker.tick(60)
    assert [body for body in await bodies() if "S" not in body] == []
    after = await client.shell.deployment.runtime.all(newest_messages())
    assert {one.id: one.body for one in after}.items() >= {one.id: one.body for one in before}.items()


async def test_tasks_are_brought_up_to_date(client: Client) -> None:
    """Tasks of 0.1.0 carried their search text and the count of their comments, copied by all indexes; no number."""

    async def rows() -> dict[str, list[dict[str, Any]]]:
        table = client.shell.deployment.systems["tasks"].context.db.table_name(tasks.table)
        found: dict[str, list[dict[str, Any]]] = {}
        for row in (await client.shell.deployment.store.call("Scan", {"TableName": table}))["Items"]:
            found.setdefault(row["type"]["S"], []).append(row)
        return found

    before = await rows()
    assert all("search_text" in row for row in before["task"])
    assert "task_talk" not in before
    await client.shell.deployment.worker.start()
    await client.shell.deployment.worker.stop()
    await client.work()
    after = await rows()
    assert not any({"search_text", "comment_count"} & row.keys() for row in after["task"])
    ids = {row["SK"]["S"].partition("#")[2] for row in before["task"]}
    for kind in ("task", "task_search", "task_talk"):
        assert {row["SK"]["S"].partition("#")[2] for row in after[kind]} == ids
    said = Counter(row["SK"]["S"].split("#")[1] for row in before["task_comment"])
    assert {row["SK"]["S"][5:]: int(row["comment_count"]["N"]) for row in after["task_talk"]} == {
        id: said[id] for id in ids
    }
    kept = ("team_task_title", "team_task_discription", "team_task_status", "version")
    assert {row["SK"]["S"]: [row[name] for name in kept] for row in after["task"]} == {
        row["SK"]["S"]: [row[name] for name in kept] for row in before["task"]
    }
    given = {(row["PK"]["S"], int(row["task_number"]["N"])): row["SK"]["S"][5:] for row in after["task"]}
    assert len(given) == len(ids), "every task has a number of its own in its team"
    kept_numbers = {(row["PK"]["S"], int(row["SK"]["S"][7:])): row["number_task"]["S"] for row in after["task_number"]}
    assert kept_numbers == given
    by_age = sorted(given, key=lambda key: (key[0], given[key]))
    assert sorted(given) == by_age, "the oldest of a team has the lowest"
    await client.sign_in(DEMO_PEOPLE[0].id)
    title = before["task"][0]["team_task_title"]["S"]
    team = before["task"][0]["PK"]["S"].removeprefix("TEAM#")
    query = urlencode({"q": title.split()[0], "status": before["task"][0]["team_task_status"]["S"]})
    assert title in (await client.get(f"/tasks/teams/{team}/tasks?{query}")).text, "a search finds it"


@pytest.mark.parametrize("person", [None, DEMO_PEOPLE[0].id, DEMO_PEOPLE[1].id])
async def test_every_page_opens(client: Client, person: str | None) -> None:
    await client.work()
    if person is not None:
        await client.sign_in(person)
    reached = await crawl(client)
    assert {path.split("/")[1] for path in reached} >= {"", "chiipochi", "eventbot", "lessons", "q", "tasks"}
    assert {path: status for path, status in reached.items() if status >= 400 and status not in (401, 403)} == {}


async def crawl(client: Client) -> dict[str, int]:
    """Every page that links lead to, from the home page on, and what it answered."""
    waiting, reached, alike = deque(["/"]), dict[str, int](), dict[str, int]()
    while waiting and len(reached) < PAGES_MAX:
        path = waiting.popleft()
        route = ID.sub("*", path.partition("?")[0])
        if path in reached or alike.get(route, 0) >= ALIKE_MAX:
            continue
        alike[route] = alike.get(route, 0) + 1
        reply = await client.get(path)
        reached[path] = reply.status
        if reply.status == 303:
            waiting.append(reply.location.removeprefix(client.shell.settings.public_url))
        if (reply.header("content-type") or "").startswith("text/html"):
            links = (urljoin(path, unescape(link)) for link in LINK.findall(reply.text))
            waiting += [link for link in links if not LEFT_OUT.search(link)]
    return reached
