"""GetItem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine, operations
from sekkei.engine.operations.get_item import fast_answer
from sekkei.errors import (
    DynamoDBError,
    ResourceNotFoundException,
    SerializationException,
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


PLAIN = {"pk": {"S": "a"}, "sk": {"S": "1"}}
ODD: dict[str, Any] = {
    "an ARN": {"TableName": "arn:aws:dynamodb:us-east-1:123456789012:table/texts"},
    "no such table": {"TableName": "nowhere"},
    "a name that is none": {"TableName": "a"},
    "a name that is no text": {"TableName": ["texts"]},
    "a wish for capacity": {"ReturnConsumedCapacity": "TOTAL"},
    "a wish and no consistency": {"ConsistentRead": None},
    "consistency that is none": {"ConsistentRead": "yes"},
    "a projection": {"ProjectionExpression": "sk"},
    "an unknown member": {"Unknown": 1},
    "no key": {"Key": None},
    "a key that is none": {"Key": [PLAIN]},
    "half a key": {"Key": {"pk": {"S": "a"}}},
    "more than a key": {"Key": {**PLAIN, "x": {"S": "y"}}},
    "another name": {"Key": {"pk": {"S": "a"}, "x": {"S": "1"}}},
    "a number": {"Key": {**PLAIN, "sk": {"N": "1"}}},
    "an empty text": {"Key": {**PLAIN, "sk": {"S": ""}}},
    "a long text": {"Key": {**PLAIN, "sk": {"S": "1" * 1025}}},
    "two values": {"Key": {**PLAIN, "sk": {"S": "1", "N": "1"}}},
    "no value": {"Key": {**PLAIN, "sk": {}}},
    "a value that is none": {"Key": {**PLAIN, "sk": "1"}},
    "a text that is none": {"Key": {**PLAIN, "sk": {"S": 1}}},
    "half a character": {"Key": {**PLAIN, "sk": {"S": "\ud800"}}},
}


async def create_texts(tables: Tables) -> None:
    types = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "g", "l")]
    await tables.create("texts", AttributeDefinitions=types)
    await tables.put("texts", pk="a", sk="1", x="y")


async def told(engine: Engine, request: Any) -> Any:
    try:
        return await engine.call("GetItem", request)
    except DynamoDBError as error:
        return type(error), str(error)


@pytest.mark.parametrize("consistent", [{}, {"ConsistentRead": True}, {"ConsistentRead": False}])
@pytest.mark.parametrize("sort", ["1", "2", "ことば"])
async def test_a_plain_request_is_answered_plainly(tables: Tables, sort: str, consistent: dict[str, bool]) -> None:
    await create_texts(tables)
    request = {"TableName": "texts", "Key": {"pk": {"S": "a"}, "sk": {"S": sort}}, **consistent}
    expected = {"Item": item(pk="a", sk="1", x="y")} if sort == "1" else {}
    assert fast_answer(tables.engine._first_snapshot(), request, orjson.loads) == expected
    assert await told(tables.engine, request) == expected


@pytest.mark.parametrize("odd", ODD.values(), ids=list(ODD))
async def test_whatever_is_not_plain_is_looked_at_closely(
    tables: Tables, odd: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    await create_texts(tables)
    request = {"TableName": "texts", "Key": PLAIN, **odd}
    assert fast_answer(tables.engine._first_snapshot(), request, orjson.loads) is None
    answer = await told(tables.engine, request)
    monkeypatch.setattr(operations.find("GetItem"), "fast_answer", None)
    assert await told(tables.engine, request) == answer


async def test_a_request_that_is_no_request(tables: Tables) -> None:
    await create_texts(tables)
    assert (await told(tables.engine, [["TableName", "texts"], ["Key", PLAIN]]))[0] is SerializationException


async def test_a_table_made_anew_by_somebody_else_is_found(tmp_path: Path) -> None:
    """The plain way uses the tables as this process knows them; one that is gone is looked up again."""
    with Engine(tmp_path / "store.db") as ours, Engine(tmp_path / "store.db") as theirs:
        tables = Tables(theirs, ManualClock())
        await create_texts(tables)
        request = {"TableName": "texts", "Key": PLAIN}
        assert await told(ours, request) == {"Item": item(pk="a", sk="1", x="y")}
        await tables("DeleteTable", TableName="texts")
        assert (await told(ours, request))[0] is ResourceNotFoundException
        await create_texts(tables)
        assert await told(ours, request) == {"Item": item(pk="a", sk="1", x="y")}
