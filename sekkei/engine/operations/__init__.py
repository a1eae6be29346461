"""All operations, each in the file that bears its name.

A read gets a `Snapshot` and runs in the caller's thread; a write gets the `Transaction` of the batch it is part of.
"""

from __future__ import annotations

from collections.abc import Callable

from sekkei.engine import expiry, jobs
from sekkei.engine.errors import UnknownOperationException
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.batch_execute_statement import batch_execute_statement
from sekkei.engine.operations.batch_get_item import batch_get_item
from sekkei.engine.operations.batch_write_item import batch_write_item
from sekkei.engine.operations.create_backup import create_backup
from sekkei.engine.operations.create_table import create_table
from sekkei.engine.operations.delete_backup import delete_backup
from sekkei.engine.operations.delete_item import delete_item
from sekkei.engine.operations.delete_table import delete_table
from sekkei.engine.operations.describe_backup import describe_backup
from sekkei.engine.operations.describe_continuous_backups import describe_continuous_backups
from sekkei.engine.operations.describe_export import describe_export
from sekkei.engine.operations.describe_import import describe_import
from sekkei.engine.operations.describe_stream import describe_stream
from sekkei.engine.operations.describe_table import describe_table
from sekkei.engine.operations.describe_time_to_live import describe_time_to_live
from sekkei.engine.operations.execute_statement import execute_statement
from sekkei.engine.operations.execute_transaction import execute_transaction
from sekkei.engine.operations.export_table_to_point_in_time import export_table_to_point_in_time
from sekkei.engine.operations.get_item import get_item
from sekkei.engine.operations.get_records import get_records
from sekkei.engine.operations.get_shard_iterator import get_shard_iterator
from sekkei.engine.operations.import_table import import_table
from sekkei.engine.operations.list_backups import list_backups
from sekkei.engine.operations.list_exports import list_exports
from sekkei.engine.operations.list_imports import list_imports
from sekkei.engine.operations.list_streams import list_streams
from sekkei.engine.operations.list_tables import list_tables
from sekkei.engine.operations.list_tags_of_resource import list_tags_of_resource
from sekkei.engine.operations.put_item import put_item
from sekkei.engine.operations.query import query
from sekkei.engine.operations.restore_table_from_backup import restore_table_from_backup
from sekkei.engine.operations.restore_table_to_point_in_time import restore_table_to_point_in_time
from sekkei.engine.operations.scan import scan
from sekkei.engine.operations.tag_resource import tag_resource
from sekkei.engine.operations.transact_get_items import transact_get_items
from sekkei.engine.operations.transact_write_items import transact_write_items
from sekkei.engine.operations.untag_resource import untag_resource
from sekkei.engine.operations.update_continuous_backups import update_continuous_backups
from sekkei.engine.operations.update_item import update_item
from sekkei.engine.operations.update_table import resume_backfills, update_table
from sekkei.engine.operations.update_time_to_live import update_time_to_live
from sekkei.engine.partiql.job import Job
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.transaction import Transaction
from sekkei.engine.writer import Writer

Read = Callable[[Snapshot, Checked, Render], Response]
Write = Callable[[Transaction, Checked, Render], Response]

READS: dict[str, Read] = {
    "BatchGetItem": batch_get_item,
    "DescribeBackup": describe_backup,
    "DescribeContinuousBackups": describe_continuous_backups,
    "DescribeExport": describe_export,
    "DescribeImport": describe_import,
    "DescribeStream": describe_stream,
    "DescribeTable": describe_table,
    "DescribeTimeToLive": describe_time_to_live,
    "GetItem": get_item,
    "GetRecords": get_records,
    "GetShardIterator": get_shard_iterator,
    "ListBackups": list_backups,
    "ListExports": list_exports,
    "ListImports": list_imports,
    "ListStreams": list_streams,
    "ListTables": list_tables,
    "ListTagsOfResource": list_tags_of_resource,
    "Query": query,
    "Scan": scan,
    "TransactGetItems": transact_get_items,
}

WRITES: dict[str, Write] = {
    "BatchWriteItem": batch_write_item,
    "CreateBackup": create_backup,
    "CreateTable": create_table,
    "DeleteBackup": delete_backup,
    "DeleteItem": delete_item,
    "DeleteTable": delete_table,
    "ExportTableToPointInTime": export_table_to_point_in_time,
    "ImportTable": import_table,
    "PutItem": put_item,
    "RestoreTableFromBackup": restore_table_from_backup,
    "RestoreTableToPointInTime": restore_table_to_point_in_time,
    "TagResource": tag_resource,
    "TransactWriteItems": transact_write_items,
    "UntagResource": untag_resource,
    "UpdateContinuousBackups": update_continuous_backups,
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
