"""The console on a large table: the first page, the last ones, a partition, a filter; in milliseconds of CPU."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

from bench.markdown import table
from sekkei.design.reading import seal
from sekkei.store import Embedded
from sekkei.store.read_only import ReadOnly
from sekkei.web.console.reading import PAGE_ITEMS
from sekkei.web.console.tables import fingerprint
from sekkei.web.console.target import Looked
from sekkei.web.testing import Client, opened

ITEMS = int(os.environ.get("SEKKEI_BENCH_CONSOLE_ITEMS", "1000000"))
PER_PARTITION = 1000
WRITERS = 16
PAGES = 40
BIG = "/console/tables/big"
SCHEMA = {
    "TableName": "big",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def run() -> None:
    asyncio.run(_measure())


async def _measure() -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Embedded(Path(folder) / "big.db")
        try:
            await _fill(store)
            looked = Looked(ReadOnly(store), {}, "dev", "big.db", alone=True)
            async with opened(looked=looked) as client:
                await client.get("/console/tables/empty")  # compiles the template, once for each process
                print(table(["page of 50 items, CPU", "first", "median", "slowest"], await _rows(client, store)))
        finally:
            await store.close()


async def _fill(store: Embedded) -> None:
    for name in ("big", "empty"):
        await store.call("CreateTable", {**SCHEMA, "TableName": name})
    numbers = iter(range(0, ITEMS, 25))

    async def write() -> None:
        for start in numbers:
            requests = [{"PutRequest": {"Item": _item(number)}} for number in range(start, min(start + 25, ITEMS))]
            await store.call("BatchWriteItem", {"RequestItems": {"big": requests}})

    await asyncio.gather(*(write() for _ in range(WRITERS)))


def _item(number: int) -> dict[str, dict[str, str]]:
    group, place = divmod(number, PER_PARTITION)
    key = {"PK": {"S": f"TEAM#{group:06d}"}, "SK": {"S": f"TASK#{place:06d}"}}
    return {**key, "title": {"S": f"task {number}"}, "rank": {"N": str(number)}, "state": {"S": "open"}}


async def _rows(client: Client, store: Embedded) -> list[list[str]]:
    end = f"{BIG}?{urlencode({'after': await _near_the_end(client, store)})}"
    partition = f"{BIG}?key=TEAM%23{ITEMS // PER_PARTITION // 2:06d}"
    return [
        await _walk(client, f"the table, {ITEMS:,} items", BIG, BIG),
        await _walk(client, "the same, its last pages", end, BIG),
        await _walk(client, "one partition", partition, BIG),
        await _walk(client, "a filter that lets nothing through", f"{BIG}?attr=none&is=exists", BIG, 10),
    ]


async def _near_the_end(client: Client, store: Embedded) -> str:
    """The cursor that the console gives `PAGES` pages before the end."""
    last: list[dict[str, dict[str, str]]] = []
    further: dict[str, object] = {}
    while True:
        answer = await store.call("Scan", {"TableName": "big", **further})
        last = [*last, *answer["Items"]][-PAGES * PAGE_ITEMS :]
        if "LastEvaluatedKey" not in answer:
            break
        further = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    key = {name: last[0][name] for name in ("PK", "SK")}
    secret = client.shell.settings.secrets.key("cursors")
    return seal(key, fingerprint("Scan", {"TableName": "big"}), secret)


async def _walk(client: Client, name: str, path: str, base: str, pages: int = PAGES) -> list[str]:
    """Page after page."""
    took: list[float] = []
    while path and len(took) < pages:
        began = time.process_time()
        reply = await client.get(path)
        took.append((time.process_time() - began) * 1000)
        assert reply.status == 200, reply.text[:500]
        found = re.search(r'rel="next" href="([^"]+)"', reply.text)
        path = base + found[1].replace("&amp;", "&") if found else ""
    ordered = sorted(took)
    return [name, *(f"{one:.1f} ms" for one in (took[0], ordered[len(ordered) // 2], ordered[-1]))]
