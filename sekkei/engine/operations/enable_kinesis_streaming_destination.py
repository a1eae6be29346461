"""EnableKinesisStreamingDestination."""

from __future__ import annotations

from sekkei.engine import kinesis_destinations
from sekkei.engine.described_tables import described_table
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction


def enable_kinesis_streaming_destination(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = described_table(transaction, checked.table)
    return kinesis_destinations.enable(transaction, table, checked.request)
