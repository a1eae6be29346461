"""Team tasks through HTTP: the board's page and changes of status, in a team of 100 tasks and in one of 100,000."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import statistics
import tempfile
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import orjson
import uvloop

from bench import peers, tasks_in_chromium
from bench.load import load, rate
from bench.markdown import number, ratio, table
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.settings import Secrets, Settings
from sekkei.store import Embedded
from sekkei.web import application
from sekkei.web.server import bind, http_server
from sekkei.web.testing import opened
from sekkei_systems.tasks.design import Task, Totals, stored_tasks, tasks, totals
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.people import Visitor
from sekkei_systems.tasks.system import SYSTEM
from tests.systems.tasks.metered import Metered

SIZES = (100, 100_000)
COST_SIZES = (10, 2_000, 50_000)
ROUNDS = 5
CLIENTS = 8
SECONDS = 1.0
FLIPS = 500
FLIPPED_TASKS = 50
LANES = 64
FIRST_DAY = date(2025, 1, 1)


@dataclass(frozen=True, slots=True)
class Site:
    port: int
    token: str
    teams: tuple[str, ...]
    tasks: tuple[tuple[str, ...], ...]
    """Some tasks of each team."""

    def request(self, method: str, path: str, body: Any = None) -> bytes:
        content = b"" if body is None else orjson.dumps(body)
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        return head.encode() + content


def run(sizes: tuple[int, int] = SIZES, cost_sizes: Sequence[int] = COST_SIZES) -> None:
    peers.PEERS.mkdir(exist_ok=True)
    print(asyncio.run(_costs(cost_sizes)))
    print()
    tasks_in_chromium.run()
    print()
    with (
        tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS) as folder,
        _served(Path(folder), sizes) as (site, ask),
    ):
        print(asyncio.run(_pages_and_moves(site, sizes)))
        print()
        asyncio.run(_flip(site))
        ask.send("recount")
        counted, recounted = ask.recv()
        verdict = "equal to a recount" if counted == recounted else f"WRONG: {counted}, recount {recounted}"
        print(f"{FLIPS} changes of status, {LANES} at once, on {FLIPPED_TASKS} tasks: counters {verdict}.")


main = run


async def _pages_and_moves(site: Site, sizes: tuple[int, int]) -> str:
    rows = []
    for title, requests in (("board page", _boards), ("status change", _moves)):
        rounds = [
            [await rate(site.port, requests(site, team), CLIENTS, SECONDS) for team in range(len(sizes))]
            for _ in range(ROUNDS)
        ]
        small, large = (statistics.median(column) for column in zip(*rounds, strict=True))
        rows.append([title, number(small), number(large), ratio(small, large)])
    return table(["requests a second", *(f"team of {size:,}" for size in sizes), "cost ratio"], rows)


def _boards(site: Site, team: int) -> Iterator[bytes]:
    return itertools.repeat(site.request("GET", f"/tasks/teams/{site.teams[team]}"))


def _moves(site: Site, team: int) -> Iterator[bytes]:
    """Each client moves another task, and round the statuses."""
    for turn, status in enumerate(itertools.cycle(("doing", "done", "todo"))):
        task = site.tasks[team][turn // 3 % len(site.tasks[team])]
        yield site.request("PATCH", f"/tasks/api/teams/{site.teams[team]}/tasks/{task}", {"status": status})


async def _flip(site: Site) -> None:
    """Many at once on few tasks of the small team, so that they meet."""
    statuses = itertools.cycle(status.value for status in Status)
    path = f"/tasks/api/teams/{site.teams[0]}/tasks/"
    requests = [
        site.request("PATCH", path + site.tasks[0][turn % FLIPPED_TASKS], {"status": next(statuses)})
        for turn in range(FLIPS)
    ]
    answered, _ = await load(site.port, requests, LANES, 60)
    assert answered == FLIPS


# What it costs on DynamoDB: calls, and units by its formula


async def _costs(sizes: Sequence[int]) -> str:
    columns = [await _costs_of(size) for size in sizes]
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    return table(["calls, units", *(f"team of {size:,}" for size in sizes)], rows)


async def _costs_of(size: int) -> dict[str, str]:
    store = Metered(Embedded())
    async with opened(SYSTEM, store=store) as client:
        await client.sign_in("demo-aoi")
        await client.get("/tasks/")
        opened_system = client.shell.deployment.systems["tasks"]
        service: Service = opened_system.parts.service
        team_id, _ = await team_of(opened_system.context.db, service, "demo-aoi", size)
        admin = await service.access.admin("demo-aoi", team_id)
        long = await service.tasks.create(admin, TaskDraft("千文字", "あ" * 1_000, assignee="demo-aoi"))
        base = f"/tasks/teams/{team_id}"
        measured = {
            "board": client.get(base),
            "card that changed": client.get(f"{base}/cards/{long.task_id}"),
            "list": client.get(f"{base}/tasks"),
            "search": client.get(f"{base}/tasks?q=%E5%8D%83%E6%96%87%E5%AD%97"),
            "new task": service.tasks.create(admin, TaskDraft("短い")),
            "move, 1,000 characters": service.tasks.change(admin, long.task_id, TaskChanges(status=Status.DOING)),
            "comment of 1 KB": service.comments.add(admin, long.task_id, "a" * 1_000),
        }
        return {name: await _cost(store, work) for name, work in measured.items()}


async def _cost(store: Metered, work: Awaitable[object]) -> str:
    with store.counting() as bill:
        await work
    return f"{len(bill.calls)}, {bill.units:g}"


# The server, in a process of its own


@contextmanager
def _served(folder: Path, sizes: tuple[int, int]) -> Iterator[tuple[Site, Connection]]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(str(folder), sizes, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours.recv(), ours
    finally:
        ours.send("stop")
        process.join(20)
        process.kill()


def _serve(folder: str, sizes: tuple[int, int], pipe: Connection) -> None:
    uvloop.run(_program(folder, sizes, pipe))


async def _program(folder: str, sizes: tuple[int, int], pipe: Connection) -> None:
    store = Embedded(f"{folder}/tasks.db")
    settings = Settings(secrets=Secrets(b"a secret of the bench"), values={"rate_limit": "off"})
    # Whoever reads the streams does so in another process; here they are written, and that is all.
    app = application([SYSTEM], store, settings)
    async with app.router.lifespan_context(app):
        shell = app.state.shell
        service: Service = shell.deployment.systems["tasks"].parts.service
        account = await shell.accounts.ensure(DEMO_PEOPLE[0])
        await service.people.arrive(Visitor(account.id, account.email, account.name))
        teams = [
            await team_of(shell.deployment.systems["tasks"].context.db, service, account.id, size) for size in sizes
        ]
        socket = bind("127.0.0.1", 0)
        server = http_server(app, lambda: None)
        server.config.lifespan = "off"
        serving = asyncio.create_task(server.serve([socket]))
        token = await shell.accounts.make_token(account.id, "bench")
        ids, some = zip(*teams, strict=True)
        pipe.send(Site(socket.getsockname()[1], token, ids, some))
        db = shell.deployment.systems["tasks"].context.db
        while (asked := await asyncio.to_thread(pipe.recv)) != "stop":
            assert asked == "recount"
            pipe.send(await _counts(db, ids[0]))
        server.should_exit = True
        await serving
    await store.close()


async def team_of(db: Any, service: Service, who: str, size: int) -> tuple[str, tuple[str, ...]]:
    """A team whose tasks are spread evenly over statuses and a year; the ids of some of them."""
    team_id = (await service.teams.create(who, f"{size:,} tasks")).team_id
    numbers = iter(range(size))

    async def lane() -> None:
        while batch := [_stored(team_id, at) for at in itertools.islice(numbers, 25)]:
            await db.store.call("BatchWriteItem", {"RequestItems": {db.table_name(tasks.table): batch}})

    await asyncio.gather(*(lane() for _ in range(LANES)))
    counts = [len(range(at, size, 3)) for at in range(3)]
    await db.write(totals.put(Totals(team_id=team_id, todo=counts[0], doing=counts[1], done=counts[2])))
    return team_id, tuple(_id(at) for at in range(0, size, max(1, size // 100)))


def _stored(team_id: str, at: int) -> dict[str, Any]:
    """As it is after its first write. Only what differs is made anew, because there are many."""
    title = {"S": f"仕事 {at:06}"}
    own = {"SK": {"S": f"TASK#{_id(at)}"}, "team_task_title": title, "version": {"N": "1"}}
    return {"PutRequest": {"Item": {**_sample(team_id, at % 3, at % 365), **own}}}


@cache
def _sample(team_id: str, status: int, day: int) -> dict[str, Any]:
    start = FIRST_DAY + timedelta(days=day)
    task = Task(
        team_id=team_id,
        task_id="sample",
        title="仕事",
        description="説明。" * 10,
        status=list(Status)[status],
        start=start,
        end=start + timedelta(days=5),
        created_by=DEMO_PEOPLE[0].id,
    )
    return tasks.encode(task)


def _id(at: int) -> str:
    return f"{at:012x}"


async def _counts(db: Any, team_id: str) -> tuple[Sequence[int], Sequence[int]]:
    now = await db.need(totals(team_id).consistent())
    found = [task.status async for task in db.each(stored_tasks(team_id))]
    return (now.todo, now.doing, now.done), tuple(found.count(status) for status in Status)
