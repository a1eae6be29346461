"""CreateTable."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import (
    ResourceInUseException,
)
from tests.engine.conftest import Tables
from tests.engine.operations.table_requests import ALL, FIRST, MANY, UNITS, defined, index, keyed
from tests.engine.refusals import INVALID, NOT_NULL, PATTERN, faults, refusal


async def test_a_name_is_taken_once(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ResourceInUseException, match="Table already exists: items"):
        await tables.create()


NO_DEFINITION = "Invalid KeySchema: Some index key attribute have no definition"
SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"


SECOND = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
NUMBER = (
    INVALID + "Number of attributes in KeySchema does not exactly match number of attributes defined in "
    "AttributeDefinitions"
)
AT_LEAST_ONE = "Member must have length greater than or equal to 1"


POSITIVE = "Member must have value greater than or equal to 1"


def undefined(keys: str, definitions: str) -> str:
    return (
        f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
        f"Keys: [{keys}], AttributeDefinitions: [{definitions}]"
    )


def table(names: str, *parts: str, **more: Any) -> dict[str, Any]:
    """A table of provisioned capacity."""
    return {
        "TableName": "abc",
        "AttributeDefinitions": defined(names),
        "KeySchema": keyed(*parts),
        "ProvisionedThroughput": UNITS,
        **more,
    }


def with_local(*indexes: dict[str, Any]) -> dict[str, Any]:
    return table("ab", "a", "-b", LocalSecondaryIndexes=list(indexes))


def with_global(*indexes: dict[str, Any]) -> dict[str, Any]:
    return table(
        "ab", "a", "-b", GlobalSecondaryIndexes=[{"ProvisionedThroughput": UNITS, **index} for index in indexes]
    )


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({}, faults((None, "attributeDefinitions", NOT_NULL), (None, "keySchema", NOT_NULL))),
        (
            {"AttributeDefinitions": [], "ProvisionedThroughput": {}, "BillingMode": "A"},
            faults(
                ("A", "billingMode", "Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]"),
                (None, "provisionedThroughput.writeCapacityUnits", NOT_NULL),
                (None, "provisionedThroughput.readCapacityUnits", NOT_NULL),
                (None, "keySchema", NOT_NULL),
            ),
        ),
        (
            {
                "AttributeDefinitions": [{}, {"AttributeName": "b", "AttributeType": "SS"}],
                "KeySchema": [],
                "ProvisionedThroughput": {"ReadCapacityUnits": -1, "WriteCapacityUnits": 0},
            },
            faults(
                (None, "attributeDefinitions.1.member.attributeName", NOT_NULL),
                (None, "attributeDefinitions.1.member.attributeType", NOT_NULL),
                ("SS", "attributeDefinitions.2.member.attributeType", "Member must satisfy enum value set: [B, N, S]"),
                ("0", "provisionedThroughput.writeCapacityUnits", POSITIVE),
                ("-1", "provisionedThroughput.readCapacityUnits", POSITIVE),
                ("[]", "keySchema", AT_LEAST_ONE),
            ),
        ),
        (
            {"AttributeDefinitions": defined("a"), "KeySchema": [{"AttributeName": "a", "KeyType": "INVALID"}]},
            faults(("INVALID", "keySchema.1.member.keyType", "Member must satisfy enum value set: [HASH, RANGE]")),
        ),
        (
            with_local(
                {"IndexName": "h;", "KeySchema": [], "Projection": {"ProjectionType": "x", "NonKeyAttributes": []}}
            ),
            faults(
                ("h;", "localSecondaryIndexes.1.member.indexName", PATTERN),
                (
                    "h;",
                    "localSecondaryIndexes.1.member.indexName",
                    "Member must have length greater than or equal to 3",
                ),
                ("[]", "localSecondaryIndexes.1.member.keySchema", AT_LEAST_ONE),
                (
                    "x",
                    "localSecondaryIndexes.1.member.projection.projectionType",
                    "Member must satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]",
                ),
                ("[]", "localSecondaryIndexes.1.member.projection.nonKeyAttributes", AT_LEAST_ONE),
            ),
        ),
        (
            table("ab", "a", GlobalSecondaryIndexes=[{}]),
            faults(
                (None, "globalSecondaryIndexes.1.member.keySchema", NOT_NULL),
                (None, "globalSecondaryIndexes.1.member.projection", NOT_NULL),
                (None, "globalSecondaryIndexes.1.member.indexName", NOT_NULL),
            ),
        ),
    ],
)
def test_bounds(request_: dict[str, Any], text: str) -> None:
    assert refusal("CreateTable", {"TableName": "abc", **request_}) == text


def test_faults_of_global_indexes_come_before_those_of_local_ones() -> None:
    short = "Member must have length greater than or equal to 3"
    both = {"LocalSecondaryIndexes": [index("aa", "a", "-b")], "GlobalSecondaryIndexes": [index("zz", "b")]}
    assert refusal("CreateTable", table("ab", "a", "-b", **both)) == faults(
        ("zz", "globalSecondaryIndexes.1.member.indexName", short),
        ("aa", "localSecondaryIndexes.1.member.indexName", short),
    )


def test_three_key_attributes() -> None:
    element = r"KeySchemaElement\(attributeName=\w+, keyType=(?:HASH|RANGE)\)"
    text = refusal("CreateTable", table("abc", "a", "-b", "-c"))
    assert re.fullmatch(
        rf"1 validation error detected: Value '\[{element}(, {element}){{2}}\]' at 'keySchema' failed to satisfy "
        "constraint: Member must have length less than or equal to 2",
        text,
    )


PAY = {"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": None}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            table("a", "a", ProvisionedThroughput=None),
            INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        ),
        (
            table("", "a", "a", BillingMode="PAY_PER_REQUEST"),
            INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST",
        ),
        (
            table("", "a", ProvisionedThroughput={"ReadCapacityUnits": MANY, "WriteCapacityUnits": MANY}),
            f"Given value {MANY} for ReadCapacityUnits is out of bounds",
        ),
        (
            table("", "a", ProvisionedThroughput={"ReadCapacityUnits": MANY - 1, "WriteCapacityUnits": MANY}),
            f"Given value {MANY} for WriteCapacityUnits is out of bounds",
        ),
        (table("", "a", "a"), NO_DEFINITION),
        (table("", "a", **PAY), NO_DEFINITION),
        (table("a", "a", "-a"), NO_DEFINITION),
        (table("b", "a", "-b"), NO_DEFINITION),
        (table("b", "a"), undefined("a", "b")),
        (table("ab", "a", "a"), SAME_NAME),
        (table("ab", "a", "b"), SECOND),
        (table("ab", "-a", "b"), FIRST),
        (table("ab", "-a", "-b"), FIRST),
        (table("acb", "a", "-b"), NUMBER),
        (table("ab", "a"), NUMBER),
        (table("ab", "a", LocalSecondaryIndexes=[]), INVALID + "List of LocalSecondaryIndexes is empty"),
        (table("ab", "a", GlobalSecondaryIndexes=[]), INVALID + "List of GlobalSecondaryIndexes is empty"),
        (
            table("ab", "a", LocalSecondaryIndexes=[index("abc", "a", "-b")]),
            INVALID + "Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex",
        ),
        (with_local(index("abc", "-c", "-d"), index("abc", "-e")), undefined("c, d", "a, b")),
        (with_local(index("abc", "-a")), FIRST),
        (with_local(index("abc", "a", "a")), SAME_NAME),
        (with_local(index("abc", "a", "b")), SECOND),
        (with_local(index("abc", "b")), INVALID + "Index KeySchema does not have a range key for index: abc"),
        (
            with_local(index("abc", "b", "-a")),
            INVALID + "Index KeySchema does not have the same leading hash key as table KeySchema for index: abc. "
            "index hash key: b, table hash key: a",
        ),
        (with_local(index("abc", "a", "-b", Projection={})), INVALID + "Unknown ProjectionType: null"),
        (
            with_local(index("abc", "a", "-b", Projection={**ALL, "NonKeyAttributes": ["c"]})),
            INVALID + "ProjectionType is ALL, but NonKeyAttributes is specified",
        ),
        (
            with_local(index("abc", "a", "-b", Projection={"ProjectionType": "INCLUDE"})),
            INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        ),
        (with_local(index("abc", "a", "-b"), index("abc", "a", "-b")), INVALID + "Duplicate index name: abc"),
        (
            with_local(*(index(f"abc{n}", "a", "-b") for n in range(6))),
            INVALID + "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
        ),
        (with_global(index("abc", "a", "-c")), undefined("a, c", "a, b")),
        (with_global(index("abc", "-a")), FIRST),
        (with_global(index("abc", "a", "-a")), SAME_NAME),
        (with_global(index("abc", "b", "-a", Projection={})), INVALID + "Unknown ProjectionType: null"),
        (with_global(index("abc", "a"), index("abc", "b")), INVALID + "Duplicate index name: abc"),
        (
            with_global(*(index(f"abc{n}", "a") for n in range(21))),
            INVALID + "GlobalSecondaryIndex count exceeds the per-table limit of 20",
        ),
        (
            {**with_global(index("abc", "a")), "LocalSecondaryIndexes": [index("abc", "a", "-b")]},
            INVALID + "Duplicate index name: abc",
        ),
        (
            table(
                "ab",
                "a",
                **PAY,
                GlobalSecondaryIndexes=[index("abc", "b"), index("abd", "b", ProvisionedThroughput=UNITS)],
            ),
            INVALID
            + "ProvisionedThroughput should not be specified for index: abd when BillingMode is PAY_PER_REQUEST",
        ),
        (
            table("ab", "a", GlobalSecondaryIndexes=[index("abc", "b")]),
            INVALID + "ProvisionedThroughput is not specified for index: abc",
        ),
        (
            table("abcd", "a", **PAY, GlobalSecondaryIndexes=[index("abc", "b")]),
            INVALID + "Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, c, d], keys used: [a, b]",
        ),
        (
            table("a", "a", OnDemandThroughput={"MaxWriteRequestUnits": 1}),
            INVALID + "MaxWriteRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is "
            "PROVISIONED.",
        ),
        (
            table("a", "a", **PAY, OnDemandThroughput={"MaxReadRequestUnits": -1}),
            INVALID + "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
        ),
        (
            table("a", "a", StreamSpecification={"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"}),
            INVALID + "Table is being created with a stream disabled, UpdateViewType should not be specified",
        ),
    ],
)
def test_refusals_before_a_table_is_made(request_: dict[str, Any], text: str) -> None:
    assert refusal("CreateTable", request_) == text


def test_attributes_projected_into_indexes_are_counted_together() -> None:
    def indexes(count: int) -> list[dict[str, Any]]:
        names = [f"attribute{n}" for n in range(20)]
        projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": names}
        return [index(f"abc{n}", "b", Projection=projection) for n in range(count)]

    assert operations.check("CreateTable", table("ab", "a", **PAY, GlobalSecondaryIndexes=indexes(5)))
    text = refusal("CreateTable", table("ab", "a", **PAY, GlobalSecondaryIndexes=indexes(6)))
    assert "100" in text


@pytest.mark.parametrize(
    "request_",
    [
        table("a", "a"),
        table("ab", "a", "-b", **PAY),
        with_local(index("abc", "a", "-b")),
        with_global(index("abc", "b", "-a")),
        # Up to four attributes in each half of a global index's key.
        table(
            "abcdefgh", "a", **PAY, GlobalSecondaryIndexes=[index("abc", "b", "c", "d", "e", "-f", "-g", "-h", "-a")]
        ),
        table(
            "a",
            "a",
            **PAY,
            OnDemandThroughput={},
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "key"},
            TableClass="STANDARD_INFREQUENT_ACCESS",
            Tags=[{"Key": "k", "Value": ""}],
            DeletionProtectionEnabled=True,
        ),
    ],
)
def test_tables_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("CreateTable", request_).table == "abc"


def test_keys_of_many_attributes_have_their_limits() -> None:
    five = table("abcdef", "a", **PAY, GlobalSecondaryIndexes=[index("abc", "b", "c", "d", "e", "f")])
    assert refusal("CreateTable", five).endswith("exceeds the maximum allowed number of HASH key attributes")
    mixed = table("abc", "a", **PAY, GlobalSecondaryIndexes=[index("abc", "a", "-b", "c")])
    assert refusal("CreateTable", mixed).endswith("must precede RANGE key attributes in the KeySchema")
    twice = table("abc", "a", **PAY, GlobalSecondaryIndexes=[index("abc", "a", "b", "-a", "-c")])
    assert refusal("CreateTable", twice) == "The KeySchema contains multiple key attributes with the same name"
