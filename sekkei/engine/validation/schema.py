"""Key schemas, indexes, capacity and tags in the requests that create or change tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sekkei.engine.validation import fields
from sekkei.engine.validation.shapes import List, Number, Shape, String, Structure
from sekkei.errors import ValidationException

_TAGS_MAX = 50
_OTHER_CHARACTERS = frozenset("+-=._:/@")


def check_tags(tags: Iterable[Mapping[str, str]]) -> None:
    """Keys and values of the allowed characters, no key twice and none of Amazon's own."""
    seen: set[str] = set()
    for tag in tags:
        key, value = tag["Key"], tag["Value"]
        _check_tag_key(key)
        if not _is_plain(value):
            raise ValidationException(f"The Tag Value provided is invalid, Value: {value}")
        if key in seen:
            raise ValidationException(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        seen.add(key)
    check_tag_count(len(seen))


def _check_tag_key(key: str) -> None:
    if not _is_plain(key):
        raise ValidationException(f"The Tag Key provided is invalid, Key: {key}")
    if key.lower().startswith("aws:"):
        raise ValidationException(f"Tag Key cannot be prefixed with aws:, Key: {key}")


def check_tag_count(count: int) -> None:
    if count > _TAGS_MAX:
        raise ValidationException("Number of Tags exceed the current limit for the provided ResourceArn")


def _is_plain(text: str) -> bool:
    return all(each.isalnum() or each.isspace() or each in _OTHER_CHARACTERS for each in text)


_INVALID = "One or more parameter values were invalid: "
_SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
LOCAL_INDEXES_MAX = 5
GLOBAL_INDEXES_MAX = 20
_NON_KEY_ATTRIBUTES_MAX = 100
_UNITS_MAX = 1_000_000_000_000
_KEY_ATTRIBUTES_OF_A_KIND_MAX = 4

_KEY_ATTRIBUTE_NAME = String(shortest=1, longest=255)
_UNITS = Number("Long", least=1)
_LONG = Number("Long")


def _key_schema(longest: int) -> List:
    element = Structure(
        "KeySchemaElement",
        "AttributeName KeyType",
        AttributeName=_KEY_ATTRIBUTE_NAME,
        KeyType=String(one_of="HASH RANGE"),
    )
    return List(element, shortest=1, longest=longest)


TABLE_KEY_SCHEMA = _key_schema(2)
# Today's global indexes take up to four attributes for each half of their key.
_GLOBAL_KEY_SCHEMA = _key_schema(2 * _KEY_ATTRIBUTES_OF_A_KIND_MAX)
ATTRIBUTE_DEFINITIONS = List(
    Structure(
        "AttributeDefinition",
        "AttributeName AttributeType",
        AttributeName=_KEY_ATTRIBUTE_NAME,
        AttributeType=String(one_of="B N S"),
    )
)
_PROJECTION = Structure(
    "Projection",
    ProjectionType=String(one_of="ALL INCLUDE KEYS_ONLY"),
    NonKeyAttributes=List(String(shortest=1, longest=255), shortest=1, longest=20),
)
PROVISIONED_THROUGHPUT = Structure(
    "ProvisionedThroughput",
    "WriteCapacityUnits ReadCapacityUnits",
    WriteCapacityUnits=_UNITS,
    ReadCapacityUnits=_UNITS,
)
ON_DEMAND_THROUGHPUT = Structure("OnDemandThroughput", MaxReadRequestUnits=_LONG, MaxWriteRequestUnits=_LONG)
WARM_THROUGHPUT = Structure("WarmThroughput", ReadUnitsPerSecond=_LONG, WriteUnitsPerSecond=_LONG)
BILLING_MODE = String(one_of="PROVISIONED PAY_PER_REQUEST")
REGION = Structure("ReplicaAction", "RegionName", RegionName=fields.STRING)
TABLE_CLASS = String(one_of="STANDARD STANDARD_INFREQUENT_ACCESS")
SSE_SPECIFICATION = Structure(
    "SSESpecification",
    Enabled=fields.BOOLEAN,
    SSEType=String(one_of="AES256 KMS"),
    KMSMasterKeyId=fields.STRING,
)
STREAM_SPECIFICATION = Structure(
    "StreamSpecification",
    "StreamEnabled",
    StreamEnabled=fields.BOOLEAN,
    StreamViewType=String(one_of="NEW_IMAGE OLD_IMAGE NEW_AND_OLD_IMAGES KEYS_ONLY"),
)
TAGS = List(Structure("Tag", "Key Value", Key=String(shortest=1, longest=128), Value=String(shortest=0, longest=256)))
_CAPACITY: dict[str, Shape] = {
    "ProvisionedThroughput": PROVISIONED_THROUGHPUT,
    "OnDemandThroughput": ON_DEMAND_THROUGHPUT,
    "WarmThroughput": WARM_THROUGHPUT,
}


def _local_index(name: str) -> Structure:
    return Structure(
        name,
        "IndexName KeySchema Projection",
        IndexName=fields.INDEX_NAME,
        KeySchema=TABLE_KEY_SCHEMA,
        Projection=_PROJECTION,
    )


def global_index(name: str) -> Structure:
    return Structure(
        name,
        "IndexName KeySchema Projection",
        KeySchema=_GLOBAL_KEY_SCHEMA,
        Projection=_PROJECTION,
        IndexName=fields.INDEX_NAME,
        **_CAPACITY,
    )


LOCAL_INDEXES = List(_local_index("LocalSecondaryIndex"))
GLOBAL_INDEXES = List(global_index("GlobalSecondaryIndex"))


def names_of(key_schema: Iterable[dict[str, str]]) -> list[str]:
    return [element["AttributeName"] for element in key_schema]


def refusal(text: str) -> ValidationException:
    return ValidationException(_INVALID + text)


def check_defined(names: list[str], defined: list[str]) -> None:
    """Every attribute of an index's key has a type."""
    if not set(names) <= set(defined):
        raise refusal(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(names)}], AttributeDefinitions: [{', '.join(defined)}]"
        )


def check_key_order(key_schema: list[dict[str, str]]) -> None:
    """One HASH, then at most one RANGE, of different names: the key of a table or of a local index."""
    names = names_of(key_schema)
    if len(names) == 2 and names[0] == names[1]:
        raise ValidationException(_SAME_NAME)
    _check_first(key_schema)
    if len(key_schema) == 2 and key_schema[1]["KeyType"] != "RANGE":
        raise ValidationException("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")


def _check_first(key_schema: list[dict[str, str]]) -> None:
    if key_schema[0]["KeyType"] != "HASH":
        raise ValidationException("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")


def check_global_key_order(key_schema: list[dict[str, str]]) -> None:
    """Up to four HASH, then up to four RANGE, each name once: the key of a global index."""
    names = names_of(key_schema)
    if len(set(names)) != len(names):
        if len(names) == 2:
            raise ValidationException(_SAME_NAME)
        raise ValidationException("The KeySchema contains multiple key attributes with the same name")
    _check_first(key_schema)
    kinds = [element["KeyType"] for element in key_schema]
    if kinds != sorted(kinds):
        raise refusal("All HASH key attributes must precede RANGE key attributes in the KeySchema")
    for kind in ("HASH", "RANGE"):
        if kinds.count(kind) > _KEY_ATTRIBUTES_OF_A_KIND_MAX:
            raise refusal(f"The KeySchema exceeds the maximum allowed number of {kind} key attributes")


def check_projection(projection: dict[str, Any]) -> None:
    kind = projection.get("ProjectionType")
    if kind is None:
        raise refusal("Unknown ProjectionType: null")
    if "NonKeyAttributes" in projection and kind != "INCLUDE":
        raise refusal(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
    if "NonKeyAttributes" not in projection and kind == "INCLUDE":
        raise refusal("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    names = projection.get("NonKeyAttributes", ())
    for place, name in enumerate(names):
        if name in names[:place]:
            raise refusal(f"Duplicate element in NonKeyAttributes: {name}")


def check_non_key_attributes(indexes: Iterable[dict[str, Any]]) -> None:
    projected = sum(len(index["Projection"].get("NonKeyAttributes", ())) for index in indexes)
    if projected > _NON_KEY_ATTRIBUTES_MAX:
        raise refusal(
            "Number of NonKeyAttributes projected into all secondary indexes exceeds the per-table limit "
            f"of {_NON_KEY_ATTRIBUTES_MAX}"
        )


def check_units(throughput: dict[str, int], index: str | None = None) -> None:
    for member in ("ReadCapacityUnits", "WriteCapacityUnits"):
        if throughput[member] > _UNITS_MAX:
            where = "" if index is None else f" for index {index}"
            raise ValidationException(f"Given value {throughput[member]} for {member} is out of bounds{where}")


def check_on_demand_units(throughput: dict[str, int], least: int) -> None:
    """`least` is 1, or -1 where a ceiling can be taken away again; zero is never one."""
    for member in ("MaxReadRequestUnits", "MaxWriteRequestUnits"):
        units = throughput.get(member, 1)
        if units < least or units == 0:
            raise refusal(f"Requested {member} for OnDemandThroughput for table is outside of valid range")


def check_encryption(specification: dict[str, Any]) -> None:
    if specification.get("SSEType") == "AES256":
        raise refusal("SSEType AES256 is not supported")
    if specification.get("Enabled") is False:
        for member in ("SSEType", "KMSMasterKeyId"):
            if member in specification:
                raise refusal(f"{member} can not be specified if Enabled is false")
    if "KMSMasterKeyId" in specification and specification.get("SSEType") != "KMS":
        raise refusal("SSEType KMS is required if KMSMasterKeyId is specified")
