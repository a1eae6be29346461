"""CreateTable, UpdateTable and their kin: what DynamoDB refuses before it looks at any table."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.errors import LimitExceededException
from tests.engine.validation.refusals import INVALID, NOT_NULL, PATTERN, faults, refusal

UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
ALL = {"ProjectionType": "ALL"}
NO_DEFINITION = "Invalid KeySchema: Some index key attribute have no definition"
SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"
FIRST = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
SECOND = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
NUMBER = (
    INVALID + "Number of attributes in KeySchema does not exactly match number of attributes defined in "
    "AttributeDefinitions"
)
AT_LEAST_ONE = "Member must have length greater than or equal to 1"
POSITIVE = "Member must have value greater than or equal to 1"


def defined(names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def keyed(*parts: str) -> list[dict[str, str]]:
    """ "a" is a HASH key, "-b" a RANGE key."""
    return [{"AttributeName": part[-1], "KeyType": "RANGE" if part[0] == "-" else "HASH"} for part in parts]


def index(name: str, *parts: str, **more: Any) -> dict[str, Any]:
    return {"IndexName": name, "KeySchema": keyed(*parts), "Projection": ALL, **more}


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
    "operation", ["DescribeTable", "DeleteTable", "UpdateTable", "DescribeTimeToLive", "CreateTable"]
)
def test_table_name(operation: str) -> None:
    assert refusal(operation, {}) == "The parameter 'TableName' is required but was not present in the request"
    short = "Member must have length greater than or equal to 3"
    assert refusal(operation, {"TableName": "ab"}) == faults(("ab", "tableName", short))
    assert refusal(operation, {"TableName": ""}) == faults(("", "tableName", PATTERN), ("", "tableName", short))
    assert refusal(operation, {"TableName": "abc;"}) == faults(("abc;", "tableName", PATTERN))
    long = "a" * 256
    assert refusal(operation, {"TableName": long}) == faults(
        (long, "tableName", "Member must have length less than or equal to 255")
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


def test_three_key_attributes() -> None:
    element = r"KeySchemaElement\(attributeName=\w+, keyType=(?:HASH|RANGE)\)"
    text = refusal("CreateTable", table("abc", "a", "-b", "-c"))
    assert re.fullmatch(
        rf"1 validation error detected: Value '\[{element}(, {element}){{2}}\]' at 'keySchema' failed to satisfy "
        "constraint: Member must have length less than or equal to 2",
        text,
    )


MANY = 1_000_000_000_001
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
def test_create_table(request_: dict[str, Any], text: str) -> None:
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


NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
    "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
    "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required"
)
AT_INDEX = "globalSecondaryIndexUpdates.1.member."


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({}, NOTHING),
        ({"GlobalSecondaryIndexUpdates": []}, INVALID + "List of GlobalSecondaryIndexUpdates is empty"),
        (
            {"ProvisionedThroughput": {}},
            faults(
                (None, "provisionedThroughput.writeCapacityUnits", NOT_NULL),
                (None, "provisionedThroughput.readCapacityUnits", NOT_NULL),
            ),
        ),
        (
            {"ProvisionedThroughput": {"ReadCapacityUnits": MANY, "WriteCapacityUnits": MANY}},
            f"Given value {MANY} for ReadCapacityUnits is out of bounds",
        ),
        (
            {"BillingMode": "PROVISIONED"},
            INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
        ),
        (
            {"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": UNITS},
            INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "a", "ProvisionedThroughput": {}}}]},
            faults(
                ("a", AT_INDEX + "update.indexName", "Member must have length greater than or equal to 3"),
                (None, AT_INDEX + "update.provisionedThroughput.writeCapacityUnits", NOT_NULL),
                (None, AT_INDEX + "update.provisionedThroughput.readCapacityUnits", NOT_NULL),
            ),
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{}, {}]},
            INVALID + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "abc"}}, {"Delete": {"IndexName": "abc"}}]},
            INVALID + "Only one global secondary index update per index is allowed simultaneously. Index: abc",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Create": index("abc", "a")}]},
            INVALID + "AttributeDefinitions is not specified for index: abc",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Create": index("abc", "a"), "Delete": {"IndexName": "xyz"}}]},
            INVALID + "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
        ),
        (
            {"DeletionProtectionEnabled": True, "TableClass": "STANDARD"},
            INVALID + "TableClass modification must be the only operation in the request",
        ),
        (
            {"ProvisionedThroughput": UNITS, "StreamSpecification": {"StreamEnabled": False}},
            INVALID + "You cannot modify stream status while updating table IOPS",
        ),
        (
            {"StreamSpecification": {"StreamEnabled": True}},
            INVALID + "If stream is being enabled then UpdateViewType is required",
        ),
        (
            {"AttributeDefinitions": defined("a"), "GlobalSecondaryIndexUpdates": [{"Create": index("abc", "-a")}]},
            FIRST,
        ),
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": 0}},
            INVALID + "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
        ),
    ],
)
def test_update_table(request_: dict[str, Any], text: str) -> None:
    assert refusal("UpdateTable", {"TableName": "abc", **request_}) == text


def test_one_index_is_created_or_deleted_at_a_time() -> None:
    deletes = [{"Delete": {"IndexName": name}} for name in ("abc", "xyz")]
    with pytest.raises(LimitExceededException, match="Only 1 online index can be created or deleted simultaneously"):
        operations.check("UpdateTable", {"TableName": "abc", "GlobalSecondaryIndexUpdates": deletes})


@pytest.mark.parametrize(
    "change",
    [
        {"DeletionProtectionEnabled": False},
        {"TableClass": "STANDARD"},
        {"StreamSpecification": {"StreamEnabled": False}},
        {"OnDemandThroughput": {"MaxReadRequestUnits": -1}},
        {"BillingMode": "PAY_PER_REQUEST"},
        {"AttributeDefinitions": defined("a"), "GlobalSecondaryIndexUpdates": [{"Create": index("abc", "a")}]},
    ],
)
def test_changes_that_can_be(change: dict[str, Any]) -> None:
    assert operations.check("UpdateTable", {"TableName": "abc", **change}).table == "abc"
