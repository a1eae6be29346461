"""Exports and imports: what their tests do and look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.engine.conftest import Tables, key
from tests.engine.operations.waiting import jobs_done

BUCKET = "bucket"


def bucket(tables: Tables) -> Path:
    return Path(tables.engine.path).parent / "s3" / BUCKET


async def arn_of(tables: Tables, table: str = "plain") -> str:
    return str((await tables("DescribeTable", TableName=table))["Table"]["TableArn"])


async def export(tables: Tables, **more: Any) -> dict[str, Any]:
    request = {"TableArn": await arn_of(tables), "S3Bucket": BUCKET, **more}
    begun = (await tables("ExportTableToPointInTime", **request))["ExportDescription"]
    await jobs_done(tables.engine)
    return dict((await tables("DescribeExport", ExportArn=begun["ExportArn"]))["ExportDescription"])


def folder_of(tables: Tables, exported: dict[str, Any]) -> Path:
    return bucket(tables) / Path(exported["ExportManifest"]).parent


async def import_from(tables: Tables, prefix: str = "", **more: Any) -> dict[str, Any]:
    parameters = {
        "TableName": "imported",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": key("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    request = {
        "S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": prefix},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": parameters,
        **more,
    }
    begun = (await tables("ImportTable", **request))["ImportTableDescription"]
    await jobs_done(tables.engine)
    return dict((await tables("DescribeImport", ImportArn=begun["ImportArn"]))["ImportTableDescription"])


def write(tables: Tables, name: str, content: bytes) -> None:
    path = bucket(tables) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def parameters(name: str) -> dict[str, Any]:
    return {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": key("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }
