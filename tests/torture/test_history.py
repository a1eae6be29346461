"""Registers over HTTP while the servers are killed: what all clients were told stands in one order.

Clients of two processes on one file read, write and compare and swap the same few items. Every value is written once,
so an answer tells whose write it saw.

Seen to fail with each of the planted faults of `test_a_planted_fault_is_noticed`.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sekkei.engine import Engine
from sekkei.errors import ConditionalCheckFailedException, DynamoDBError, TransactionConflictException
from sekkei.store.aws.credentials import Credentials
from sekkei.store.remote import Remote
from sekkei.store.retries import Retries
from tests.engine.conftest import Tables, item
from tests.torture import amounts
from tests.torture.children import Child, serve_store
from tests.torture.history import History, Operation, Value
from tests.torture.plants import NOTICED

REGISTERS = ("a", "b")
CLIENTS = 6
TABLE = "registers"

Registers = dict[str, Value]


class Client:
    """One of several that use the same registers, until its server is gone."""

    def __init__(self, remote: Remote, histories: dict[str, History], values: Iterator[int], seed: float) -> None:
        self._remote, self._histories, self._values = remote, histories, values
        self._chance = random.Random(seed)
        self._seen: dict[str, Value] = dict.fromkeys(histories)

    async def work(self, answered: Callable[[], None]) -> None:
        with suppress(DynamoDBError):
            while True:
                name = self._chance.choice(REGISTERS)
                await self._one(name, self._chance.choice(("read", "read", "write", "swap")))
                answered()

    async def _one(self, name: str, kind: str) -> None:
        history = self._histories[name]
        if kind == "read":
            operation = history.begin("read")
            found = await self._remote.call(
                "GetItem", {"TableName": TABLE, "Key": item(pk=name), "ConsistentRead": True}
            )
            self._seen[name] = _value(found.get("Item"))
            history.end(operation, self._seen[name])
            return
        operation = history.begin(kind, next(self._values), self._seen[name] if kind == "swap" else None)
        try:
            await self._remote.call("PutItem", _put(name, operation))
            history.end(operation, did=True)
        except (ConditionalCheckFailedException, TransactionConflictException) as refusal:
            if isinstance(refusal, TransactionConflictException):  # of the other process: nothing was written
                history.operations.remove(operation)
            else:
                history.end(operation, did=False)


def _value(found: dict[str, Any] | None) -> Value:
    return int(found["n"]["N"]) if found is not None else None


def _put(name: str, operation: Operation) -> dict[str, Any]:
    request: dict[str, Any] = {"TableName": TABLE, "Item": item(pk=name, n=operation.value)}
    if operation.kind == "swap" and operation.expected is None:
        request["ConditionExpression"] = "attribute_not_exists(pk)"
    elif operation.kind == "swap":
        request["ConditionExpression"] = "n = :n"
        request["ExpressionAttributeValues"] = item(**{":n": operation.expected})
    return request


async def kill_repeatedly(folder: Path, kills: int, seed: int, planted: str | None = None) -> None:
    chance, values = random.Random(seed), itertools.count(1)
    path = folder / "store.db"
    with Engine(path) as engine:
        await Tables(engine, engine.clock).create_plain(TABLE)  # type: ignore[arg-type]
    before: Registers = dict.fromkeys(REGISTERS)
    for number in range(kills):
        histories = {name: History() for name in REGISTERS}
        await _run(path, histories, values, chance, planted)
        left = await _read(path, histories)
        for name, history in histories.items():
            assert history.is_linearizable(before[name]), f"no order explains what was told of {name}, round {number}"
        before = left


async def _run(
    path: Path, histories: dict[str, History], values: Iterator[int], chance: random.Random, planted: str | None
) -> None:
    """Clients of two servers; one is killed after so many answers, the other some more answers later."""
    children = [Child(serve_store, str(path), planted) for _ in range(2)]
    remotes = [_remote(next(child.listen())) for child in children]
    deaths = dict(zip(itertools.accumulate(chance.randrange(1, 40) for _ in children), children, strict=True))
    answers = itertools.count(1)

    def answered() -> None:
        if (victim := deaths.get(next(answers))) is not None:
            victim.kill()

    clients = [Client(remotes[number % 2], histories, values, chance.random()) for number in range(CLIENTS)]
    await asyncio.gather(*(client.work(answered) for client in clients))
    for child, remote in zip(children, remotes, strict=True):
        child.kill()
        await remote.close()


def _remote(port: int) -> Remote:
    url, credentials = f"http://127.0.0.1:{port}", Credentials("fake", "fake")
    return Remote("us-east-1", url, credentials, retries=Retries(attempts=1))


async def _read(path: Path, histories: dict[str, History]) -> Registers:
    """What is left is the last read: whoever could have written is dead."""
    left: Registers = {}
    with Engine(path, housekeeping_seconds=None) as engine:
        for name, history in histories.items():
            operation = history.begin("read")
            left[name] = _value((await engine.call("GetItem", {"TableName": TABLE, "Key": item(pk=name)})).get("Item"))
            history.end(operation, left[name])
    return left


def test_what_one_order_explains() -> None:
    history = History()
    write, read = history.begin("write", 1), history.begin("read")
    history.end(read, None)
    history.end(write, did=True)
    swap = history.begin("swap", 2, expected=1)
    history.begin("write", 3)  # without an answer, and never seen
    history.end(swap, did=True)
    history.end(history.begin("read"), 2)
    assert history.is_linearizable(None)


def test_a_refusal_tells_of_a_write_without_an_answer() -> None:
    history = History()
    history.begin("write", 2)
    history.end(history.begin("swap", 3, expected=1), did=False)
    assert history.is_linearizable(1)
    history.end(history.begin("read"), 1)
    assert not history.is_linearizable(1)


@pytest.mark.parametrize("told", [None, 1, 3])
def test_what_no_order_explains(told: Value) -> None:
    """An answer of the past, or of nobody's."""
    history = History()
    for value in (1, 2):
        history.end(history.begin("write", value), did=True)
    history.end(history.begin("read"), told)
    assert not history.is_linearizable(None)


async def test_a_few_kills(tmp_path: Path) -> None:
    await kill_repeatedly(tmp_path, kills=5, seed=1)


@pytest.mark.parametrize("planted", ["acknowledge early", "answer from memory", "swap blindly"])
@pytest.mark.timeout(900)
async def test_a_planted_fault_is_noticed(tmp_path: Path, planted: str) -> None:
    with pytest.raises(NOTICED):
        await kill_repeatedly(tmp_path, kills=600, seed=2, planted=planted)


@pytest.mark.torture
@pytest.mark.timeout(0)
async def test_many_kills(tmp_path: Path) -> None:
    await kill_repeatedly(tmp_path, amounts.KILLS, seed=amounts.seed(3))
