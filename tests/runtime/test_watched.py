"""A watched store: who waits for a row is woken by a write of this process, and every call is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sekkei.errors import ConditionalCheckFailedException, ValidationException
from sekkei.runtime.watched import Watched, watched
from sekkei.store import Embedded
from tests.scripted_store import ScriptedStore, answers, raises

KEY = {"PK": {"S": "OUTBOX#1"}, "SK": {"S": "MESSAGE"}}


@pytest.mark.parametrize(
    ("operation", "request_", "heard"),
    [
        ("PutItem", {"TableName": "t", "Item": {**KEY, "n": {"N": "1"}}}, True),
        ("UpdateItem", {"TableName": "t", "Key": KEY}, True),
        ("UpdateItem", {"TableName": "t", "Key": {"PK": {"S": "JOB#1"}}}, False),
        ("DeleteItem", {"TableName": "other", "Key": KEY}, False),
        ("BatchWriteItem", {"RequestItems": {"t": [{"DeleteRequest": {"Key": KEY}}]}}, True),
        ("TransactWriteItems", {"TransactItems": [{"Update": {"TableName": "t", "Key": KEY}}]}, True),
        ("TransactWriteItems", {"TransactItems": [{"ConditionCheck": {"TableName": "t", "Key": KEY}}]}, False),
        ("ExecuteStatement", {"Statement": "UPDATE t …"}, True),
        ("GetItem", {"TableName": "t", "Key": KEY}, False),
    ],
)
async def test_a_write_wakes_who_waits_for_it(operation: str, request_: Mapping[str, Any], heard: bool) -> None:
    store = Watched(ScriptedStore())
    ear = store.ear("t", "OUTBOX#")
    await store.call(operation, request_)
    assert await ear.wait(0) is heard
    assert store.calls == {operation: 1}
    ear.forget()
    assert not await ear.wait(0)


async def test_a_write_without_an_answer_may_have_been_carried_out() -> None:
    store = Watched(ScriptedStore(before=answers(ValidationException("no"))))
    ear = store.ear("t")
    with pytest.raises(ValidationException):
        await store.call("PutItem", {"TableName": "t", "Item": KEY})
    assert await ear.wait(0)
    with pytest.raises(ValidationException):
        await store.call("PutItem", {})


async def test_who_waits_is_woken_at_once() -> None:
    store = watched(ScriptedStore())
    assert watched(store) is store
    ear = store.ear("t")
    waiting = asyncio.create_task(ear.wait(30))
    await asyncio.sleep(0)
    await store.call("PutItem", {"TableName": "t", "Item": KEY})
    assert await waiting


async def test_the_version_changes_when_anybody_writes(tmp_path: Path) -> None:
    assert Watched(ScriptedStore()).version() is None
    here, there = Embedded(tmp_path / "a.db"), Embedded(tmp_path / "a.db")
    store = Watched(here)
    first = store.version()
    assert store.version() == first
    table = {
        "TableName": "tab",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    }
    await there.call("CreateTable", table)
    second = store.version()
    assert second != first
    await store.call("PutItem", {"TableName": "tab", "Item": {"id": {"S": "x"}}})
    assert store.version() != second
    await there.close()
    await here.close()


@pytest.mark.parametrize("answer_lost", [False, True])
async def test_what_a_condition_refused_wakes_nobody(answer_lost: bool) -> None:
    """A worker that tried to take another's lease was woken by its own refusal, without a pause, until the lease ended.
    Where an earlier answer was lost, the write may have been ours."""
    error = ConditionalCheckFailedException("The conditional request failed")
    error.answer_lost = answer_lost
    store = Watched(ScriptedStore(before=raises(error)))
    ear = store.ear("t", "OUTBOX#")
    with pytest.raises(ConditionalCheckFailedException):
        await store.call("UpdateItem", {"TableName": "t", "Key": KEY})
    assert await ear.wait(0) is answer_lost
