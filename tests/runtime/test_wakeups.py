"""A process hears at once what it writes, and soon what other processes of the store write."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sekkei.clock import SYSTEM
from sekkei.design import Database
from sekkei.errors import ConditionalCheckFailedException, ValidationException
from sekkei.runtime import days, wakeups, worker
from sekkei.runtime.deployment import Deployment
from sekkei.runtime.design import beats_of
from sekkei.runtime.wakeups import Watched, watched
from sekkei.store import Embedded
from tests.runtime.test_pump import Note, design, notes
from tests.runtime.test_worker import LONG_SECONDS, NEVER, PAUSES, Told, working
from tests.scripted_store import ScriptedStore, answers, raises

# A watched store: who waits for a row is woken by a write of this process, and every call is counted.


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


# Processes on a store that cannot tell of changes tell each other.


SOON = 0.01


@pytest.fixture
def nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself, before a week is over; what is heard is heard at once."""
    for name in PAUSES:
        monkeypatch.setattr(worker, name, NEVER)
    for name in ("LOOK_SECONDS", "TELL_SECONDS"):
        monkeypatch.setattr(wakeups, name, SOON)


def notes_of(deployment: Deployment) -> Database:
    return deployment.systems["quiet"].context.db


async def beaten(deployment: Deployment) -> dict[str, int]:
    return {beat.what: beat.number for beat in await deployment.runtime.all(beats_of(wakeups.HEART))}


def test_a_reaction_begins_within_two_seconds_of_another_processes_write() -> None:
    assert wakeups.TELL_SECONDS + wakeups.LOOK_SECONDS < 2


@pytest.mark.usefixtures("nobody_looks")
async def test_a_process_that_only_answers_requests_tells_the_worker_of_another() -> None:
    told, store = Told(), ScriptedStore(Embedded())
    async with working(store, told), working(store, Told(), start=False) as other:
        await other.worker.only_tell()
        for text in ("first", "second"):
            await notes_of(other).write(notes.put(Note(id="1", text=text)))
            await told.of(text, LONG_SECONDS)
        await other.systems["quiet"].context.schedules.put("one", "on-time", {}, at=days.now(SYSTEM))
        await told.of("on time", LONG_SECONDS)
        assert set(await beaten(other)) == {notes_of(other).table_name(notes.table), "schedules"}
    await store.close()


@pytest.mark.usefixtures("nobody_looks")
async def test_who_reads_everything_here_tells_nobody() -> None:
    told, store = Told(), ScriptedStore(Embedded())
    async with working(store, told) as deployment:
        await notes_of(deployment).write(notes.put(Note(id="1", text="first")))
        await told.of("first", LONG_SECONDS)
        before = await beaten(deployment)
        await notes_of(deployment).write(notes.put(Note(id="1", text="mine")))
        await told.of("mine", LONG_SECONDS)
        await deployment.worker.pulse.tell()
        assert await beaten(deployment) == before
    await store.close()


@pytest.mark.usefixtures("nobody_looks")
async def test_what_one_worker_puts_down_another_takes_up_at_once() -> None:
    told, store = Told(), ScriptedStore(Embedded())
    async with working(store, Told(), "quiet") as first:
        await first.systems["quiet"].running.pumps[0].run_once()
        async with working(store, told) as second:
            await second.systems["quiet"].running.pumps[0].run_once()  # the other has it
            stranger = design.open(store, env="test")
            await stranger.write(notes.put(Note(id="1", text="taken up")))  # nobody hears of it
            await first.worker.stop()
            await told.of("taken up", LONG_SECONDS)
    await store.close()


async def test_a_store_that_can_tell_has_no_pulse() -> None:
    store = Embedded()
    async with working(store, Told()) as deployment:
        await notes_of(deployment).write(notes.put(Note(id="1", text="first")))
        await deployment.worker.stop()
        assert await beaten(deployment) == {}
    await store.close()


async def test_what_is_told_while_a_look_fails_is_heard_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of the last look that was answered count."""
    store = ScriptedStore(Embedded())
    async with working(store, Told(), start=False) as here, working(store, Told(), start=False) as other:
        ear = here.worker.rounds()[0].ear
        other.worker.pulse.note(wakeups.EVERYTHING)
        await other.worker.pulse.tell()
        with monkeypatch.context() as broken:
            broken.setattr(store, "call", None)
            with pytest.raises(TypeError):
                await here.worker.pulse.look()
        await here.worker.pulse.look()
        assert await ear.wait(0)
        ear.forget()
        await here.worker.pulse.look()
        assert not await ear.wait(0), "no news"
    await store.close()
