"""ImportTable, DescribeImport, ListImports."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from sekkei.engine.history import imports
from sekkei.engine.history.buckets import Bucket
from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.operations.create_table import rules as rules_of_create_table
from sekkei.engine.storage import documents
from sekkei.engine.storage.catalogue import table_arn
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import List, Number, String, Structure
from sekkei.errors import ImportConflictException, ImportNotFoundException, ResourceInUseException, ValidationException

_Record = dict[str, Any]

TOKEN_SECONDS = 8 * 3600

_REPEATED = ("ClientToken", "S3BucketSource", "InputFormat", "InputFormatOptions", "TableCreationParameters")

_IMPORT = Structure(
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
    table = rules_of_create_table(request["TableCreationParameters"])
    return Checked(request, table.table)


def import_table(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    _check_can_be_read(request)
    Bucket(transaction.settings, request["S3BucketSource"]["S3Bucket"])
    earlier = _earlier(transaction, request)
    if earlier is not None:
        return {"ImportTableDescription": _described(earlier)}
    if transaction.find_table(checked.table) is not None:
        raise ResourceInUseException(f"Table already exists: {checked.table}")
    import_id = f"{int(transaction.now * 1000):014d}-{transaction.uuid()[:8]}"
    description: _Record = {
        "ImportArn": f"{table_arn(checked.table, transaction.region)}/import/{import_id}",
        "ImportStatus": "IN_PROGRESS",
        "StartTime": round(transaction.now, 3),
        "InputCompressionType": request.get("InputCompressionType") or "NONE",
        "ErrorCount": 0,
        "ProcessedSizeBytes": 0,
        "ProcessedItemCount": 0,
        "ImportedItemCount": 0,
        "digest": _digest(request),
        **{member: request[member] for member in _REPEATED if member in request},
    }
    imports.start(transaction, description)
    return {"ImportTableDescription": _described(description)}


def _described(description: _Record) -> _Record:
    return {name: value for name, value in description.items() if name != "digest"}


def _check_can_be_read(request: Mapping[str, Any]) -> None:
    for member, value, instead in (("InputFormat", "ION", "DYNAMODB_JSON"), ("InputCompressionType", "ZSTD", "GZIP")):
        if request.get(member) == value:
            raise ValidationException(
                f"One or more parameter values were invalid: {member} {value} is not supported by this store; "
                f"use {instead}"
            )


def _earlier(transaction: Transaction, request: Mapping[str, Any]) -> _Record | None:
    """The import that the same token has started already."""
    token = request.get("ClientToken")
    if token is None:
        return None
    for _, description in documents.all_of(transaction, "import"):
        if description.get("ClientToken") == token and description["StartTime"] > transaction.now - TOKEN_SECONDS:
            if description["digest"] != _digest(request):
                raise ImportConflictException(
                    "There was a conflict when importing from the specified S3 source: "
                    "the same client token was used with other parameters."
                )
            return description
    return None


def _digest(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(request, option=orjson.OPT_SORT_KEYS)).hexdigest()


_UNANSWERED = "TableCreationParameters.VectorIndexes"


_DESCRIBE = Structure("DescribeImportInput", "ImportArn", ImportArn=fields.ARN)


def describe_import(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    arn = checked.request["ImportArn"]
    description = documents.find(snapshot, "import", arn)
    if description is None:
        raise ImportNotFoundException(f"Import not found: {arn}")
    return {"ImportTableDescription": _described(description)}


_PAGE_MAX = 25
_TOKEN_BYTES_MIN = 56
_TOKEN_BLOCK = 8

_MEMBERS = ("ImportArn", "ImportStatus", "TableArn", "S3BucketSource", "InputFormat", "StartTime", "EndTime")

_LIST = Structure(
    "ListImportsInput",
    TableArn=fields.TABLE_ARN,
    PageSize=Number(least=1, most=25),
    NextToken=fields.STRING,
)


def list_imports(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    limit = request.get("PageSize") or _PAGE_MAX
    start = _read_token(request["NextToken"]) if "NextToken" in request else ""
    found = [
        (arn, description)
        for arn, description in documents.all_of(snapshot, "import")
        if arn > start and request.get("TableArn", description["TableArn"]) == description["TableArn"]
    ]
    response: Response = {
        "ImportSummaryList": [
            {member: description[member] for member in _MEMBERS if member in description}
            for _, description in found[:limit]
        ]
    }
    if len(found) > limit:
        response["NextToken"] = _token(found[limit - 1][0])
    return response


def _token(arn: str) -> str:
    """The ARN in DynamoDB's form of this token: blocks of sixteen hexadecimal digits."""
    length = max(_TOKEN_BYTES_MIN, -(-len(arn) // _TOKEN_BLOCK) * _TOKEN_BLOCK)
    return arn.ljust(length).encode().hex()


def _read_token(token: str) -> str:
    try:
        return bytes.fromhex(token).decode().rstrip()
    except ValueError:
        raise ValidationException("Invalid NextToken") from None


OPERATIONS = (
    Write("ImportTable", _IMPORT, rules, import_table, unanswered=_UNANSWERED),
    Read("DescribeImport", _DESCRIBE, plain, describe_import),
    Read("ListImports", _LIST, plain, list_imports),
)
