"""Whether a page of 20 items costs the same in a table of a thousand items and in one of a million."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import uvloop

from bench import peers, workload
from bench.markdown import ratio, table
from sekkei.store import Embedded

SIZES = (1_000, 1_000_000)
ROUNDS = 7
PAGES = 300
BATCHES_AT_ONCE = 64


def run() -> None:
    peers.PEERS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS) as folder:
        print(uvloop.run(_compare(Path(folder))))


async def _compare(folder: Path) -> str:
    stores = [Embedded(folder / f"{size}.db") for size in SIZES]
    try:
        for store, size in zip(stores, SIZES, strict=True):
            await store.call("CreateTable", workload.table())
            await _fill(store, size)
        rows = []
        for title, request in (("Query, page of 20", _page), ("index Query, page of 20", _index_page)):
            rounds = [
                [await _pages(store, size, request) for store, size in zip(stores, SIZES, strict=True)]
                for _ in range(ROUNDS)
            ]
            small, large = (statistics.median(column) for column in zip(*rounds, strict=True))
            rows.append([title, f"{small:.0f}", f"{large:.0f}", ratio(large, small)])
        return table(["in process, µs", *(f"table of {size:,}" for size in SIZES), "ratio"], rows)
    finally:
        for store in stores:
            await store.close()


async def _fill(store: Embedded, size: int) -> None:
    """20 rows in a partition, so that a page is a partition whatever the size."""
    rows = (workload.item(f"user#{n // workload.ROWS:05}", n % workload.ROWS) for n in range(size))

    async def lane() -> None:
        while batch := list(itertools.islice(rows, 25)):
            await store.call("BatchWriteItem", workload.puts(batch))

    await asyncio.gather(*(lane() for _ in range(BATCHES_AT_ONCE)))


def _page(partition: int) -> dict[str, Any]:
    return workload.query(partition)


def _index_page(partition: int) -> dict[str, Any]:
    return {
        "TableName": workload.TABLE,
        "IndexName": "by_gpk",
        "KeyConditionExpression": "gpk = :gpk",
        "ExpressionAttributeValues": {":gpk": {"S": f"g#user#{partition:05}"}},
        "Limit": workload.ROWS,
    }


async def _pages(store: Embedded, size: int, request: Any) -> float:
    partitions = size // workload.ROWS
    requests = [request(n * 7919 % partitions) for n in range(PAGES)]
    started = time.perf_counter()
    for each in requests:
        answer = await store.call("Query", each)
        assert answer["Count"] == workload.ROWS, answer
    return (time.perf_counter() - started) / PAGES * 1e6
