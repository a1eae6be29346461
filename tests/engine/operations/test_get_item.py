"""GetItem."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import (
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.refusals import AT_LEAST_ONE, faults, refusal


async def test_what_was_put_is_got(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, text="ことば", n={"N": "1.50"}, b={"B": "aGk="}, s={"NS": ["2", "1.0"]})
    found = await tables.get(pk="a", sk=1)
    assert found == {
        **item(pk="a", sk=1, text="ことば"),
        "n": {"N": "1.5"},
        "b": {"B": "aGk="},
        "s": {"NS": ["2", "1"]},
    }
    assert await tables.get(pk="a", sk=2) is None


async def test_a_missing_table_is_said_to_be_missing(tables: Tables) -> None:
    with pytest.raises(ResourceNotFoundException):
        await tables.get("nowhere", pk="a")
    with pytest.raises(ResourceNotFoundException):
        await tables.put("nowhere", pk="a")


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (item(pk="a"), "The provided key element does not match the schema"),
        (item(pk="a", sk="1"), "The provided key element does not match the schema"),
        (item(pk="a", sk=1, x="y"), "The provided key element does not match the schema"),
        (item(pk="", sk=1), "cannot contain an empty string value. Key: pk"),
    ],
)
async def test_a_key_that_does_not_fit(tables: Tables, key: dict[str, dict[str, str]], says: str) -> None:
    await tables.create()
    for operation in ("GetItem", "DeleteItem", "UpdateItem"):
        with pytest.raises(ValidationException, match=says):
            await tables(operation, TableName="items", Key=key)


async def test_capacity_of_reads(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="x" * 5000)
    for consistent, units in ((True, 2.0), (False, 1.0)):
        response = await tables(
            "GetItem",
            TableName="items",
            Key=item(pk="a", sk=1),
            ConsistentRead=consistent,
            ReturnConsumedCapacity="TOTAL",
        )
        assert response["ConsumedCapacity"] == {"TableName": "items", "CapacityUnits": units}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"Key": {}, "AttributesToGet": []}, faults(("[]", "attributesToGet", AT_LEAST_ONE))),
    ],
)
def test_bounds(request_: dict[str, Any], text: str) -> None:
    assert refusal("GetItem", {"TableName": "abc", **request_}) == text
