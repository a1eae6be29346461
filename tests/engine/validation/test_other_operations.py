"""Tags, time to live, streams, statements, backups: what their requests must hold."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from tests.engine.validation.refusals import INVALID, NOT_NULL, PATTERN, faults, refusal

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/abc"
STREAM = ARN + "/stream/2026-01-01T00:00:00.000"
AT_LEAST_ONE = "Member must have length greater than or equal to 1"
SHARD = "shardId-00000000000000000000-00000000"


@pytest.mark.parametrize(
    ("operation", "request_", "text"),
    [
        ("TagResource", {}, "Invalid TableArn"),
        ("TagResource", {"ResourceArn": ""}, "Invalid TableArn"),
        ("TagResource", {"ResourceArn": ARN}, faults((None, "tags", NOT_NULL))),
        (
            "TagResource",
            {"ResourceArn": "abc", "Tags": []},
            "One or more parameter values were invalid: ARNs must start with 'arn:': abc",
        ),
        ("TagResource", {"ResourceArn": ARN, "Tags": []}, "Atleast one Tag needs to be provided as Input."),
        ("UntagResource", {"ResourceArn": ARN}, faults((None, "tagKeys", NOT_NULL))),
        ("UntagResource", {"ResourceArn": ARN, "TagKeys": []}, "Atleast one Tag Key needs to be provided as Input."),
        (
            "ListTagsOfResource",
            {"ResourceArn": ARN[:-1]},
            f"Invalid TableArn: Invalid ResourceArn provided as input {ARN[:-1]}",
        ),
        (
            "ListTables",
            {"Limit": 0, "ExclusiveStartTableName": "a;"},
            faults(
                ("0", "limit", "Member must have value greater than or equal to 1"),
                ("a;", "exclusiveStartTableName", PATTERN),
                ("a;", "exclusiveStartTableName", "Member must have length greater than or equal to 3"),
            ),
        ),
        ("ListTables", {"Limit": 101}, faults(("101", "limit", "Member must have value less than or equal to 100"))),
        (
            "UpdateTimeToLive",
            {"TableName": "abc", "TimeToLiveSpecification": {"AttributeName": "", "Enabled": True}},
            faults(("", "timeToLiveSpecification.attributeName", AT_LEAST_ONE)),
        ),
        ("UpdateTimeToLive", {"TableName": "abc"}, faults((None, "timeToLiveSpecification", NOT_NULL))),
        ("ExecuteStatement", {}, faults((None, "statement", NOT_NULL))),
        (
            "ExecuteStatement",
            {"Statement": "", "Limit": 0, "Parameters": []},
            faults(
                ("", "statement", AT_LEAST_ONE),
                ("[]", "parameters", AT_LEAST_ONE),
                ("0", "limit", "Member must have value greater than or equal to 1"),
            ),
        ),
        ("BatchExecuteStatement", {"Statements": []}, faults(("[]", "statements", AT_LEAST_ONE))),
        ("ExecuteTransaction", {"TransactStatements": []}, faults(("[]", "transactStatements", AT_LEAST_ONE))),
        (
            "GetShardIterator",
            {"StreamArn": STREAM, "ShardId": SHARD, "ShardIteratorType": "AT_SEQUENCE_NUMBER"},
            "SequenceNumber is required when ShardIteratorType is AT_SEQUENCE_NUMBER",
        ),
        ("GetRecords", {}, faults((None, "shardIterator", NOT_NULL))),
        (
            "DescribeStream",
            {"StreamArn": "abc"},
            faults(("abc", "streamArn", "Member must have length greater than or equal to 37")),
        ),
        (
            "CreateBackup",
            {"TableName": "abc", "BackupName": "a b"},
            faults(("a b", "backupName", PATTERN)),
        ),
        (
            "UpdateContinuousBackups",
            {"TableName": "abc", "PointInTimeRecoverySpecification": {"RecoveryPeriodInDays": 36}},
            faults(
                (None, "pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled", NOT_NULL),
                (
                    "36",
                    "pointInTimeRecoverySpecification.recoveryPeriodInDays",
                    "Member must have value less than or equal to 35",
                ),
            ),
        ),
        (
            "RestoreTableToPointInTime",
            {"TargetTableName": "abd"},
            INVALID + "Exactly one of SourceTableArn and SourceTableName must be specified",
        ),
        (
            "ImportTable",
            {
                "S3BucketSource": {"S3Bucket": "bucket"},
                "InputFormat": "CSV",
                "TableCreationParameters": {
                    "TableName": "abc",
                    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}],
                    "BillingMode": "PAY_PER_REQUEST",
                },
            },
            INVALID + "Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [b], AttributeDefinitions: [a]",
        ),
    ],
)
def test_refusals(operation: str, request_: dict[str, Any], text: str) -> None:
    assert refusal(operation, request_) == text


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("ListTables", {}),
        ("DescribeLimits", {}),
        ("DescribeEndpoints", {}),
        ("ListStreams", {"TableName": "abc"}),
        ("GetShardIterator", {"StreamArn": STREAM, "ShardId": SHARD, "ShardIteratorType": "LATEST"}),
        ("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": "k", "Value": ""}]}),
        (
            "RestoreTableToPointInTime",
            {"TargetTableName": "abd", "SourceTableName": "abc", "UseLatestRestorableTime": True},
        ),
        ("ListBackups", {"TimeRangeLowerBound": 1700000000.5}),
    ],
)
def test_requests_that_can_be(operation: str, request_: dict[str, Any]) -> None:
    assert operations.check(operation, request_).request == request_
