"""PutItem."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from sekkei.engine.operations.put_item import fast_check
from sekkei.errors import (
    ConditionalCheckFailedException,
    DynamoDBError,
    SerializationException,
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.refusals import CAPACITY, METRICS, NOT_NULL, RETURNS, faults, refusal
from tests.engine.validation.requests import Requests


async def test_a_request_is_left_as_it_was(tables: Tables) -> None:
    await tables.create()
    request = {"TableName": "items", "Item": {"pk": {"S": "a"}, "sk": {"N": "1.0"}}}
    await tables.engine.call("PutItem", request)
    assert request == {"TableName": "items", "Item": {"pk": {"S": "a"}, "sk": {"N": "1.0"}}}


async def test_put_returns_the_old_item_when_asked(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="old")
    first = await tables("PutItem", TableName="items", Item=item(pk="a", sk=1, x="new"), ReturnValues="ALL_OLD")
    assert first["Attributes"] == item(pk="a", sk=1, x="old")
    fresh = await tables("PutItem", TableName="items", Item=item(pk="b", sk=1), ReturnValues="ALL_OLD")
    assert "Attributes" not in fresh


async def test_a_failed_condition_changes_nothing_and_may_show_the_item(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, x="old")
    with pytest.raises(ConditionalCheckFailedException) as failed:
        await tables(
            "PutItem",
            TableName="items",
            Item=item(pk="a", sk=1, x="new"),
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert failed.value.item == item(pk="a", sk=1, x="old")
    assert await tables.get(pk="a", sk=1) == item(pk="a", sk=1, x="old")


async def test_an_item_too_large_is_refused(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ValidationException, match="Item size has exceeded the maximum allowed size"):
        await tables.put(pk="a", sk=1, x="x" * (400 * 1024))
    await tables.put(pk="a", sk=1, x="x" * (399 * 1024))
    with pytest.raises(ValidationException, match="Item size to update has exceeded the maximum allowed size"):
        await tables(
            "UpdateItem",
            TableName="items",
            Key=item(pk="a", sk=1),
            UpdateExpression="SET y = :y",
            ExpressionAttributeValues={":y": {"S": "y" * 2000}},
        )


async def test_index_entries_follow_their_item(tables: Tables) -> None:
    await tables.create()
    await tables.put(pk="a", sk=1, g="one")
    assert [found["g"] for found in await tables.all(index="by_g")] == [{"S": "one"}]
    await tables.put(pk="a", sk=1, g="two")
    assert [found["g"] for found in await tables.all(index="by_g")] == [{"S": "two"}]
    await tables("UpdateItem", TableName="items", Key=item(pk="a", sk=1), UpdateExpression="REMOVE g")
    assert await tables.all(index="by_g") == []
    await tables.put(pk="a", sk=1, g="three")
    await tables("DeleteItem", TableName="items", Key=item(pk="a", sk=1))
    assert await tables.all(index="by_g") == []


async def test_an_index_key_of_the_wrong_type_is_refused(tables: Tables) -> None:
    await tables.create()
    with pytest.raises(ValidationException, match="Type mismatch for Index Key g Expected: S Actual: N"):
        await tables.put(pk="a", sk=1, g=1)
    assert await tables.all() == []


async def test_capacity_of_writes_counts_index_entries(tables: Tables) -> None:
    await tables.create()

    async def units(**attributes: object) -> dict[str, float]:
        response = await tables("PutItem", TableName="items", Item=item(**attributes), ReturnConsumedCapacity="INDEXES")
        consumed = response["ConsumedCapacity"]
        found = {"table": consumed["Table"]["CapacityUnits"], "all": consumed["CapacityUnits"]}
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            found.update({name: entry["CapacityUnits"] for name, entry in consumed.get(member, {}).items()})
        return found

    assert await units(pk="a", sk=1) == {"table": 1.0, "all": 1.0}
    assert await units(pk="a", sk=1, g="x") == {"table": 1.0, "by_g": 1.0, "all": 2.0}
    assert await units(pk="a", sk=1, g="y") == {"table": 1.0, "by_g": 2.0, "all": 3.0}
    assert await units(pk="a", sk=1, g="y") == {"table": 1.0, "all": 1.0}
    assert await units(pk="a", sk=1, g="y", l="z", x="x" * 2000) == {
        "table": 2.0,
        "by_g": 2.0,
        "by_l": 1.0,
        "all": 5.0,
    }


async def test_collection_metrics(tables: Tables) -> None:
    await tables.create()
    response = await tables("PutItem", TableName="items", Item=item(pk="a", sk=1), ReturnItemCollectionMetrics="SIZE")
    assert response["ItemCollectionMetrics"] == {
        "ItemCollectionKey": {"pk": {"S": "a"}},
        "SizeEstimateRangeGB": [0.0, 1.0],
    }


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {"ReturnConsumedCapacity": "hi", "ReturnItemCollectionMetrics": "hi", "ReturnValues": "hi"},
            faults(
                ("hi", "returnConsumedCapacity", CAPACITY),
                (None, "item", NOT_NULL),
                ("hi", "returnValues", RETURNS),
                ("hi", "returnItemCollectionMetrics", METRICS),
            ),
        ),
    ],
)
def test_bounds(request_: dict[str, Any], text: str) -> None:
    assert refusal("PutItem", {"TableName": "abc", **request_}) == text


def test_item_size() -> None:
    limit = 400 * 1024
    request = {"TableName": "abc", "Item": {"a": {"S": "x" * (limit - 1)}}}
    assert operations.check("PutItem", request).item
    request["Item"] = {"a": {"S": "x" * limit}, "b": {"NULL": True}}
    assert refusal("PutItem", request) == "Item size has exceeded the maximum allowed size"
    put = {"RequestItems": {"abc": [{"PutRequest": {"Item": request["Item"]}}]}}
    assert refusal("BatchWriteItem", put) == "Item size has exceeded the maximum allowed size"


PLAIN: dict[str, Any] = {
    "pk": {"S": "a"},
    "sk": {"N": "1"},
    "text": {"S": "ことば"},
    "empty": {"S": ""},
    "zero": {"N": "0"},
    "far": {"N": "9" * 38},
    "round": {"N": "1200"},
    "yes": {"BOOL": True},
    "no": {"BOOL": False},
}
ODD: dict[str, Any] = {
    "a name that is not ASCII": {"言葉": {"S": "x"}},
    "an empty name": {"": {"S": "x"}},
    "a long name": {"n" * 300: {"S": "x"}},
    "half a character": {"x": {"S": "\ud800"}},
    "half a character in a name": {"\ud800": {"S": "x"}},
    "too many digits": {"x": {"N": "1" * 39}},
    "a number spelled otherwise": {"x": {"N": "007"}},
    "a number with a point": {"x": {"N": "1.50"}},
    "a negative number": {"x": {"N": "-1"}},
    "digits of another script": {"x": {"N": "١٢"}},
    "a number that is none": {"x": {"N": "one"}},
    "an empty number": {"x": {"N": ""}},
    "no text": {"x": {"S": 1}},
    "no number": {"x": {"N": 1}},
    "no truth": {"x": {"BOOL": 1}},
    "two types": {"x": {"S": "x", "N": "1"}},
    "no type": {"x": {}},
    "an unknown type": {"x": {"T": "x"}},
    "no value": {"x": None},
    "a list": {"x": {"L": [{"S": "x"}]}},
    "a map": {"x": {"M": {"y": {"N": "1.0"}}}},
    "a set": {"x": {"SS": ["b", "a"]}},
    "bytes": {"x": {"B": "YQ=="}},
    "null": {"x": {"NULL": True}},
    "a large item": {"x": {"S": "x" * 400 * 1024}},
    "many attributes": {f"x{number}": {"N": "1"} for number in range(501)},
    "another class": {"x": type("Text", (dict,), {})(S="x")},
}


def checked(request: Any) -> Any:
    try:
        found = operations.check("PutItem", request)
    except (ValidationException, SerializationException) as error:
        return type(error), str(error)
    return found.request, found.table, found.item, found.size, found.condition


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_item_is_good_after_one_look(name: str) -> None:
    request = {"TableName": "items", "Item": {"pk": {"S": "a"}, name: PLAIN[name]}}
    found = fast_check(request)
    assert found is not None
    assert found.item is not request["Item"]
    assert (found.request, found.table, found.item, found.size, found.condition) == checked(request)


@pytest.mark.parametrize("odd", ODD.values(), ids=list(ODD))
async def test_whatever_is_not_plain_is_looked_at_closely(
    tables: Tables, odd: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    await tables.create()
    request = {"TableName": "items", "Item": {**PLAIN, **odd}}
    assert fast_check(request) is None
    answers = []
    for _ in range(2):
        try:
            answers.append(await tables.engine.call("PutItem", request))
        except DynamoDBError as error:
            answers.append({type(error).__name__: str(error)})
        monkeypatch.setattr(operations.find("PutItem"), "fast_check", None)
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "request_",
    [
        None,
        [],
        {},
        {"TableName": "items"},
        {"TableName": "no", "Item": PLAIN},
        {"TableName": 1, "Item": PLAIN},
        {"TableName": "items", "Item": None},
        {"TableName": "items", "Item": [PLAIN]},
        {"TableName": "items", "Items": PLAIN},
        {"TableName": "items", "Item": PLAIN, "ReturnValues": "ALL_OLD"},
        {"TableName": "items", "Item": PLAIN, "Wrong": 1},
    ],
)
def test_a_request_that_wishes_for_more_or_is_none_is_looked_at_closely(request_: Any) -> None:
    assert fast_check(request_) is None


def test_one_look_and_a_closer_one_agree_on_any_request() -> None:
    requests, shape, plain = Requests(seed=4), operations.OPERATIONS["PutItem"].shape, 0
    for _ in range(3_000):
        request = requests.of(shape, oddity=0)
        request = {name: request.get(name) for name in ("TableName", "Item")}
        found = fast_check(request)
        if found is not None:
            plain += 1
            assert (found.request, found.table, found.item, found.size, found.condition) == checked(request)
    assert plain, "the requests were too odd to show anything"
