"""All operations, each in the file that bears its name.

A read gets a `Snapshot` and runs in the caller's thread; a write gets the `Transaction` of the batch it is part of.
"""

from __future__ import annotations

from collections.abc import Callable

from sekkei.engine.errors import UnknownOperationException
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.batch_execute_statement import batch_execute_statement
from sekkei.engine.operations.batch_get_item import batch_get_item
from sekkei.engine.operations.batch_write_item import batch_write_item
from sekkei.engine.operations.create_table import create_table
from sekkei.engine.operations.delete_item import delete_item
from sekkei.engine.operations.delete_table import delete_table
from sekkei.engine.operations.describe_table import describe_table
from sekkei.engine.operations.execute_statement import execute_statement
from sekkei.engine.operations.execute_transaction import execute_transaction
from sekkei.engine.operations.get_item import get_item
from sekkei.engine.operations.list_tables import list_tables
from sekkei.engine.operations.list_tags_of_resource import list_tags_of_resource
from sekkei.engine.operations.put_item import put_item
from sekkei.engine.operations.query import query
from sekkei.engine.operations.scan import scan
from sekkei.engine.operations.tag_resource import tag_resource
from sekkei.engine.operations.transact_get_items import transact_get_items
from sekkei.engine.operations.transact_write_items import transact_write_items
from sekkei.engine.operations.untag_resource import untag_resource
from sekkei.engine.operations.update_item import update_item
from sekkei.engine.operations.update_table import resume_backfills, update_table
from sekkei.engine.partiql.job import Job
from sekkei.engine.snapshot import Catalogue, Snapshot
from sekkei.engine.transaction import Transaction
from sekkei.engine.writer import Writer

Read = Callable[[Snapshot, Checked, Render], Response]
Write = Callable[[Transaction, Checked, Render], Response]

READS: dict[str, Read] = {
    "BatchGetItem": batch_get_item,
    "DescribeTable": describe_table,
    "GetItem": get_item,
    "ListTables": list_tables,
    "ListTagsOfResource": list_tags_of_resource,
    "Query": query,
    "Scan": scan,
    "TransactGetItems": transact_get_items,
}

WRITES: dict[str, Write] = {
    "BatchWriteItem": batch_write_item,
    "CreateTable": create_table,
    "DeleteItem": delete_item,
    "DeleteTable": delete_table,
    "PutItem": put_item,
    "TagResource": tag_resource,
    "TransactWriteItems": transact_write_items,
    "UntagResource": untag_resource,
    "UpdateItem": update_item,
    "UpdateTable": update_table,
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


def resume(catalogue: Catalogue, writer: Writer) -> None:
    """Go on with what was under way when the file was last closed."""
    resume_backfills(catalogue, writer)
