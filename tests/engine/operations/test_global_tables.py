"""Global tables of 2017, and the scaling of replicas."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import DynamoDBError
from tests.engine.partiql.running import Running

OLD_VERSION = (
    "One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. "
    "We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy)."
)
ABSENT = "Global table with name: 'hash' does not exist."


async def test_there_are_no_global_tables(running: Running) -> None:
    assert await running.engine.call("ListGlobalTables", {}) == {"GlobalTables": []}


@pytest.mark.parametrize(
    ("operation", "request_", "code", "message"),
    [
        (
            "CreateGlobalTable",
            {"GlobalTableName": "hash", "ReplicationGroup": [{"RegionName": "us-east-1"}]},
            "ValidationException",
            OLD_VERSION,
        ),
        (
            "CreateGlobalTable",
            {"GlobalTableName": "hash", "ReplicationGroup": []},
            "ValidationException",
            "One or more parameter values were invalid: Global table must have atleast one replica",
        ),
        (
            "UpdateGlobalTable",
            {"GlobalTableName": "hash", "ReplicaUpdates": [{"Create": {"RegionName": "us-east-1"}}]},
            "ValidationException",
            OLD_VERSION,
        ),
        (
            "UpdateGlobalTable",
            {"GlobalTableName": "hash", "ReplicaUpdates": [{"Delete": {"RegionName": "us-east-1"}}]},
            "GlobalTableNotFoundException",
            f"Global table not found: {ABSENT}",
        ),
        (
            "UpdateGlobalTable",
            {"GlobalTableName": "hash", "ReplicaUpdates": []},
            "ValidationException",
            "One or more parameter values were invalid",
        ),
        (
            "DescribeGlobalTable",
            {"GlobalTableName": "hash"},
            "GlobalTableNotFoundException",
            f"Global table not found: {ABSENT}",
        ),
        ("DescribeGlobalTableSettings", {"GlobalTableName": "hash"}, "GlobalTableNotFoundException", ABSENT),
        ("UpdateGlobalTableSettings", {"GlobalTableName": "hash"}, "GlobalTableNotFoundException", ABSENT),
        ("DescribeTableReplicaAutoScaling", {"TableName": "hash"}, "ResourceNotFoundException", ABSENT),
        ("UpdateTableReplicaAutoScaling", {"TableName": "hash"}, "ResourceNotFoundException", ABSENT),
    ],
)
async def test_what_one_file_cannot_do(
    running: Running, operation: str, request_: dict[str, Any], code: str, message: str
) -> None:
    with pytest.raises(DynamoDBError) as raised:
        await running.engine.call(operation, request_)
    assert (raised.value.code, raised.value.message) == (code, message)
