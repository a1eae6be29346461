"""One large table with two indexes: what it takes to build it, and whether reads notice how large it is.

python -m bench scale --items 10M
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from bench import peers
from bench.markdown import table
from bench.progress import Bar
from sekkei.engine.upkeep.verify import verify_file
from sekkei.engine.upkeep.whole_file import copy_file
from sekkei.store import Embedded

ITEMS = 100_000
SMALL = 1_000
PER_PARTITION = 100
WRITERS = 16
READS = 3_000
PAGE = 20

Request = dict[str, Any]

TABLE: Request = {
    "TableName": "big",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "state", "owner")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
    "GlobalSecondaryIndexes": [
        {
            "IndexName": f"by_{name}",
            "KeySchema": [{"AttributeName": name, "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "ALL"},
        }
        for name in ("state", "owner")
    ],
}


def count(text: str) -> int:
    """10M, 500k or 1000."""
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    return int(text if factor == 1 else text[:-1]) * factor


def run(items: int = ITEMS) -> None:
    peers.PEERS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=peers.PEERS) as folder:
        asyncio.run(_measure(Path(folder), max(items, SMALL)))


async def _measure(folder: Path, items: int) -> None:
    small, big = Embedded(folder / "small.db"), Embedded(folder / "big.db")
    try:
        await _fill(small, SMALL, Bar(f"{SMALL:,} items"))
        began, processor = time.perf_counter(), time.process_time()
        await _fill(big, items, Bar("build"))
        built, worked = time.perf_counter() - began, time.process_time() - processor
        reads = await _reads(small, big, items)
    finally:
        await small.close()
        await big.close()
    file_bytes = (folder / "big.db").stat().st_size
    print(f"{items:,} items of {len(orjson.dumps(_item(0)))} bytes with two indexes: {items / built:,.0f} a second,")
    print(f"{worked / items * 1e6:.0f} µs of processor each, ", end="")
    print(f"{file_bytes / items:,.0f} bytes each in the file, which is {file_bytes / 1e6:,.0f} MB.\n")
    print(table(["µs", f"{SMALL:,} items", f"{items:,} items", "ratio"], reads))
    print()
    print(table(["whole file", "seconds", "of processor", "MB/s"], _whole_file(folder, file_bytes)))


async def _fill(store: Embedded, items: int, bar: Bar) -> None:
    await store.call("CreateTable", TABLE)
    starts = iter(range(0, items, 25))

    async def write() -> None:
        for start in starts:
            puts = [{"PutRequest": {"Item": _item(number)}} for number in range(start, min(start + 25, items))]
            await store.call("BatchWriteItem", {"RequestItems": {"big": puts}})
            bar(min(start + 25, items), items)

    await asyncio.gather(*(write() for _ in range(WRITERS)))


def _item(number: int) -> Request:
    group, place = divmod(number, PER_PARTITION)
    return {
        **_key(number),
        "state": {"S": f"state#{group % 1000:04}#{place % 3}"},
        "owner": {"S": f"owner#{number * 7919 % 1_000_003 // 100:08}"},
        "title": {"S": f"item {number}"},
        "rank": {"N": str(number)},
        "text": {"S": "x" * 120},
    }


def _key(number: int) -> Request:
    group, place = divmod(number, PER_PARTITION)
    return {"pk": {"S": f"group#{group:08}"}, "sk": {"S": f"item#{place:04}"}}


class Taken:
    """How long the reads of one store took, in µs: by the wall's clock, and of the processor."""

    def __init__(self, items: int, store: Embedded) -> None:
        self._items, self._store = items, store
        self.wall: list[float] = []
        self.processor: list[float] = []

    async def read(self, make: Callable[[int], tuple[str, Request]], chance: random.Random) -> None:
        request = make(chance.randrange(self._items))
        wall, processor = time.perf_counter(), time.thread_time()
        await self._store.call(*request)
        self.processor.append((time.thread_time() - processor) * 1e6)
        self.wall.append((time.perf_counter() - wall) * 1e6)


async def _reads(small: Embedded, big: Embedded, items: int) -> list[list[str]]:
    """In turns, so that whatever else the machine does meets both. All of it is asked once before: to map a page of a
    file that nobody has touched yet takes longer than to read from it."""
    kinds: dict[str, Callable[[int], tuple[str, Request]]] = {
        "GetItem": lambda number: ("GetItem", {"TableName": "big", "Key": _key(number)}),
        f"Query of {PAGE}": _query,
        f"Query of {PAGE} by an index": _query_index,
    }
    rows = []
    for name, make in kinds.items():
        for _ in ("once before", "counted"):
            chance, pair = random.Random(1), (Taken(SMALL, small), Taken(items, big))
            for _ in range(READS):
                for each in pair:
                    await each.read(make, chance)
        for clock in ("processor", "wall"):
            for share in (0.5, 0.99):
                less, more = (percentile(getattr(each, clock), share) for each in pair)
                title = f"{name}, p{share * 100:.0f}, {clock}"
                rows.append([title, f"{less:.0f}", f"{more:.0f}", f"{more / less:.2f}"])
    return rows


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(len(values) * share)]


def _query(number: int) -> tuple[str, Request]:
    values = {":pk": _key(number)["pk"], ":sk": {"S": f"item#{number % (PER_PARTITION - PAGE):04}"}}
    return "Query", _page("pk = :pk AND sk >= :sk", values)


def _query_index(number: int) -> tuple[str, Request]:
    by_state = {"IndexName": "by_state", "ExpressionAttributeNames": {"#s": "state"}}
    return "Query", {**_page("#s = :s", {":s": _item(number)["state"]}), **by_state}


def _page(condition: str, values: Request) -> Request:
    return {
        "TableName": "big",
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": values,
        "Limit": PAGE,
    }


def _whole_file(folder: Path, file_bytes: int) -> list[list[str]]:
    big, backup, restored = folder / "big.db", folder / "backup.db", folder / "restored.db"

    def verified() -> None:
        assert list(verify_file(str(big))) == []

    def copied(source: Path, target: Path) -> Callable[[], None]:
        def copy() -> None:
            assert copy_file(source, target, Bar("copy")) == []

        return copy

    rows = []
    works = {"verify": verified, "backup, verified": copied(big, backup), "restore, verified": copied(backup, restored)}
    for name, work in works.items():
        os.sync()
        began, processor = time.perf_counter(), time.process_time()
        work()
        seconds, worked = time.perf_counter() - began, time.process_time() - processor
        rows.append([name, f"{seconds:.1f}", f"{worked:.1f}", f"{file_bytes / 1e6 / seconds:.0f}"])
    return rows
