"""UpdateKinesisStreamingDestination. None has ever become active, so there is none to update."""

from __future__ import annotations

from sekkei.engine.described_tables import described_table
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.kinesis_destinations import not_active_to_update
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ValidationException


def update_kinesis_streaming_destination(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    table = described_table(snapshot, checked.table)
    if not checked.request.get("UpdateKinesisStreamingConfiguration"):
        raise ValidationException(
            "Streaming destination cannot be updated with given parameters: "
            "UpdateKinesisStreamingConfiguration cannot be null or contain only null values"
        )
    raise not_active_to_update(table, checked.request["StreamArn"])
