"""kill -9 of servers under load over HTTP: two processes on one file, of which now one dies and now the other.

Clients put, change what an index is by, delete, let expire, write batches and transactions, each on keys of its own.
Afterwards an item is what the last answer said, or what the request without an answer would have made of it, or gone if
its time had come; the index, the stream and point-in-time recovery tell of the same items.

Seen to fail with each of the planted faults of `test_a_planted_fault_is_noticed`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sekkei.engine import Engine
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import DynamoDBError, TransactionConflictException
from sekkei.store.aws.credentials import Credentials
from sekkei.store.remote import Remote
from sekkei.store.retries import Retries
from tests.engine.conftest import item
from tests.engine.operations.stream_reading import read, replay, stream_arn
from tests.engine.operations.waiting import jobs_done
from tests.torture import amounts, store
from tests.torture.children import Child, serve_store
from tests.torture.plants import NOTICED

LANES = 4
KEYS = 6
KILLS_PER_FILE = 10
PLANTS = ["acknowledge early", "commit each put", "index later", "unindex later", "expire early", "expire unseen"]

Items = dict[str, dict[str, Any] | None]


@dataclass
class Lane:
    """One client, what it knows of its items, and what it has asked for without an answer."""

    name: str
    chance: random.Random
    known: Items = field(default_factory=dict)
    asked: Items = field(default_factory=dict)
    is_atomic: bool = False
    number: int = 0

    async def write(self, remote: Remote, acknowledged: Callable[[], None]) -> None:
        """Until the server is gone."""
        with suppress(DynamoDBError):
            while True:
                operation, request = self._next()
                with suppress(TransactionConflictException):  # of the other process: nothing was written
                    await remote.call(operation, request)
                    self.known |= self.asked
                    acknowledged()
                self.asked = {}

    def _next(self) -> tuple[str, dict[str, Any]]:
        kind = self.chance.choice(["put", "move", "delete", "fade", "batch", "transaction"])
        keys = self.chance.sample(range(KEYS), 3 if kind in ("batch", "transaction") else 1)
        self.asked = {f"{self.name}{number}": self._item(f"{self.name}{number}") for number in keys}
        self.is_atomic = kind == "transaction"
        (name, made), *_ = self.asked.items()
        if kind == "delete":
            self.asked = {name: None}
            return "DeleteItem", {"TableName": "first", "Key": item(pk=name)}
        if kind == "fade":
            made["expires"] = {"N": str(store.expired())}
        if kind in ("put", "fade"):
            return "PutItem", {"TableName": "first", "Item": made}
        if kind == "move":
            values = {f":{attribute}": made[attribute] for attribute in ("g", "n", "expires")}
            text = "SET g = :g, n = :n, expires = :expires"
            update = {"UpdateExpression": text, "ExpressionAttributeValues": values}
            return "UpdateItem", {"TableName": "first", "Key": item(pk=name), **update}
        self.asked[name] = None
        if kind == "batch":
            return "BatchWriteItem", {"RequestItems": {"first": [_request(*each) for each in self.asked.items()]}}
        return "TransactWriteItems", {"TransactItems": [_action(*each) for each in self.asked.items()]}

    def _item(self, name: str) -> dict[str, Any]:
        self.number += 1
        return item(pk=name, g=f"g{self.chance.randrange(5)}", n=self.number, expires=store.FAR)

    def settle(self, found: Items) -> None:
        """Compare with what the file holds, which is known from here on."""
        for name, before in self.known.items():
            possible = [before, self.asked[name]] if name in self.asked else [before]
            now = found.get(name)
            assert any(_is_left_of(each, now) for each in possible), f"{name} is {now}, and should be one of {possible}"
        changed = {name for name, made in self.asked.items() if _is_left_of(made, found.get(name))}
        unchanged = {name for name in self.asked if _is_left_of(self.known.get(name), found.get(name))}
        assert not self.is_atomic or self.asked.keys() in (changed, unchanged), "a torn transaction"
        self.known |= {name: found.get(name) for name in self.asked}
        self.asked = {}


def _is_left_of(made: dict[str, Any] | None, found: dict[str, Any] | None) -> bool:
    """Whether an item is as it was made, or gone because its time has come."""
    return found == made or (found is None and made is not None and int(made["expires"]["N"]) < store.FAR)


def _request(name: str, made: dict[str, Any] | None) -> dict[str, Any]:
    return {"PutRequest": {"Item": made}} if made else {"DeleteRequest": {"Key": item(pk=name)}}


def _action(name: str, made: dict[str, Any] | None) -> dict[str, Any]:
    if made is None:
        return {"Delete": {"TableName": "first", "Key": item(pk=name)}}
    return {"Put": {"TableName": "first", "Item": made}}


async def kill_repeatedly(folder: Path, kills: int, seed: int, planted: str | None = None) -> None:
    chance = random.Random(seed)
    for generation in range(-(-kills // KILLS_PER_FILE)):
        path = folder / f"store-{generation}.db"
        with Engine(path) as engine:
            await store.create(engine)
        found: Items = {}
        lanes = [Lane(f"{'abcdefgh'[number]}", random.Random(chance.random())) for number in range(2 * LANES)]
        for _ in range(min(KILLS_PER_FILE, kills - generation * KILLS_PER_FILE)):
            await _kill_once(path, lanes, chance, planted)
            found = await check(path)
            for lane in lanes:
                lane.settle(found)
        await check_recovery(path, found)
        path.unlink()


async def _kill_once(path: Path, lanes: list[Lane], chance: random.Random, planted: str | None) -> None:
    """Two servers; the second goes on when the first is dead."""
    servers = []
    for _ in range(2):
        child = Child(serve_store, str(path), planted)
        servers.append((child, next(child.listen())))
    writing = [_Writing(child, port, lanes[place::2], chance) for place, (child, port) in enumerate(servers)]
    await asyncio.gather(*(each.run() for each in writing))


class _Writing:
    """The clients of one server, which is killed after a number of answers."""

    def __init__(self, child: Child, port: int, lanes: list[Lane], chance: random.Random) -> None:
        self._child, self._lanes = child, lanes
        self._left = chance.randrange(1, 60)
        retries = Retries(attempts=1)
        self._store = Remote("us-east-1", f"http://127.0.0.1:{port}", Credentials("fake", "fake"), retries=retries)

    async def run(self) -> None:
        await asyncio.gather(*(lane.write(self._store, self._count) for lane in self._lanes))
        self._child.kill()
        await self._store.close()

    def _count(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._child.kill()


async def check(path: Path) -> Items:
    """The items of the file; whatever else tells of them must tell the same."""
    with Engine(path, housekeeping_seconds=None) as engine:
        items, indexed = [
            (await engine.call("Scan", {"TableName": "first", **more}))["Items"] for more in ({}, {"IndexName": "by_g"})
        ]
        found = {each["pk"]["S"]: each for each in items}
        assert {each["pk"]["S"]: each for each in indexed} == found, "the index is not the table"
        streamed = replay(await read(engine, await stream_arn(engine, "first")))
        assert {each["pk"]["S"]: each for each in streamed.values()} == found, "the stream does not rebuild the table"
    assert list(verify_file(str(path))) == []
    return found


async def check_recovery(path: Path, found: Items) -> None:
    """What point-in-time recovery makes of the present is the present."""
    with Engine(path, housekeeping_seconds=None) as engine:
        request = {"SourceTableName": "first", "TargetTableName": "restored", "UseLatestRestorableTime": True}
        await engine.call("RestoreTableToPointInTime", request)
        await jobs_done(engine)
        restored = (await engine.call("Scan", {"TableName": "restored"}))["Items"]
        assert {each["pk"]["S"]: each for each in restored} == found, "recovery makes another table"


async def test_a_few_kills(tmp_path: Path) -> None:
    await kill_repeatedly(tmp_path, kills=6, seed=1)


@pytest.mark.parametrize("planted", PLANTS)
@pytest.mark.timeout(900)
async def test_a_planted_fault_is_noticed(tmp_path: Path, planted: str) -> None:
    with pytest.raises(NOTICED):
        await kill_repeatedly(tmp_path, kills=600, seed=2, planted=planted)


@pytest.mark.torture
@pytest.mark.timeout(0)
async def test_many_kills(tmp_path: Path) -> None:
    await kill_repeatedly(tmp_path, amounts.KILLS, seed=amounts.seed(3))
