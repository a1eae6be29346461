"""ImportTable."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import create_table, fields, schema
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.shapes import List, String, Structure

SHAPE = Structure(
    "ImportTableInput",
    "S3BucketSource InputFormat TableCreationParameters",
    ClientToken=fields.CLIENT_TOKEN,
    S3BucketSource=Structure(
        "S3BucketSource",
        "S3Bucket",
        S3BucketOwner=fields.S3_BUCKET_OWNER,
        S3Bucket=fields.S3_BUCKET,
        S3KeyPrefix=fields.S3_PREFIX,
    ),
    InputFormat=String(one_of="DYNAMODB_JSON ION CSV"),
    InputFormatOptions=Structure(
        "InputFormatOptions",
        Csv=Structure(
            "CsvOptions",
            Delimiter=String(shortest=1, longest=1, pattern=r"[,;:|\t ]"),
            HeaderList=List(String(shortest=1, longest=65536), shortest=1, longest=255),
        ),
    ),
    InputCompressionType=String(one_of="GZIP ZSTD NONE"),
    TableCreationParameters=Structure(
        "TableCreationParameters",
        "TableName AttributeDefinitions KeySchema",
        TableName=fields.PLAIN_TABLE_NAME,
        AttributeDefinitions=schema.ATTRIBUTE_DEFINITIONS,
        KeySchema=schema.TABLE_KEY_SCHEMA,
        BillingMode=schema.BILLING_MODE,
        ProvisionedThroughput=schema.PROVISIONED_THROUGHPUT,
        OnDemandThroughput=schema.ON_DEMAND_THROUGHPUT,
        SSESpecification=schema.SSE_SPECIFICATION,
        GlobalSecondaryIndexes=schema.GLOBAL_INDEXES,
    ),
)


def rules(request: dict[str, Any]) -> Checked:
    """The table to be made keeps all the rules of CreateTable."""
    table = create_table.rules(request["TableCreationParameters"])
    return Checked(request, table.table)
