"""The values that X-Amz-Target may have, and the operation that each of them names."""

from __future__ import annotations

DYNAMODB = "DynamoDB_20120810"
STREAMS = "DynamoDBStreams_20120810"

_DYNAMODB_OPERATIONS = """
    BatchExecuteStatement BatchGetItem BatchWriteItem CreateBackup CreateGlobalTable CreateTable DeleteBackup DeleteItem
    DeleteResourcePolicy DeleteTable DescribeBackup DescribeContinuousBackups DescribeContributorInsights
    DescribeEndpoints DescribeExport DescribeGlobalTable DescribeGlobalTableSettings DescribeImport
    DescribeKinesisStreamingDestination DescribeLimits DescribeTable DescribeTableReplicaAutoScaling DescribeTimeToLive
    DisableKinesisStreamingDestination EnableKinesisStreamingDestination ExecuteStatement ExecuteTransaction
    ExportTableToPointInTime GetItem GetResourcePolicy ImportTable ListBackups ListContributorInsights ListExports
    ListGlobalTables ListImports ListTables ListTagsOfResource PutItem PutResourcePolicy Query RestoreTableFromBackup
    RestoreTableToPointInTime Scan TagResource TransactGetItems TransactWriteItems UntagResource
    UpdateContinuousBackups UpdateContributorInsights UpdateGlobalTable UpdateGlobalTableSettings UpdateItem
    UpdateKinesisStreamingDestination UpdateTable UpdateTableReplicaAutoScaling UpdateTimeToLive
"""

_STREAMS_OPERATIONS = "DescribeStream GetRecords GetShardIterator ListStreams"

OPERATIONS: dict[bytes, str] = {
    f"{api}.{operation}".encode(): operation
    for api, operations in ((DYNAMODB, _DYNAMODB_OPERATIONS), (STREAMS, _STREAMS_OPERATIONS))
    for operation in operations.split()
}
