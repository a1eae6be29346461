"""Exports of a table to files, in DynamoDB's format: manifests, and gzipped lines of DynamoDB JSON.

    prefix/AWSDynamoDB/ExportId/_started
    prefix/AWSDynamoDB/ExportId/data/….json.gz           {"Item": {…}} in each line
    prefix/AWSDynamoDB/ExportId/manifest-files.json      a line for each data file
    prefix/AWSDynamoDB/ExportId/manifest-summary.json
    and the MD5 of each manifest beside it

The data files of an incremental export lie in prefix/AWSDynamoDB/data. A part of the table is one file whose name and
content follow from the export and the part, so that a part done twice changes nothing.
"""

from __future__ import annotations

import base64
import datetime
import gzip
import hashlib
import itertools
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import orjson

from sekkei.engine.history import copies, jobs
from sekkei.engine.history.buckets import Bucket, joined
from sekkei.engine.history.copies import CopiedItem, Copy
from sekkei.engine.history.jobs import JobFailed, Memory, State
from sekkei.engine.storage import documents
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.transaction import Transaction

_Record = dict[str, Any]

ITEMS_PER_FILE = 10_000
_BYTES_PER_FILE = 2 * 1024 * 1024
_CHANGES_PER_FILE = 1_000


def start(
    transaction: Transaction,
    table: Table,
    export: _Record,
    until_ms: int | None,
    since_ms: int | None = None,
    view: str | None = None,
) -> None:
    """Begin an export, of which `export` is the description; its files are written in later commits."""
    documents.save(transaction, "export", export["ExportArn"], export)
    folder = joined(export.get("S3Prefix"), f"AWSDynamoDB/{export['ExportArn'].rpartition('/')[2]}")
    data = joined(export.get("S3Prefix"), "AWSDynamoDB/data") if since_ms is not None else f"{folder}/data"
    target = {
        "arn": export["ExportArn"],
        "bucket": export["S3Bucket"],
        "folder": folder,
        "data": data,
        "view": view,
        "files": [],
        "size": 0,
    }
    kind = "export" if since_ms is None else "incremental export"
    copies.start(transaction, kind, table, target, until_ms, since_ms, at_once=False)


def _write_items(transaction: Transaction, copy: Copy, items: list[CopiedItem]) -> None:
    for item in items:
        _check(item)
    _write(transaction, copy, (b'{"Item":' + item.blob + b"}" for item in items), len(items))


def _check(item: CopiedItem) -> None:
    if not item.is_sound:
        raise JobFailed("InternalServerError", f"The item with key {item.key.hex()} does not match its checksum.")


def _write(transaction: Transaction, copy: Copy, lines: Iterable[bytes], count: int) -> None:
    """One data file."""
    target = copy.target
    name = base64.b32encode(hashlib.blake2b(f"{target['arn']}/{copy.parts}".encode(), digest_size=16).digest())
    key = f"{target['data']}/{name.decode().lower().rstrip('=')}.json.gz"
    text = b"".join(line + b"\n" for line in lines)
    content = gzip.compress(text, compresslevel=6, mtime=0)
    bucket = Bucket(transaction.settings, target["bucket"])
    try:
        if copy.parts == 1:
            bucket.write(f"{target['folder']}/_started", b"")
        bucket.write(key, content)
    except OSError as error:
        raise JobFailed("S3AccessDenied", f"{error.strerror}: {error.filename}") from error
    digest = hashlib.md5(content, usedforsecurity=False)
    target["files"].append(
        {
            "itemCount": count,
            "md5Checksum": base64.b64encode(digest.digest()).decode(),
            "etag": f"{digest.hexdigest()}-1",
            "dataFileS3Key": key,
        }
    )
    target["size"] += len(text)


def _part(transaction: Transaction, id: int, state: State, memory: Memory) -> bool:
    return copies.next_items(transaction, id, state, _write_items, ITEMS_PER_FILE, _BYTES_PER_FILE)


def _incremental_part(transaction: Transaction, id: int, state: State, memory: Memory) -> bool:
    """The next keys that changed within the time, each with its item before and after."""
    copy = Copy(**state)
    done = False
    if copies.undo_is_complete(transaction, id, copy):
        after = bytes.fromhex(copy.after)
        rows = transaction.rows(
            f"SELECT noted.key, noted.time_ms, changes.keys FROM window_{id} AS noted "
            "JOIN changes ON changes.seq = noted.seq WHERE noted.key > ? ORDER BY noted.key LIMIT ?",
            (after, _CHANGES_PER_FILE),
        )
        before = dict(itertools.islice(copies.undone(transaction, f"window_{id}", after), len(rows)))
        lines = []
        for key, time_ms, keys in rows:
            images = {"OldImage": before[key], "NewImage": copies.item_then(transaction, id, copy, key)}
            lines.append(_change_line(time_ms, keys, images, copy.target["view"]))
            copy.after = key.hex()
        copy.parts += 1
        _write(transaction, copy, lines, len(lines))
        done = len(rows) < _CHANGES_PER_FILE
    state.update(asdict(copy))
    return done


def _change_line(time_ms: int, keys: bytes, images: dict[str, CopiedItem | None], view: str) -> bytes:
    line: _Record = {"Metadata": {"WriteTimestampMicros": {"N": str(time_ms * 1000)}}, "Keys": orjson.Fragment(keys)}
    for name, item in images.items():
        if item is not None and (name == "NewImage" or view == "NEW_AND_OLD_IMAGES"):
            _check(item)
            line[name] = orjson.Fragment(item.blob)
    return orjson.dumps(line)


def _finish(transaction: Transaction, id: int, state: State, failure: JobFailed | None) -> None:
    copy = Copy(**state)
    copies.finish(transaction, id, copy)
    export = documents.find(transaction, "export", copy.target["arn"])
    assert export is not None, "an export that is under way is remembered"
    export["EndTime"] = round(transaction.now, 3)
    if failure is None:
        export["ItemCount"] = sum(file["itemCount"] for file in copy.target["files"])
        export["BilledSizeBytes"] = copy.target["size"]
        export["ExportManifest"] = f"{copy.target['folder']}/manifest-summary.json"
        export["ExportStatus"] = "COMPLETED"
        try:
            _write_manifests(transaction, copy, export)
        except OSError as error:
            failure = JobFailed("S3AccessDenied", f"{error.strerror}: {error.filename}")
    if failure is not None:
        export["ExportStatus"] = "FAILED"
        export["FailureCode"], export["FailureMessage"] = failure.code, failure.message
    documents.save(transaction, "export", copy.target["arn"], export)


def _write_manifests(transaction: Transaction, copy: Copy, export: _Record) -> None:
    folder = copy.target["folder"]
    bucket = Bucket(transaction.settings, copy.target["bucket"])
    files = b"".join(orjson.dumps(file) + b"\n" for file in copy.target["files"])
    summary = orjson.dumps(_summary(folder, export))
    for name, content in (("manifest-files", files), ("manifest-summary", summary)):
        digest = hashlib.md5(content, usedforsecurity=False).digest()
        bucket.write(f"{folder}/{name}.json", content)
        bucket.write(f"{folder}/{name}.md5", base64.b64encode(digest))


def _summary(folder: str, export: _Record) -> _Record:
    summary = {
        "version": "2023-08-01",
        "exportArn": export["ExportArn"],
        "startTime": _iso(export["StartTime"]),
        "endTime": _iso(export["EndTime"]),
        "tableArn": export["TableArn"],
        "tableId": export["TableId"],
        "s3Bucket": export["S3Bucket"],
        "s3Prefix": export.get("S3Prefix"),
        "s3SseAlgorithm": export.get("S3SseAlgorithm"),
        "s3SseKmsKeyId": export.get("S3SseKmsKeyId"),
        "manifestFilesS3Key": f"{folder}/manifest-files.json",
        "billedSizeBytes": export["BilledSizeBytes"],
        "itemCount": export["ItemCount"],
        "outputFormat": export["ExportFormat"],
        "exportType": export["ExportType"],
    }
    period = export.get("IncrementalExportSpecification")
    if period is None:
        summary["exportTime"] = _iso(export["ExportTime"])
    else:
        summary["exportFromTime"] = _iso(period["ExportFromTime"])
        summary["exportToTime"] = _iso(period["ExportToTime"])
        summary["outputView"] = period["ExportViewType"]
    return summary


def _iso(moment: float) -> str:
    return datetime.datetime.fromtimestamp(moment, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


jobs.KINDS["export"] = jobs.JobKind(_part, _finish)
jobs.KINDS["incremental export"] = jobs.JobKind(_incremental_part, _finish)
