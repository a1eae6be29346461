"""A state machine against a plain dict: whatever is done in whatever order, the store answers what the dict answers.

Among the steps are closing and opening, a crash (the files as they lie at that moment, opened elsewhere), time passing,
expiry, backups, and restores to moments of the past. Seen to fail with indexes that keep entries of deleted items and
with a restore that forgets deletes (`test_a_planted_fault_is_noticed`).
"""

from __future__ import annotations

import asyncio
import copy
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.history import copies
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import ConditionalCheckFailedException, TransactionCanceledException
from tests.engine.conftest import Tables, item
from tests.engine.operations.stream_reading import read, replay, stream_arn
from tests.engine.operations.waiting import jobs_done
from tests.torture import amounts
from tests.torture.plants import NOTICED

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
STEPS_PER_RUN = 50

Answer = TypeVar("Answer")
Key = tuple[str, int]
Item = dict[str, Any]

partitions = st.sampled_from(["a", "b", "c"])
sorts = st.integers(-2, 3)
groups = st.sampled_from(["x", "y", None])
numbers = st.integers(-5, 5)


class StoreMachine(RuleBasedStateMachine):
    """`items` is the model: every item by its key."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.crashes = 0
        self.restores = 0
        self.clock = ManualClock()
        self.items: dict[Key, Item] = {}
        self.past: list[tuple[int, dict[Key, Item]]] = []
        self.open(self.folder / "store.db")
        self.do(self.create())

    def do(self, work: Awaitable[Answer]) -> Answer:
        return self.loop.run_until_complete(_whole(work))

    def open(self, path: Path) -> None:
        self.path = path
        self.engine = Engine(path, clock=self.clock, housekeeping_seconds=None)
        self.tables = Tables(self.engine, self.clock)

    async def create(self) -> None:
        await self.tables.create(StreamSpecification=STREAM)
        specification = {"Enabled": True, "AttributeName": "expires"}
        await self.tables("UpdateTimeToLive", TableName="items", TimeToLiveSpecification=specification)
        recovery = {"PointInTimeRecoveryEnabled": True}
        await self.tables("UpdateContinuousBackups", TableName="items", PointInTimeRecoverySpecification=recovery)

    def teardown(self) -> None:
        self.engine.close()
        assert list(verify_file(str(self.path))) == []
        self.loop.close()
        shutil.rmtree(self.folder)

    # Writes.

    @rule(pk=partitions, sk=sorts, g=groups, n=numbers, life=st.sampled_from([None, 5, 1_000]))
    def put(self, pk: str, sk: int, g: str | None, n: int, life: int | None) -> None:
        new = _item(pk, sk, g, n, None if life is None else int(self.clock.now()) + life)
        self.do(self.tables("PutItem", TableName="items", Item=new))
        self.items[pk, sk] = new

    @rule(pk=partitions, sk=sorts, n=numbers)
    def add(self, pk: str, sk: int, n: int) -> None:
        answer = self.do(
            self.tables(
                "UpdateItem",
                TableName="items",
                Key=item(pk=pk, sk=sk),
                UpdateExpression="ADD n :n",
                ExpressionAttributeValues={":n": {"N": str(n)}},
                ReturnValues="ALL_NEW",
            )
        )
        old = self.items.get((pk, sk), item(pk=pk, sk=sk))
        self.items[pk, sk] = {**old, "n": {"N": str(int(old.get("n", {"N": "0"})["N"]) + n)}}
        assert answer["Attributes"] == self.items[pk, sk]

    @rule(pk=partitions, sk=sorts)
    def delete(self, pk: str, sk: int) -> None:
        answer = self.do(self.tables("DeleteItem", TableName="items", Key=item(pk=pk, sk=sk), ReturnValues="ALL_OLD"))
        assert answer.get("Attributes") == self.items.pop((pk, sk), None)

    @rule(pk=partitions, sk=sorts, n=numbers)
    def put_if_absent(self, pk: str, sk: int, n: int) -> None:
        new = _item(pk, sk, "x", n, None)
        request = {"TableName": "items", "Item": new, "ConditionExpression": "attribute_not_exists(pk)"}
        try:
            self.do(self.engine.call("PutItem", request))
            assert (pk, sk) not in self.items
            self.items[pk, sk] = new
        except ConditionalCheckFailedException:
            assert (pk, sk) in self.items

    @rule(pk=partitions, n=numbers, expected=numbers)
    def move(self, pk: str, n: int, expected: int) -> None:
        """A transaction: sort key 0 goes to sort key 1 if its number is as expected."""
        delete = {
            "TableName": "items",
            "Key": item(pk=pk, sk=0),
            "ConditionExpression": "n = :n",
            "ExpressionAttributeValues": {":n": {"N": str(expected)}},
        }
        new = _item(pk, 1, "y", n, None)
        request = {"TransactItems": [{"Delete": delete}, {"Put": {"TableName": "items", "Item": new}}]}
        holds = self.items.get((pk, 0), {}).get("n") == {"N": str(expected)}
        try:
            self.do(self.engine.call("TransactWriteItems", request))
            assert holds
            del self.items[pk, 0]
            self.items[pk, 1] = new
        except TransactionCanceledException:
            assert not holds

    @rule(keys=st.lists(st.tuples(partitions, sorts), min_size=1, max_size=6, unique=True), n=numbers)
    def batch(self, keys: list[Key], n: int) -> None:
        requests = []
        for position, (pk, sk) in enumerate(keys):
            if position % 2:
                requests.append({"DeleteRequest": {"Key": item(pk=pk, sk=sk)}})
                self.items.pop((pk, sk), None)
            else:
                self.items[pk, sk] = _item(pk, sk, "x", n, None)
                requests.append({"PutRequest": {"Item": self.items[pk, sk]}})
        self.do(self.tables("BatchWriteItem", RequestItems={"items": requests}))

    # Reads.

    @rule(pk=partitions, sk=sorts)
    def get(self, pk: str, sk: int) -> None:
        assert self.do(self.tables.get(pk=pk, sk=sk)) == self.items.get((pk, sk))

    @rule(pk=partitions, low=sorts, forward=st.booleans(), limit=st.integers(1, 4))
    def query(self, pk: str, low: int, forward: bool, limit: int) -> None:
        request: dict[str, Any] = {
            "TableName": "items",
            "KeyConditionExpression": "pk = :pk AND sk >= :low",
            "ExpressionAttributeValues": item(**{":pk": pk, ":low": low}),
            "ScanIndexForward": forward,
            "Limit": limit,
        }
        expected = [found for (p, s), found in sorted(self.items.items()) if p == pk and s >= low]
        assert self.do(self.pages(request)) == (expected if forward else expected[::-1])

    @rule(g=st.sampled_from(["x", "y"]), limit=st.integers(1, 4))
    def query_index(self, g: str, limit: int) -> None:
        request: dict[str, Any] = {
            "TableName": "items",
            "IndexName": "by_g",
            "KeyConditionExpression": "g = :g",
            "ExpressionAttributeValues": item(**{":g": g}),
            "Limit": limit,
        }
        found = self.do(self.pages(request))
        expected = [each for each in self.items.values() if each.get("g") == {"S": g}]
        assert [int(each["sk"]["N"]) for each in found] == sorted(int(each["sk"]["N"]) for each in expected)
        assert sorted(map(repr, found)) == sorted(map(repr, expected))

    async def pages(self, request: dict[str, Any]) -> list[Item]:
        found: list[Item] = []
        start: dict[str, Any] = {}
        while True:
            page = await self.engine.call("Query", {**request, **start})
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                return found
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    @invariant()
    def everything_is_there(self) -> None:
        found = self.do(self.tables.all())
        assert {(each["pk"]["S"], int(each["sk"]["N"])): each for each in found} == self.items

    # Time, ends and beginnings.

    @rule(seconds=st.sampled_from([0.4, 1, 3, 60]))
    def time_passes(self, seconds: float) -> None:
        self.past.append((int(self.clock.now()), copy.copy(self.items)))
        # On to the next second at least, so that nothing else happens within the one that is remembered.
        self.clock.advance(1 + seconds)
        self.clock.set(float(int(self.clock.now())))

    @rule()
    def sweep(self) -> None:
        self.do(self.engine.sweep())
        now = int(self.clock.now())
        self.items = {
            key: found for key, found in self.items.items() if int(found.get("expires", {"N": str(now + 1)})["N"]) > now
        }

    @rule()
    def reopen(self) -> None:
        self.engine.close()
        self.open(self.path)

    @rule()
    def crash(self) -> None:
        """All that was acknowledged is in the files, whoever has them open."""
        self.crashes += 1
        place = self.folder / f"after-{self.crashes}"
        place.mkdir()
        for suffix in ("", "-wal"):
            if Path(f"{self.path}{suffix}").exists():
                shutil.copy(f"{self.path}{suffix}", place / f"store.db{suffix}")
        self.engine.close()
        self.open(place / "store.db")

    @precondition(lambda self: len(self.past) > 0)
    @rule(choice=st.integers(0, 1_000))
    def restore(self, choice: int) -> None:
        second, then = self.past[choice % len(self.past)]
        request = {"SourceTableName": "items", "RestoreDateTime": second}
        self.compare_copy("RestoreTableToPointInTime", request, then)

    @rule()
    def back_up_and_restore(self) -> None:
        answer = self.do(self.tables("CreateBackup", TableName="items", BackupName="backup"))
        self.do(jobs_done(self.engine))
        request = {"BackupArn": answer["BackupDetails"]["BackupArn"]}
        self.compare_copy("RestoreTableFromBackup", request, self.items)
        self.do(self.engine.call("DeleteBackup", request))

    def compare_copy(self, operation: str, request: dict[str, Any], expected: dict[Key, Item]) -> None:
        self.restores += 1
        name = f"copy-{self.restores}"
        self.do(self.engine.call(operation, {**request, "TargetTableName": name}))
        self.do(jobs_done(self.engine))
        found = self.do(self.tables.all(name))
        assert {(each["pk"]["S"], int(each["sk"]["N"])): each for each in found} == expected
        self.do(self.tables("DeleteTable", TableName=name))

    @rule()
    def replay_stream(self) -> None:
        records = self.do(read(self.engine, self.do(stream_arn(self.engine))))
        assert sorted(map(repr, replay(records).values())) == sorted(map(repr, self.items.values()))


async def _whole(work: Awaitable[Answer]) -> Answer:
    return await work


def _item(pk: str, sk: int, g: str | None, n: int, expires: int | None) -> Item:
    attributes: dict[str, Any] = {"pk": pk, "sk": sk, "n": n}
    if g is not None:
        attributes["g"] = g
    if expires is not None:
        attributes["expires"] = expires
    return item(**attributes)


def run(steps: int, **more: Any) -> None:
    chosen = settings(
        max_examples=max(1, steps // STEPS_PER_RUN),
        stateful_step_count=STEPS_PER_RUN,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        **more,
    )
    run_state_machine_as_test(StoreMachine, settings=chosen)


def test_some_steps() -> None:
    run(steps=300)


def _keep_index_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    index = Transaction.index

    def forgetful(self: Transaction, table: Any, base: bytes, row: int, old: Any, new: Any) -> None:
        if new[0] is not None:
            index(self, table, base, row, old, new)

    monkeypatch.setattr(Transaction, "index", forgetful)


def _forget_deletes(monkeypatch: pytest.MonkeyPatch) -> None:
    undone = copies.undone

    def forgetful(*arguments: Any) -> Any:
        return (pair for pair in undone(*arguments) if pair[1] is None)

    monkeypatch.setattr(copies, "undone", forgetful)


@pytest.mark.parametrize("plant", [_keep_index_entries, _forget_deletes])
def test_a_planted_fault_is_noticed(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(NOTICED):
        run(steps=2_000, phases=[Phase.generate], report_multiple_bugs=False, derandomize=True)


@pytest.mark.torture
@pytest.mark.timeout(0)
def test_many_steps() -> None:
    run(steps=amounts.STEPS)
