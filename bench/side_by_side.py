"""Requests a second over HTTP: ours durable and in memory, beside every peer that can be installed, in one run."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvloop

from bench import peers, workload
from bench.load import Refused, rate, request_bytes, send_all
from bench.markdown import number, ratio, table
from bench.workload import DELETE, OPERATIONS, Operation

CLIENTS = (1, 16)
ROUNDS = 3
ROUND_SECONDS = 0.5
OURS = "sekkei on disk"
MEMORY = "sekkei in memory"
Cell = tuple[str, int]
"""An operation's title and a number of clients."""


@dataclass
class Target:
    name: str
    port: int
    rates: dict[Cell, list[float]] = field(default_factory=dict)
    without: set[Cell] = field(default_factory=set)
    """What it refused to do."""

    def median(self, cell: Cell) -> float | None:
        rates = self.rates.get(cell)
        return statistics.median(rates) if rates else None


def run() -> None:
    with ExitStack() as stack:
        targets = list(_started(stack))
        uvloop.run(_measure(targets))
    print(_report(targets))


@contextmanager
def ours(folder: Path, *arguments: str) -> Iterator[int]:
    """`sekkei engine` in a process of its own."""
    port = peers.free_port()
    command = [str(Path(sys.executable).with_name("sekkei")), "engine", "--port", str(port), *arguments]
    with peers.running(command, port, os.environ, folder / "server.log"):
        yield port


def _started(stack: ExitStack) -> Iterator[Target]:
    def folder() -> Path:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS)))

    peers.PEERS.mkdir(exist_ok=True)
    data = folder()
    yield Target(OURS, stack.enter_context(ours(data, "--data", str(data / "data"))))
    yield Target(MEMORY, stack.enter_context(ours(folder(), "--memory")))
    for peer in peers.ALL:
        try:
            yield Target(peer.title, stack.enter_context(peer.serve(folder())))
        except peers.Unavailable as error:
            print(f"- {error}")


async def _measure(targets: list[Target]) -> None:
    for target in targets:
        await send_all(target.port, [request_bytes("CreateTable", workload.table())], clients=1)
        await asyncio.sleep(0.5)
        await send_all(target.port, workload.preload())
    for operation in OPERATIONS:
        for clients in CLIENTS:
            for _ in range(ROUNDS):
                for target in targets:
                    await _round(target, operation, clients)


async def _round(target: Target, operation: Operation, clients: int) -> None:
    cell = operation.title, clients
    if cell in target.without:
        return
    try:
        requests = operation.requests()
        if operation.title == DELETE:
            requests = await _deletes(target, clients)
        reached = await rate(target.port, requests, clients, ROUND_SECONDS)
    except Refused as error:
        target.without.add(cell)
        print(f"- {target.name} refuses {operation.title} from {clients}: {' '.join(str(error).split())[:120]}")
    else:
        target.rates.setdefault(cell, []).append(reached)


async def _deletes(target: Target, clients: int) -> Iterator[bytes]:
    """Only an item that is there costs what a delete costs, so put in as many as the round can take away."""
    put_rate = target.median(("PutItem", clients)) or 1000.0
    count = int(put_rate * ROUND_SECONDS * 2) + 50
    await send_all(target.port, workload.deletable(count))
    return iter(list(workload.deletes(count)))


def _report(targets: list[Target]) -> str:
    rows = []
    for operation in OPERATIONS:
        row = [operation.title]
        for target in targets:
            row.append(" / ".join(number(target.median((operation.title, clients))) for clients in CLIENTS))
        row.append(" / ".join(_lead(targets, operation, clients) for clients in CLIENTS))
        rows.append(row)
    heads = ["requests/s, 1 / 16 clients", *(target.name for target in targets), "ours on disk, × best peer"]
    return table(heads, rows)


def _lead(targets: list[Target], operation: Operation, clients: int) -> str:
    reached = {target.name: target.median((operation.title, clients)) for target in targets}
    best = max((value for name, value in reached.items() if value and name not in (OURS, MEMORY)), default=None)
    return ratio(reached[OURS], best)
