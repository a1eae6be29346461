"""What is tried again, and what happens when trying does not help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import sekkei.design.retries as retries
from sekkei.clock import ManualClock
from sekkei.design import ConditionFailed, Contended, Database, TransactionFailed, tables
from sekkei.errors import ConditionalCheckFailedException, TransactionCanceledException
from sekkei.store import Embedded
from tests.design.example import Task, Totals, design, tasks, totals
from tests.scripted_store import ScriptedStore, answers

Answer = Callable[[dict[str, Any]], dict[str, Any]]
TASK = Task(team_id="t", task_id="k", title="x")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT_SECONDS", 0.0)


def scripted(*given: Any) -> ScriptedStore:
    return ScriptedStore(before=answers(*given))


def opened(store: Any) -> Database:
    return design.open(store, env="x", clock=ManualClock())


async def test_unprocessed_writes_are_sent_again_until_none_is_left() -> None:
    def half(request: dict[str, Any]) -> dict[str, Any]:
        ((name, elements),) = request["RequestItems"].items()
        left = elements[len(elements) // 2 + 1 :]
        return {"UnprocessedItems": {name: left} if left else {}}

    store = scripted(half)
    assert (
        await opened(store).write_many(tasks.put(Task(team_id="t", task_id=str(i), title="")) for i in range(30)) == 30
    )
    sizes = [len(request["RequestItems"]["x-board"]) for _, request in store.asked]
    assert sizes == [25, 12, 5, 2, 5, 2]
    seen = {e["PutRequest"]["Item"]["SK"]["S"] for _, r in store.asked for e in r["RequestItems"]["x-board"]}
    assert len(seen) == 30


async def test_unprocessed_reads_are_asked_again() -> None:
    def first_two(request: dict[str, Any]) -> dict[str, Any]:
        keys = request["RequestItems"]["x-board"]["Keys"]
        items = [tasks.encode(Task(team_id="t", task_id=key["SK"]["S"][5:], title="x")) for key in keys[:2]]
        rest = {"x-board": {"Keys": keys[2:]}} if keys[2:] else {}
        return {"Responses": {"x-board": items}, "UnprocessedKeys": rest}

    store = scripted(first_two)
    found = await opened(store).get_many(tasks("t", str(i)) for i in range(5))
    assert [task.task_id for task in found if task is not None] == ["0", "1", "2", "3", "4"]
    assert len(store.asked) == 3


async def test_a_store_that_never_finishes_is_given_up() -> None:
    never = scripted(lambda request: {"UnprocessedItems": request["RequestItems"]})
    with pytest.raises(Contended, match="SK305"):
        await opened(never).write_many([tasks.put(TASK)])
    assert len(never.asked) == retries.TRIES_MAX
    never = scripted(lambda request: {"Responses": {}, "UnprocessedKeys": request["RequestItems"]})
    with pytest.raises(Contended, match="SK304"):
        await opened(never).get_many([tasks("t", "k")])


async def test_conflicts_are_tried_again() -> None:
    conflict = TransactionCanceledException.of([{"Code": "TransactionConflict", "Message": "busy"}, {"Code": "None"}])
    store = scripted(conflict, conflict, {})
    await opened(store).transact(tasks.create(TASK), totals.upsert("t").add(Totals.todo, 1), token="same")
    assert [request["ClientRequestToken"] for _, request in store.asked] == ["same"] * 3
    with pytest.raises(Contended, match="SK303"):
        await opened(scripted(conflict)).transact(tasks.create(TASK), totals.upsert("t").add(Totals.todo, 1))


async def test_a_failed_condition_is_not_tried_again() -> None:
    failed = TransactionCanceledException.of(
        [{"Code": "ConditionalCheckFailed", "Message": "no"}, {"Code": "TransactionConflict", "Message": "busy"}]
    )
    store = scripted(failed)
    with pytest.raises(TransactionFailed):
        await opened(store).transact(tasks.create(TASK), totals.upsert("t").add(Totals.todo, 1))
    assert len(store.asked) == 1


async def test_other_reasons_are_told_in_the_stores_words() -> None:
    odd = TransactionCanceledException.of([{"Code": "None"}, {"Code": "ValidationError", "Message": "too big"}])
    bump = totals.upsert("t").add(Totals.todo, 1)
    with pytest.raises(TransactionFailed, match="too big") as told:
        await opened(scripted(odd)).transact(tasks.create(TASK), bump)
    reason = told.value.reason(bump)
    assert reason is not None
    assert reason.code == "ValidationError"


async def test_a_store_that_does_not_send_the_old_item() -> None:
    create = tasks.create(TASK)
    with pytest.raises(ConditionFailed, match="already there") as failed:
        await opened(scripted(ConditionalCheckFailedException())).write(create)
    assert failed.value.old(create) is None


async def test_an_empty_store_is_closed_with_its_database() -> None:
    store = Embedded()
    db = opened(store)
    await db.close()
    with pytest.raises(Exception, match="closed"):
        await store.call("ListTables", {})


async def test_a_transaction_whose_answer_was_lost_is_recognised() -> None:
    """The first try happens but is answered with a conflict, as after a lost answer; the second finds its own work."""
    inner = Embedded()
    await tables.create(inner, design, "test")
    tokens: list[str] = []

    def lose_the_first(operation: str, request: Any, answer: Any) -> None:
        if operation == "TransactWriteItems":
            tokens.append(request["ClientRequestToken"])
            if len(tokens) == 1:
                raise TransactionCanceledException.of([{"Code": "TransactionConflict"}, {"Code": "None"}])

    db = design.open(ScriptedStore(inner, after=lose_the_first), env="test")
    await db.transact(tasks.create(TASK), totals.upsert("t").add(Totals.todo, 1))
    assert len(tokens) == 2
    assert tokens[0] == tokens[1]
    assert (await db.need(totals("t").consistent())).todo == 1
    await db.transact(totals.upsert("t").add(Totals.todo, 1), tasks.must_exist("t", "k"))
    assert tokens[2] != tokens[0], "another transaction has another token"
    await inner.close()
