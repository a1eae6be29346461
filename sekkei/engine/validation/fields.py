"""Members that requests of several operations share: table names and ARNs, streams, indexes, options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sekkei.engine.operation import Checked
from sekkei.engine.validation.shapes import (
    AttributeValue,
    Boolean,
    Item,
    List,
    Map,
    Number,
    Shape,
    String,
    Structure,
    fault,
)
from sekkei.errors import ValidationException

PATTERN = "[a-zA-Z0-9_.-]+"
_SHORTEST = 3
_LONGEST = 255
_ARN_LONGEST = 1024

_is_name = re.compile(PATTERN).fullmatch
_is_arn = re.compile(rf"arn:aws[a-z-]*:dynamodb:[a-z0-9-]*:\d*:table/({PATTERN})").fullmatch


def table_name(text: str) -> str | None:
    """The name that a name or an ARN gives; None when it is neither."""
    return _table_name(text) if len(text) <= _ARN_LONGEST else None


@lru_cache(4096)
def _table_name(text: str) -> str | None:
    match = _is_arn(text)
    name = match[1] if match else text
    return name if _SHORTEST <= len(name) <= _LONGEST and _is_name(name) else None


def named(text: str) -> str:
    """The name in a TableName that has been checked."""
    name = _table_name(text)
    assert name is not None, "the shape lets nothing else pass"
    return name


class _TableName(String):
    """A TableName, which may be an ARN; then the name in it is what is looked at."""

    def __init__(self) -> None:
        super().__init__(shortest=_SHORTEST, longest=_LONGEST, pattern=PATTERN)
        self.fine = lambda value: type(value) is str and table_name(value) is not None

    def faults(self, value: str, path: str) -> Iterator[str]:
        match = _is_arn(value)
        if match and len(value) > _ARN_LONGEST:
            constraint = f"Member must have length less than or equal to {_ARN_LONGEST}"
            return iter([fault(self.quoted(value), path, constraint)])
        return super().faults(match[1] if match else value, path)


class _ItemTableName(_TableName):
    """The one of operations on items: of an empty name nothing is said but that it is empty."""

    def faults(self, value: str, path: str) -> Iterator[str]:
        if not value:
            return iter([fault("''", path, "Member must have length greater than or equal to 1")])
        return super().faults(value, path)


class ItemOperation(Structure):
    """A request about items: a TableName that cannot be one is reported alone, unless something is missing too."""

    def __init__(self, name: str, required: str = "", **members: Shape) -> None:
        super().__init__(name, f"TableName {required}", **members)

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        if self.required <= value.keys():
            alone = list(TABLE_NAME.faults(value["TableName"], "tableName"))
            if alone:
                return iter(alone)
        return super().faults(value, path)


class TableOperation(Structure):
    """A request about a table: without a TableName, or with one that cannot be, nothing else is looked at."""

    def __init__(self, name: str, required: str = "", **members: Shape) -> None:
        super().__init__(name, f"TableName {required}", **members)

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        name = value.get("TableName")
        if name is None:
            raise ValidationException("The parameter 'TableName' is required but was not present in the request")
        alone = list(CONTROL_TABLE_NAME.faults(name, "tableName"))
        return iter(alone) if alone else super().faults(value, path)


TABLE_NAME = _ItemTableName()
CONTROL_TABLE_NAME = _TableName()


STRING = String()
BOOLEAN = Boolean()
_VALUE = AttributeValue()
ITEM = Item()
NAMES = Map(STRING)
ATTRIBUTES_TO_GET = List(STRING, shortest=1, longest=255)
INDEX_NAME = String(shortest=3, longest=255, pattern=PATTERN)
RETURN_CONSUMED_CAPACITY = String(one_of="INDEXES TOTAL NONE")
RETURN_ITEM_COLLECTION_METRICS = String(one_of="SIZE NONE")
RETURN_VALUES = String(one_of="ALL_NEW UPDATED_OLD ALL_OLD NONE UPDATED_NEW")
RETURN_VALUES_ON_FAILURE = String(one_of="ALL_OLD NONE")
CONDITIONAL_OPERATOR = String(one_of="OR AND")
SELECT = String(one_of="SPECIFIC_ATTRIBUTES COUNT ALL_ATTRIBUTES ALL_PROJECTED_ATTRIBUTES")
_COMPARISON_OPERATOR = String(one_of="IN NULL BETWEEN LT NOT_CONTAINS EQ GT NOT_NULL NE LE BEGINS_WITH GE CONTAINS")
LIMIT = Number(least=1)
STREAMS_LIMIT = Number(least=1, most=100)

EXPECTED = Map(
    Structure(
        "ExpectedAttributeValue",
        AttributeValueList=List(_VALUE),
        ComparisonOperator=_COMPARISON_OPERATOR,
        Exists=BOOLEAN,
        Value=_VALUE,
    )
)
CONDITIONS = Map(
    Structure(
        "Condition", "ComparisonOperator", AttributeValueList=List(_VALUE), ComparisonOperator=_COMPARISON_OPERATOR
    )
)
ATTRIBUTE_UPDATES = Map(Structure("AttributeValueUpdate", Action=String(one_of="ADD DELETE PUT"), Value=_VALUE))

PLAIN_TABLE_NAME = String(shortest=3, longest=255, pattern=PATTERN)
TABLE_ARN = String(shortest=1, longest=1024)
RESOURCE_ARN = String(shortest=1, longest=1283)
ARN = String(shortest=37, longest=1024)
SHARD_ID = String(shortest=28, longest=65)
TIME = Number("Double")
CLIENT_REQUEST_TOKEN = String(shortest=1, longest=36)
STATEMENT = String(shortest=1, longest=8192)
PARAMETERS = List(_VALUE, shortest=1)
CLIENT_TOKEN = String(pattern=r"[^\$]+")
S3_BUCKET = String(longest=255, pattern=r"[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+")
S3_BUCKET_OWNER = String(pattern="[0-9]{12}")
S3_PREFIX = String(longest=1024)


_is_table = re.compile(r"arn:aws[a-z-]*:dynamodb:[^:]*:\d+:table/[a-zA-Z0-9_.-]{3,255}").fullmatch


class ResourceOperation(Structure):
    """A request about a resource: without its ARN nothing else is looked at."""

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        if not value.get("ResourceArn"):
            raise ValidationException("Invalid TableArn")
        return super().faults(value, path)


def check_resource(arn: str) -> None:
    if not arn.startswith("arn:"):
        raise ValidationException(f"One or more parameter values were invalid: ARNs must start with 'arn:': {arn}")
    if not arn.startswith("arn:aws") or arn.split(":")[2:3] != ["dynamodb"]:
        raise ValidationException(
            f"One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: {arn}"
        )
    if not _is_table(arn):
        raise ValidationException(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")


_is_stream = re.compile(r"arn:aws[a-z-]*:dynamodb:[^:]*:\d*:table/[a-zA-Z0-9_.-]+/stream/.+").fullmatch


def check_stream_arn(arn: str) -> None:
    if not _is_stream(arn):
        raise ValidationException(f"Invalid StreamArn: {arn}")


def plain(request: dict[str, Any]) -> Checked:
    """A request that need not name a table; where it does, the name is taken."""
    return Checked(request, table_name(request.get("TableName", "")) or "")


def about_table(request: dict[str, Any]) -> Checked:
    return Checked(request, named(request["TableName"]))


def only_a_table(name: str) -> TableOperation:
    """The shape of a request that holds a TableName and nothing else."""
    return TableOperation(name, TableName=CONTROL_TABLE_NAME)
