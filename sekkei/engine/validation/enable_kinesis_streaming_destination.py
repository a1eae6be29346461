"""EnableKinesisStreamingDestination."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import about_table as rules
from sekkei.engine.validation.shapes import String, Structure
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, TableOperation

__all__ = ["SHAPE", "rules"]

SHAPE = TableOperation(
    "EnableKinesisStreamingDestinationInput",
    "StreamArn",
    TableName=CONTROL_TABLE_NAME,
    StreamArn=fields.ARN,
    EnableKinesisStreamingConfiguration=Structure(
        "EnableKinesisStreamingConfiguration",
        ApproximateCreationDateTimePrecision=String(one_of="MILLISECOND MICROSECOND"),
    ),
)
