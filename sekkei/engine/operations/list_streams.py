"""ListStreams."""

from __future__ import annotations

from typing import Any

from sekkei.engine.history import streams
from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import TABLE_NAME, check_stream_arn, plain
from sekkei.engine.validation.shapes import Structure

LIMIT_MAX = 100

SHAPE = Structure(
    "ListStreamsInput",
    TableName=TABLE_NAME,
    Limit=fields.STREAMS_LIMIT,
    ExclusiveStartStreamArn=fields.ARN,
)


def rules(request: dict[str, Any]) -> Checked:
    if "ExclusiveStartStreamArn" in request:
        check_stream_arn(request["ExclusiveStartStreamArn"])
    return plain(request)


def list_streams(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    start = request.get("ExclusiveStartStreamArn") or ""
    limit = min(request.get("Limit") or LIMIT_MAX, LIMIT_MAX)
    found = [
        stream
        for stream in streams.all_streams(snapshot)
        if stream.arn > start and checked.table in ("", stream.record["TableName"])
    ]
    members = ("StreamArn", "TableName", "StreamLabel")
    response: Response = {
        "Streams": [{member: stream.record[member] for member in members} for stream in found[:limit]]
    }
    if len(found) > limit:
        response["LastEvaluatedStreamArn"] = found[limit - 1].arn
    return response


OPERATIONS = (Read("ListStreams", SHAPE, rules, list_streams),)
