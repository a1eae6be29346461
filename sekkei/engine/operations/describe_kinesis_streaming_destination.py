"""DescribeKinesisStreamingDestination."""

from __future__ import annotations

from sekkei.engine.described_tables import described_table
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.kinesis_destinations import destinations
from sekkei.engine.snapshot import Snapshot


def describe_kinesis_streaming_destination(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    table = described_table(snapshot, checked.table)
    return {"TableName": table.name, "KinesisDataStreamDestinations": destinations(table)}
