"""Imports of a table from the files of a bucket: DynamoDB JSON or CSV, gzipped or plain.

A line that makes no valid item is counted and skipped, as in DynamoDB. Where a key comes twice the later item stays.
"""

from __future__ import annotations

import copy as copying
import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from sekkei.engine.history import jobs
from sekkei.engine.history.buckets import Bucket
from sekkei.engine.history.jobs import JobFailed, Memory, State
from sekkei.engine.items import values
from sekkei.engine.items.values import Item
from sekkei.engine.storage import documents
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.table_record import build, new_record
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import against_table, fields
from sekkei.engine.validation.against_table import check_item_size
from sekkei.errors import DynamoDBError, ValidationException

_Record = dict[str, Any]

LINES_PER_COMMIT = 500
_LINE_BYTES_MAX = 16 * 1024 * 1024
ERRORS_MAX = 10_000


def start(transaction: Transaction, description: _Record) -> None:
    """Make the table, which can be used when the import is done, and begin to fill it."""
    parameters = description["TableCreationParameters"]
    record = new_record(transaction, parameters)
    record["TableStatus"] = "CREATING"
    table_id = transaction.take_id()
    build(transaction, table_id, record)
    description["TableArn"], description["TableId"] = record["TableArn"], record["TableId"]
    documents.save(transaction, "import", description["ImportArn"], description)
    state = {"arn": description["ImportArn"], "table": record["TableName"], "keys": None, "file": 0, "line": 0}
    jobs.start(transaction, "import", state, at_once=False)


def _part(transaction: Transaction, id: int, state: State, memory: Memory) -> bool:
    """The next lines of the file that the import has come to; tells whether they were the last of the last file."""
    description = documents.find(transaction, "import", state["arn"])
    table = transaction.find_table(state["table"])
    assert description is not None, "it is remembered while it is under way"
    assert table is not None, "a table that is being imported cannot be deleted"
    if state["keys"] is None:
        state["keys"] = _keys(transaction, description)
    if state["file"] == len(state["keys"]):
        return True
    lines = _lines_from(transaction, description, state, memory)
    try:
        for _ in range(LINES_PER_COMMIT):
            line = next(lines, None)
            if line is None:
                state["file"], state["line"] = state["file"] + 1, 0
                break
            state["line"] = memory["line"]
            _take(transaction, table, description, line)
    finally:
        # Its counts are true even if the next line cannot be read.
        documents.save(transaction, "import", state["arn"], description)
    return bool(state["file"] == len(state["keys"]))


def _keys(transaction: Transaction, description: _Record) -> list[str]:
    source = description["S3BucketSource"]
    bucket = Bucket(transaction.settings, source["S3Bucket"])
    if not bucket.exists:
        raise JobFailed("S3NoSuchBucket", f"The specified bucket does not exist: {source['S3Bucket']}")
    keys = bucket.keys(source.get("S3KeyPrefix", ""))
    if not keys:
        raise JobFailed("S3NoSuchKey", "No objects were found under the specified prefix.")
    return keys


_Line = bytes | Mapping[str, str]
"""Of DynamoDB JSON, or a row of CSV with its header."""


def _lines_from(transaction: Transaction, description: _Record, state: State, memory: Memory) -> Iterator[_Line]:
    """The lines beyond those that have been imported. A file left open by the last part need not be read again."""
    place = (state["file"], state["line"])
    if (memory.get("file"), memory.get("line")) != place:
        path = Bucket(transaction.settings, description["S3BucketSource"]["S3Bucket"]).path(
            state["keys"][state["file"]]
        )
        memory["lines"] = _numbered(_lines(path, description), memory, state["line"])
        memory["file"], memory["line"] = place
    lines: Iterator[_Line] = memory["lines"]
    return lines


def _numbered(lines: Iterator[_Line], memory: Memory, skipped: int) -> Iterator[_Line]:
    for number, line in enumerate(lines, start=1):
        if number > skipped:
            memory["line"] = number
            yield line


def _lines(path: Path, description: _Record) -> Iterator[_Line]:
    try:
        opened = gzip.open(path) if description["InputCompressionType"] == "GZIP" else open(path, "rb")  # noqa: SIM115
        with opened as file:
            if description["InputFormat"] == "CSV":
                yield from _csv_rows(file, description)
                return
            while line := file.readline(_LINE_BYTES_MAX):
                if len(line) == _LINE_BYTES_MAX:
                    raise JobFailed("InputTooLarge", f"A line of {path.name} is longer than {_LINE_BYTES_MAX} bytes.")
                if line.strip():
                    yield line
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise JobFailed("InvalidInput", f"{path.name} cannot be read: {error}") from error


def _csv_rows(file: Any, description: _Record) -> Iterator[_Line]:
    options = description.get("InputFormatOptions", {}).get("Csv", {})
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    yield from csv.DictReader(text, options.get("HeaderList"), delimiter=options.get("Delimiter", ","))


def _take(transaction: Transaction, table: Table, description: _Record, line: _Line) -> None:
    """Put one line's item, or count it as an error."""
    size = len(line) if isinstance(line, bytes) else sum(len(text or "") for text in line.values())
    description["ProcessedItemCount"] += 1
    description["ProcessedSizeBytes"] += size
    try:
        item, item_bytes = _item_of_json(line) if isinstance(line, bytes) else _item_of_csv(table, line)
        key = against_table.item_key_bytes(table, item)
        check_item_size(item_bytes)
    except (DynamoDBError, ValueError) as error:
        description["ErrorCount"] += 1
        if description["ErrorCount"] > ERRORS_MAX:
            raise JobFailed(
                "TooManyErrors", f"More than {ERRORS_MAX} lines make no valid item; last: {error}"
            ) from error
        return
    transaction.put(table, key, item, item_bytes, transaction.stored(table, key))
    description["ImportedItemCount"] += 1


def _item_of_json(line: bytes) -> tuple[Item, int]:
    document = orjson.loads(line)
    if not isinstance(document, dict) or not isinstance(document.get("Item"), dict):
        raise ValidationException("A line must be an object with an Item")
    return values.measured_item(fields.ITEM.read(document["Item"]))


def _item_of_csv(table: Table, row: Mapping[str, str]) -> tuple[Item, int]:
    """All values are strings, save those of keys, which have the types of the keys. What is empty is not there."""
    # A row longer than its header has its surplus under None.
    named = {name: text for name, text in row.items() if name is not None and text}
    return values.measured_item({name: {table.attribute_types.get(name, "S"): text} for name, text in named.items()})


def _finish(transaction: Transaction, id: int, state: State, failure: JobFailed | None) -> None:
    description = documents.find(transaction, "import", state["arn"])
    table = transaction.find_table(state["table"])
    assert description is not None
    assert table is not None
    record = copying.deepcopy(table.record)
    del record["TableStatus"]
    transaction.save_table(table.id, record)
    description["EndTime"] = round(transaction.now, 3)
    description["ImportStatus"] = "COMPLETED" if failure is None else "FAILED"
    if failure is not None:
        description["FailureCode"], description["FailureMessage"] = failure.code, failure.message
    documents.save(transaction, "import", state["arn"], description)


jobs.KINDS["import"] = jobs.JobKind(_part, _finish)
