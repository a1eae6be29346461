"""Clients that run at once: transfers between accounts, appends to lists, and auditors that look at all of it.

A transfer takes from one account what it gives to another, so every audit must find the same total. An append writes
its number to two lists, so every audit must see it in both or in neither, and any two audits must agree on the order.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from multiprocessing.connection import Connection
from typing import Any

from sekkei.engine import Engine
from sekkei.errors import TransactionCanceledException, TransactionConflictException
from tests.engine.conftest import Tables, item
from tests.torture.children import plant

ACCOUNTS = 6
BALANCE = 100
LISTS = 3
RETRIES = 200

Audit = tuple[int, list[list[int]]]
"""The total, and each list as it was at one moment."""


async def create(engine: Engine) -> None:
    tables = Tables(engine, engine.clock)  # type: ignore[arg-type]
    await tables.create_plain("bank")
    for number in range(ACCOUNTS):
        await tables.put("bank", pk=f"account-{number}", n=BALANCE)
    for number in range(LISTS):
        await tables.put("bank", pk=f"list-{number}", entries={"L": []})


class Client:
    """One of many; what it appends nobody else does."""

    def __init__(self, engine: Engine, id: int) -> None:
        self._engine = engine
        self._id = id
        self._chance = random.Random(id)
        self._appended = 0
        self.audits: list[Audit] = []

    async def work(self, rounds: int) -> list[Audit]:
        for _ in range(rounds):
            await self._transfer()
            await self._append()
            self.audits.append(await self._audit())
        return self.audits

    async def _transfer(self) -> None:
        source, target = self._chance.sample(range(ACCOUNTS), 2)
        amount = str(self._chance.randrange(1, 40))
        take = _update(f"account-{source}", "SET n = n - :x", {":x": {"N": amount}}, ConditionExpression="n >= :x")
        give = _update(f"account-{target}", "ADD n :x", {":x": {"N": amount}})
        await self._transact([take, give])

    async def _append(self) -> None:
        self._appended += 1
        entry = {"L": [{"N": str(self._id * 1_000_000 + self._appended)}]}
        chosen = self._chance.sample(range(LISTS), 2)
        text = "SET entries = list_append(entries, :x)"
        await self._transact([_update(f"list-{number}", text, {":x": entry}) for number in chosen])

    async def _transact(self, actions: list[dict[str, Any]]) -> None:
        for _ in range(RETRIES):
            try:
                await self._engine.call("TransactWriteItems", {"TransactItems": actions})
                return
            except TransactionCanceledException:
                return
            except TransactionConflictException:
                # Another process had the file; nothing was written.
                await asyncio.sleep(self._chance.random() / 100)
        raise AssertionError("the file was never free")

    async def _audit(self) -> Audit:
        names = [*(f"account-{n}" for n in range(ACCOUNTS)), *(f"list-{n}" for n in range(LISTS))]
        gets = [{"Get": {"TableName": "bank", "Key": item(pk=name)}} for name in names]
        answer = await self._engine.call("TransactGetItems", {"TransactItems": gets})
        found = [response["Item"] for response in answer["Responses"]]
        total = sum(int(account["n"]["N"]) for account in found[:ACCOUNTS])
        return total, [[int(entry["N"]) for entry in each["entries"]["L"]] for each in found[ACCOUNTS:]]


def _update(name: str, text: str, values: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "bank",
            "Key": item(pk=name),
            "UpdateExpression": text,
            "ExpressionAttributeValues": values,
            **more,
        }
    }


def work_in_process(pipe: Connection, path: str, id: int, rounds: int, planted: str | None) -> None:
    plant(planted)
    with Engine(path) as engine:
        pipe.send(asyncio.run(Client(engine, id).work(rounds)))


def check_audits(audits: list[Audit]) -> None:
    """No total differs, no append is seen by half, and the audits stand in one order."""
    for total, lists in audits:
        assert total == ACCOUNTS * BALANCE, f"the total was {total}"
        seen = sorted(entry for each in lists for entry in each)
        assert seen[::2] == seen[1::2], "an append was seen in one list and not in the other"
    ordered = sorted((lists for _, lists in audits), key=lambda lists: sum(map(len, lists)))
    for earlier, later in itertools.pairwise(ordered):
        for before, after in zip(earlier, later, strict=True):
            assert after[: len(before)] == before, "two audits disagree on what came first"
