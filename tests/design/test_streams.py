from __future__ import annotations

import uuid
from datetime import date
from typing import Any

import pytest

from sekkei.design import Change, Database, Design, DesignError, ItemRefused, Key, Reactions, replace
from sekkei.design.streams import decode_record
from sekkei.store import Store, UnknownError
from tests.design.example import (
    DayTotals,
    Notice,
    Status,
    Task,
    Totals,
    board,
    day_totals,
    design,
    notices,
    tasks,
    totals,
)

TASK = Task(team_id="t1", task_id="k1", title="x")
ARN = "arn:aws:dynamodb:ap-northeast-1:123456789012:table/test-board/stream/2025-01-01T00:00:00.000"


def record(kind: str, old: Any = None, new: Any = None, number: int = 1, **extra: Any) -> dict[str, Any]:
    entity = {Task: tasks, Totals: totals, DayTotals: day_totals}[type(new or old)]
    images = {name: entity.encode(value) for name, value in (("OldImage", old), ("NewImage", new)) if value is not None}
    data = {"Keys": entity.ref_of(new or old).key, "SequenceNumber": str(number), **images}
    return {"eventID": uuid.uuid4().hex, "eventName": kind, "eventSourceARN": ARN, "dynamodb": data, **extra}


def test_records_become_typed_changes() -> None:
    done = replace(TASK, status=Status.DONE)
    change = decode_record(board, record("MODIFY", TASK, done))
    assert (change.kind, change.old, change.new) == ("MODIFY", TASK, done)
    assert change.ref == tasks("t1", "k1")
    assert change.entity is tasks
    assert decode_record(board, record("INSERT", None, TASK)).old is None
    removed = decode_record(board, record("REMOVE", TASK))
    assert (removed.new, removed.expired) == (None, False)


def test_kinds_that_share_a_type_are_told_apart_by_key() -> None:
    day = DayTotals(team_id="t1", day=date(2025, 1, 1))
    assert decode_record(board, record("INSERT", None, day)).new == day
    assert decode_record(board, record("INSERT", None, Totals(team_id="t1"))).entity is totals


def test_a_removal_by_time_to_live_is_told_apart() -> None:
    for identity in (
        {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
        {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"},
    ):
        assert decode_record(board, record("REMOVE", TASK, userIdentity=identity)).expired
    assert not decode_record(board, record("REMOVE", TASK, userIdentity={"principalId": "somebody"})).expired


def test_keys_alone_still_name_the_item() -> None:
    bare = record("MODIFY", TASK, TASK)
    del bare["dynamodb"]["OldImage"], bare["dynamodb"]["NewImage"]
    change = decode_record(board, bare)
    assert (change.ref, change.old, change.new) == (tasks("t1", "k1"), None, None)
    bare["dynamodb"]["Keys"]["SK"] = {"S": "UFO#1"}
    with pytest.raises(ItemRefused, match="SK504"):
        decode_record(board, bare)


async def test_reactions_run_by_entity_and_report_the_first_failure() -> None:
    reactions = Reactions(design, env="test")
    seen: list[Any] = []

    @reactions.on(tasks)
    async def on_task(change: Change[Task]) -> None:
        if change.new is not None and change.new.title == "bad":
            raise RuntimeError("this reaction fails")
        seen.append(change.new and change.new.title)

    @reactions.on(totals)
    async def on_totals(change: Change[Totals]) -> None:
        seen.append(change.new and change.new.todo)

    assert reactions.tables == [board]
    event = {
        "Records": [
            record("INSERT", None, TASK, 1),
            record("INSERT", None, Totals(team_id="t1", todo=4), 2),
            record("INSERT", None, DayTotals(team_id="t1", day=date(2025, 1, 1)), 3),
            record("INSERT", None, replace(TASK, title="bad"), 4),
            record("INSERT", None, replace(TASK, title="never reached"), 5),
        ]
    }
    assert await reactions.handle(event) == {"batchItemFailures": [{"itemIdentifier": "4"}]}
    assert seen == ["x", 4]
    assert await reactions.handle({"Records": []}) == {"batchItemFailures": []}


async def test_a_stream_of_another_table_is_refused() -> None:
    reactions = Reactions(design, env="prod")
    with pytest.raises(DesignError, match="SK147"):
        await reactions.handle({"Records": [record("INSERT", None, TASK)]})


def test_a_table_without_a_stream_has_no_reactions() -> None:
    reactions = Reactions(design)

    async def react(change: Change[Notice]) -> None: ...

    with pytest.raises(DesignError, match="SK146"):
        reactions.on(notices)(react)


async def test_records_of_a_live_stream(db: Database, store: Store) -> None:
    await db.write(tasks.create(TASK))
    await db.write(tasks.update("t1", "k1").set(Task.status, Status.DONE))
    await db.write(tasks.delete("t1", "k1"))
    name = db.table_name(board)
    arn = (await store.call("DescribeTable", {"TableName": name}))["Table"]["LatestStreamArn"]
    try:
        described = await store.call("DescribeStream", {"StreamArn": arn})
    except UnknownError as error:
        pytest.skip(f"Ministack serves streams only when its SERVICES name them: {error}")
    shard = described["StreamDescription"]["Shards"][0]["ShardId"]
    asked = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = (await store.call("GetShardIterator", asked))["ShardIterator"]
    records = (await store.call("GetRecords", {"ShardIterator": iterator}))["Records"]
    changes = [decode_record(board, one) for one in records]
    assert [change.kind for change in changes] == ["INSERT", "MODIFY", "REMOVE"]
    assert changes[1].old == TASK
    assert changes[1].new == replace(TASK, status=Status.DONE)


def test_a_design_names_its_tables() -> None:
    made = Design("x", tables="{env}-x-{table}")
    table = made.table("A", "id")
    assert made.table_name(table, "prod") == "prod-x-A"
    assert made.table_named("prod-x-A", "prod") is table
    assert made.table_named("prod-x-A", "dev") is None
    assert Key("a").sk is None
