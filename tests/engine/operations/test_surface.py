"""The surface: every operation of DynamoDB, each in a file that is listed and has a test of its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import UnknownOperationException
from tests.engine.partiql.running import Running
from tests.engine.refusals import refusal

NAMES = """
    BatchExecuteStatement BatchGetItem BatchWriteItem CreateBackup CreateGlobalTable CreateTable DeleteBackup DeleteItem
    DeleteResourcePolicy DeleteTable DescribeBackup DescribeContinuousBackups DescribeContributorInsights
    DescribeEndpoints DescribeExport DescribeGlobalTable DescribeGlobalTableSettings DescribeImport
    DescribeKinesisStreamingDestination DescribeLimits DescribeStream DescribeTable DescribeTableReplicaAutoScaling
    DescribeTimeToLive DisableKinesisStreamingDestination EnableKinesisStreamingDestination ExecuteStatement
    ExecuteTransaction ExportTableToPointInTime GetItem GetRecords GetResourcePolicy GetShardIterator ImportTable
    ListBackups ListContributorInsights ListExports ListGlobalTables ListImports ListStreams ListTables
    ListTagsOfResource PutItem PutResourcePolicy Query RestoreTableFromBackup RestoreTableToPointInTime Scan TagResource
    TransactGetItems TransactWriteItems UntagResource UpdateContinuousBackups UpdateContributorInsights
    UpdateGlobalTable UpdateGlobalTableSettings UpdateItem UpdateKinesisStreamingDestination UpdateTable
    UpdateTableReplicaAutoScaling UpdateTimeToLive
"""
FOLDER = Path(operations.__file__).parent


def test_every_operation_is_there() -> None:
    assert sorted(operations.OPERATIONS) == sorted(NAMES.split())


def test_every_file_is_listed() -> None:
    files = {path.stem for path in FOLDER.glob("[!_]*.py")}
    assert files == set(operations.FILES), "List the file in FILES of sekkei/engine/operations/__init__.py."


@pytest.mark.parametrize("file", operations.FILES)
def test_every_file_has_a_test_of_its_name(file: str) -> None:
    test = Path(__file__).with_name(f"test_{file}.py")
    assert test.exists(), f"Write tests/engine/operations/{test.name}."


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("CreateTable", {"TableName": "abc", "VectorIndexes": [{}]}),
        ("UpdateTable", {"TableName": "abc", "VectorIndexUpdates": [{}]}),
        ("ExportTableToPointInTime", {"TableArn": "arn", "S3Bucket": "bucket", "FilterSpecification": {}}),
        ("ImportTable", {"TableCreationParameters": {"VectorIndexes": []}}),
        ("RestoreTableFromBackup", {"TargetTableName": "abc", "BackupArn": "arn", "VectorIndexOverride": []}),
    ],
)
def test_what_we_cannot_do_is_refused_and_not_ignored(operation: str, request_: dict[str, Any]) -> None:
    assert refusal(operation, request_).endswith("is not supported by this store")


@pytest.mark.parametrize("operation", ["Nope", "", "getItem", "__init__"])
async def test_an_operation_that_nobody_knows(running: Running, operation: str) -> None:
    with pytest.raises(UnknownOperationException):
        await running.engine.call(operation, {})
