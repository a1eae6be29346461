"""UpdateTable."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.engine.history import jobs
from sekkei.errors import (
    LimitExceededException,
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.operations.calls import described, new_index
from tests.engine.operations.table_requests import FIRST, MANY, UNITS, defined, index
from tests.engine.refusals import INVALID, NOT_NULL, faults, refusal


async def test_a_new_index_holds_the_items_that_were_there(tables: Tables) -> None:
    await tables.create_plain()
    await tables.put("plain", pk="a", colour="red")
    await tables.put("plain", pk="b", colour=7)
    await tables.put("plain", pk="c")
    response = await tables("UpdateTable", TableName="plain", **new_index("by_colour", "colour"))
    assert response["TableDescription"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    # An item whose value is of another type stays out of the index, and stays.
    assert await tables.all("plain", "by_colour") == [item(pk="a", colour="red")]
    await tables("UpdateTable", TableName="plain", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_colour"}}])
    with pytest.raises(ValidationException, match="does not have the specified index"):
        await tables.all("plain", "by_colour")


async def test_a_large_backfill_goes_on_beside_writes(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "BACKFILL_ITEMS", 7)
    await tables.create_plain()
    for number in range(60):
        await tables.put("plain", pk=str(number), colour="red")
    await tables("UpdateTable", TableName="plain", **new_index("by_colour", "colour"))
    for number in range(0, 60, 2):
        await tables.put("plain", pk=str(number), colour="blue")
    for number in range(100):
        (index,) = (await described(tables, "plain"))["GlobalSecondaryIndexes"]  # type: ignore[misc]
        if index["IndexStatus"] == "ACTIVE":
            break
        # A part of the backfill fits between any two writes.
        await tables.put("plain", pk=f"colourless {number}")
    colours = [found["colour"]["S"] for found in await tables.all("plain", "by_colour")]
    assert (colours.count("red"), colours.count("blue")) == (30, 30)


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
def test_refusals_before_a_table_is_changed(request_: dict[str, Any], text: str) -> None:
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


async def test_another_type_for_a_known_attribute_is_passed_over_unless_the_new_index_needs_it(tables: Tables) -> None:
    """DynamoDB keeps the type it knows; only an index whose own key would change its type is refused."""
    await tables.create_plain()

    async def add(name: str, key: str, **types: str) -> None:
        schema = [{"AttributeName": key, "KeyType": "HASH"}]
        created = {"IndexName": name, "KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
        await tables(
            "UpdateTable",
            TableName="plain",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": type_} for name, type_ in types.items()],
            GlobalSecondaryIndexUpdates=[{"Create": created}],
        )

    await add("by_g", "g", pk="N", g="S")
    described = await tables("DescribeTable", TableName="plain")
    types = {each["AttributeName"]: each["AttributeType"] for each in described["Table"]["AttributeDefinitions"]}
    assert types == {"pk": "S", "g": "S"}
    await tables.put("plain", pk="text", g="text")
    with pytest.raises(ValidationException, match="Attributes cannot be redefined"):
        await add("by_pk", "pk", pk="N")
