"""UpdateItem."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import (
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.refusals import CAPACITY, METRICS, NOT_NULL, RETURNS, faults, refusal


async def test_update_makes_the_item_it_does_not_find(tables: Tables) -> None:
    await tables.create()
    response = await tables(
        "UpdateItem",
        TableName="items",
        Key=item(pk="a", sk=1),
        UpdateExpression="ADD hits :one SET label = if_not_exists(label, :new)",
        ExpressionAttributeValues={":one": {"N": "1"}, ":new": {"S": "new"}},
        ReturnValues="ALL_NEW",
    )
    assert response["Attributes"] == item(pk="a", sk=1, hits=1, label="new")


async def test_update_that_only_removes_makes_nothing(tables: Tables) -> None:
    await tables.create()
    await tables("UpdateItem", TableName="items", Key=item(pk="a", sk=1), UpdateExpression="REMOVE x")
    assert await tables.get(pk="a", sk=1) is None


async def test_update_without_expression_makes_a_key_alone(tables: Tables) -> None:
    await tables.create()
    await tables("UpdateItem", TableName="items", Key=item(pk="a", sk=1))
    assert await tables.get(pk="a", sk=1) == item(pk="a", sk=1)


@pytest.mark.parametrize(
    ("how", "attributes"),
    [
        ("NONE", None),
        ("ALL_OLD", item(pk="a", sk=1, x=1, y="y")),
        ("ALL_NEW", item(pk="a", sk=1, x=2, y="y")),
        ("UPDATED_OLD", item(x=1)),
        ("UPDATED_NEW", item(x=2)),
    ],
)
async def test_update_returns_what_is_asked(tables: Tables, how: str, attributes: dict[str, object] | None) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x=1, y="y")
    response = await tables(
        "UpdateItem",
        TableName="items",
        Key=item(pk="a", sk=1),
        UpdateExpression="SET x = x + :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
        ReturnValues=how,
    )
    assert response.get("Attributes") == attributes


async def test_the_key_cannot_be_updated(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ValidationException, match="Cannot update attribute pk"):
        await tables(
            "UpdateItem",
            TableName="items",
            Key=item(pk="a", sk=1),
            UpdateExpression="SET pk = :x",
            ExpressionAttributeValues={":x": {"S": "b"}},
        )


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {"ReturnConsumedCapacity": "hi", "ReturnItemCollectionMetrics": "hi", "ReturnValues": "hi"},
            faults(
                ("hi", "returnConsumedCapacity", CAPACITY),
                ("hi", "returnItemCollectionMetrics", METRICS),
                ("hi", "returnValues", RETURNS),
                (None, "key", NOT_NULL),
            ),
        ),
    ],
)
def test_bounds(request_: dict[str, Any], text: str) -> None:
    assert refusal("UpdateItem", {"TableName": "abc", **request_}) == text
