"""What a stream and point-in-time recovery cost a write: the same writes with neither, either and both."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench import peers, workload
from bench.markdown import ratio, table
from sekkei.engine import Engine

ROUNDS = 7
WRITES = 320
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
KINDS = {"neither": (False, False), "stream": (True, False), "recovery": (False, True), "both": (True, True)}

Request = Callable[[int], dict[str, Any]]


def main() -> None:
    run()


def run() -> None:
    peers.PEERS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS) as folder:
        print(asyncio.run(_compare(Path(folder))))


async def _compare(folder: Path) -> str:
    engines = {kind: Engine(folder / f"{kind}.db", housekeeping_seconds=None) for kind in KINDS}
    try:
        for kind, (stream, recovery) in KINDS.items():
            await _prepare(engines[kind], stream, recovery)
        rows = []
        for title, request, together in (
            ("PutItem of a new item, one at a time", _new, 1),
            ("PutItem of a new item, 16 at a time", _new, 16),
            ("PutItem over an item, one at a time", _over, 1),
            ("PutItem over an item, 16 at a time", _over, 16),
        ):
            micros = await _measure(engines, request, together)
            rows.append([title, *(f"{micros[kind]:.0f}" for kind in KINDS), ratio(micros["both"], micros["neither"])])
        return table(["durable, in process, µs each", *KINDS, "both ÷ neither"], rows)
    finally:
        for engine in engines.values():
            engine.close()


async def _prepare(engine: Engine, stream: bool, recovery: bool) -> None:
    await engine.call("CreateTable", {**workload.table(), **({"StreamSpecification": STREAM} if stream else {})})
    if recovery:
        specification = {"PointInTimeRecoveryEnabled": True}
        await engine.call(
            "UpdateContinuousBackups",
            {"TableName": workload.TABLE, "PointInTimeRecoverySpecification": specification},
        )
    for number in range(WRITES):
        await engine.call("PutItem", _over(number))


async def _measure(engines: dict[str, Engine], request: Request, together: int) -> dict[str, float]:
    """Medians of rounds in which each engine has its turn, so that a noisy moment is everybody's."""
    rounds: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for number in range(ROUNDS):
        for kind, engine in engines.items():
            rounds[kind].append(await _write(engine, request, together, number))
    return {kind: statistics.median(times) for kind, times in rounds.items()}


async def _write(engine: Engine, request: Request, together: int, round_number: int) -> float:
    numbers = iter(range(round_number * WRITES, (round_number + 1) * WRITES))
    started = time.perf_counter()
    await asyncio.gather(*(_lane(engine, request, numbers) for _ in range(together)))
    return (time.perf_counter() - started) / WRITES * 1e6


async def _lane(engine: Engine, request: Request, numbers: Iterator[int]) -> None:
    for number in numbers:
        await engine.call("PutItem", request(number))


_unique = itertools.count()


def _new(number: int) -> dict[str, Any]:
    return {"TableName": workload.TABLE, "Item": workload.item(f"new#{next(_unique):09}", number)}


def _over(number: int) -> dict[str, Any]:
    item = workload.item(f"old#{number % WRITES:05}", 1)
    return {"TableName": workload.TABLE, "Item": {**item, "version": {"N": str(next(_unique))}}}


if __name__ == "__main__":
    main()
