"""ExportTableToPointInTime."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import plain as rules
from sekkei.engine.validation.shapes import String, Structure

__all__ = ["SHAPE", "rules"]

SHAPE = Structure(
    "ExportTableToPointInTimeInput",
    "TableArn S3Bucket",
    TableArn=fields.TABLE_ARN,
    ExportTime=fields.TIME,
    ClientToken=fields.CLIENT_TOKEN,
    S3Bucket=fields.S3_BUCKET,
    S3BucketOwner=fields.S3_BUCKET_OWNER,
    S3Prefix=fields.S3_PREFIX,
    S3SseAlgorithm=String(one_of="AES256 KMS"),
    S3SseKmsKeyId=String(shortest=1, longest=2048),
    ExportFormat=String(one_of="DYNAMODB_JSON ION"),
    ExportType=String(one_of="FULL_EXPORT INCREMENTAL_EXPORT"),
    IncrementalExportSpecification=Structure(
        "IncrementalExportSpecification",
        ExportFromTime=fields.TIME,
        ExportToTime=fields.TIME,
        ExportViewType=String(one_of="NEW_IMAGE NEW_AND_OLD_IMAGES"),
    ),
)
