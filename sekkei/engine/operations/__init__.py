"""All operations, each in the file that bears its name.

A read gets a `Snapshot` and runs in the caller's thread; a write gets the `Transaction` of the batch it is part of.
"""

from __future__ import annotations

from collections.abc import Callable

from sekkei.engine import expiry, jobs
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.batch_execute_statement import batch_execute_statement
from sekkei.engine.operations.batch_get_item import batch_get_item
from sekkei.engine.operations.batch_write_item import batch_write_item
from sekkei.engine.operations.create_backup import create_backup
from sekkei.engine.operations.create_global_table import create_global_table
from sekkei.engine.operations.create_table import create_table
from sekkei.engine.operations.delete_backup import delete_backup
from sekkei.engine.operations.delete_item import delete_item
from sekkei.engine.operations.delete_resource_policy import delete_resource_policy
from sekkei.engine.operations.delete_table import delete_table
from sekkei.engine.operations.describe_backup import describe_backup
from sekkei.engine.operations.describe_continuous_backups import describe_continuous_backups
from sekkei.engine.operations.describe_contributor_insights import describe_contributor_insights
from sekkei.engine.operations.describe_endpoints import describe_endpoints
from sekkei.engine.operations.describe_export import describe_export
from sekkei.engine.operations.describe_global_table import describe_global_table
from sekkei.engine.operations.describe_global_table_settings import describe_global_table_settings
from sekkei.engine.operations.describe_import import describe_import
from sekkei.engine.operations.describe_kinesis_streaming_destination import describe_kinesis_streaming_destination
from sekkei.engine.operations.describe_limits import describe_limits
from sekkei.engine.operations.describe_stream import describe_stream
from sekkei.engine.operations.describe_table import describe_table
from sekkei.engine.operations.describe_table_replica_auto_scaling import describe_table_replica_auto_scaling
from sekkei.engine.operations.describe_time_to_live import describe_time_to_live
from sekkei.engine.operations.disable_kinesis_streaming_destination import disable_kinesis_streaming_destination
from sekkei.engine.operations.enable_kinesis_streaming_destination import enable_kinesis_streaming_destination
from sekkei.engine.operations.execute_statement import execute_statement
from sekkei.engine.operations.execute_transaction import execute_transaction
from sekkei.engine.operations.export_table_to_point_in_time import export_table_to_point_in_time
from sekkei.engine.operations.get_item import get_item
from sekkei.engine.operations.get_records import get_records
from sekkei.engine.operations.get_resource_policy import get_resource_policy
from sekkei.engine.operations.get_shard_iterator import get_shard_iterator
from sekkei.engine.operations.import_table import import_table
from sekkei.engine.operations.list_backups import list_backups
from sekkei.engine.operations.list_contributor_insights import list_contributor_insights
from sekkei.engine.operations.list_exports import list_exports
from sekkei.engine.operations.list_global_tables import list_global_tables
from sekkei.engine.operations.list_imports import list_imports
from sekkei.engine.operations.list_streams import list_streams
from sekkei.engine.operations.list_tables import list_tables
from sekkei.engine.operations.list_tags_of_resource import list_tags_of_resource
from sekkei.engine.operations.put_item import put_item
from sekkei.engine.operations.put_resource_policy import put_resource_policy
from sekkei.engine.operations.query import query
from sekkei.engine.operations.restore_table_from_backup import restore_table_from_backup
from sekkei.engine.operations.restore_table_to_point_in_time import restore_table_to_point_in_time
from sekkei.engine.operations.scan import scan
from sekkei.engine.operations.tag_resource import tag_resource
from sekkei.engine.operations.transact_get_items import transact_get_items
from sekkei.engine.operations.transact_write_items import transact_write_items
from sekkei.engine.operations.untag_resource import untag_resource
from sekkei.engine.operations.update_continuous_backups import update_continuous_backups
from sekkei.engine.operations.update_contributor_insights import update_contributor_insights
from sekkei.engine.operations.update_global_table import update_global_table
from sekkei.engine.operations.update_global_table_settings import update_global_table_settings
from sekkei.engine.operations.update_item import update_item
from sekkei.engine.operations.update_kinesis_streaming_destination import update_kinesis_streaming_destination
from sekkei.engine.operations.update_table import resume_backfills, update_table
from sekkei.engine.operations.update_table_replica_auto_scaling import update_table_replica_auto_scaling
from sekkei.engine.operations.update_time_to_live import update_time_to_live
from sekkei.engine.partiql.job import Job
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.transaction import Transaction
from sekkei.engine.writer import Writer
from sekkei.errors import UnknownOperationException

Read = Callable[[Snapshot, Checked, Render], Response]
Write = Callable[[Transaction, Checked, Render], Response]

READS: dict[str, Read] = {
    "BatchGetItem": batch_get_item,
    "CreateGlobalTable": create_global_table,
    "DescribeBackup": describe_backup,
    "DescribeContinuousBackups": describe_continuous_backups,
    "DescribeContributorInsights": describe_contributor_insights,
    "DescribeEndpoints": describe_endpoints,
    "DescribeExport": describe_export,
    "DescribeGlobalTable": describe_global_table,
    "DescribeGlobalTableSettings": describe_global_table_settings,
    "DescribeImport": describe_import,
    "DescribeKinesisStreamingDestination": describe_kinesis_streaming_destination,
    "DescribeLimits": describe_limits,
    "DescribeStream": describe_stream,
    "DescribeTable": describe_table,
    "DescribeTableReplicaAutoScaling": describe_table_replica_auto_scaling,
    "DescribeTimeToLive": describe_time_to_live,
    "DisableKinesisStreamingDestination": disable_kinesis_streaming_destination,
    "GetItem": get_item,
    "GetRecords": get_records,
    "GetResourcePolicy": get_resource_policy,
    "GetShardIterator": get_shard_iterator,
    "ListBackups": list_backups,
    "ListContributorInsights": list_contributor_insights,
    "ListExports": list_exports,
    "ListGlobalTables": list_global_tables,
    "ListImports": list_imports,
    "ListStreams": list_streams,
    "ListTables": list_tables,
    "ListTagsOfResource": list_tags_of_resource,
    "Query": query,
    "Scan": scan,
    "TransactGetItems": transact_get_items,
    "UpdateGlobalTable": update_global_table,
    "UpdateGlobalTableSettings": update_global_table_settings,
    "UpdateKinesisStreamingDestination": update_kinesis_streaming_destination,
    "UpdateTableReplicaAutoScaling": update_table_replica_auto_scaling,
}

WRITES: dict[str, Write] = {
    "BatchWriteItem": batch_write_item,
    "CreateBackup": create_backup,
    "CreateTable": create_table,
    "DeleteBackup": delete_backup,
    "DeleteItem": delete_item,
    "DeleteResourcePolicy": delete_resource_policy,
    "DeleteTable": delete_table,
    "EnableKinesisStreamingDestination": enable_kinesis_streaming_destination,
    "ExportTableToPointInTime": export_table_to_point_in_time,
    "ImportTable": import_table,
    "PutItem": put_item,
    "PutResourcePolicy": put_resource_policy,
    "RestoreTableFromBackup": restore_table_from_backup,
    "RestoreTableToPointInTime": restore_table_to_point_in_time,
    "TagResource": tag_resource,
    "TransactWriteItems": transact_write_items,
    "UntagResource": untag_resource,
    "UpdateContinuousBackups": update_continuous_backups,
    "UpdateContributorInsights": update_contributor_insights,
    "UpdateItem": update_item,
    "UpdateTable": update_table,
    "UpdateTimeToLive": update_time_to_live,
}

STATEMENTS: dict[str, Callable[[Checked], Job]] = {
    "BatchExecuteStatement": batch_execute_statement,
    "ExecuteStatement": execute_statement,
    "ExecuteTransaction": execute_transaction,
}
"""Operations that read or write, depending on what their statements say."""


def job_of(operation: str, checked: Checked) -> Job:
    """What an operation that is neither plainly a read nor plainly a write does."""
    prepare = STATEMENTS.get(operation)
    if prepare is None:
        raise UnknownOperationException(f"{operation} is not an operation of this store.")
    return prepare(checked)


def resume(snapshot: Snapshot, writer: Writer) -> None:
    """Go on with what was under way when the file was last closed."""
    resume_backfills(snapshot.catalogue, writer)
    expiry.resume_backfills(snapshot.catalogue, writer)
    jobs.resume(snapshot, writer)
