"""Reading a stream the way a consumer does."""

from __future__ import annotations

from typing import Any

from sekkei.engine import Engine


async def stream_arn(engine: Engine, table: str = "items") -> str:
    return str((await engine.call("DescribeTable", {"TableName": table}))["Table"]["LatestStreamArn"])


async def shard(engine: Engine, arn: str) -> dict[str, Any]:
    (found,) = (await engine.call("DescribeStream", {"StreamArn": arn}))["StreamDescription"]["Shards"]
    return dict(found)


async def iterator(engine: Engine, arn: str, kind: str = "TRIM_HORIZON", **more: Any) -> str:
    request = {"StreamArn": arn, "ShardId": (await shard(engine, arn))["ShardId"], "ShardIteratorType": kind, **more}
    return str((await engine.call("GetShardIterator", request))["ShardIterator"])


async def read_from(engine: Engine, place: str, **more: Any) -> tuple[list[dict[str, Any]], str | None]:
    """Records up to the present end, and where to go on; None when the shard is closed and read."""
    records: list[dict[str, Any]] = []
    while True:
        page = await engine.call("GetRecords", {"ShardIterator": place, **more})
        records += page["Records"]
        following = page.get("NextShardIterator")
        if following is None or not page["Records"]:
            return records, following
        place = following


async def read(engine: Engine, arn: str, kind: str = "TRIM_HORIZON", **more: Any) -> list[dict[str, Any]]:
    return (await read_from(engine, await iterator(engine, arn, kind, **more)))[0]


def replay(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The table that a stream of new images tells of."""
    items: dict[str, Any] = {}
    for record in records:
        key = repr(sorted(record["dynamodb"]["Keys"].items()))
        if record["eventName"] == "REMOVE":
            items.pop(key, None)
        else:
            items[key] = record["dynamodb"]["NewImage"]
    return items


def stream(view: str) -> dict[str, object]:
    return {"StreamEnabled": True, "StreamViewType": view}
