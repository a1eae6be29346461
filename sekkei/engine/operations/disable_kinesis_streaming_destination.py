"""DisableKinesisStreamingDestination. None has ever become active, so there is none to disable."""

from __future__ import annotations

from sekkei.engine.described_tables import described_table
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.kinesis_destinations import not_active_to_disable
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ValidationException


def disable_kinesis_streaming_destination(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    described_table(snapshot, checked.table)
    if checked.request.get("EnableKinesisStreamingConfiguration"):
        raise ValidationException("Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters")
    raise not_active_to_disable()
