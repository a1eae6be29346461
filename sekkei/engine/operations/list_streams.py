"""ListStreams."""

from __future__ import annotations

from sekkei.engine import streams
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot

LIMIT_MAX = 100


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
