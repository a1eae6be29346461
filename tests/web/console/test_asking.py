"""What a URL asks of a table, as DynamoDB wants it; what is asked is run on a store."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.datastructures import QueryParams

from sekkei.store import Embedded
from sekkei.web.console.asking import Ask, BadAsk, Schema, schema_of

TABLE: dict[str, Any] = {
    "TableName": "shop",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind} for name, kind in (("PK", "S"), ("SK", "S"), ("total", "N"))
    ],
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by-total",
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "total", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


def schema(index: str = "") -> Schema:
    found = schema_of(TABLE, index)
    assert found is not None
    return found


def asked(*pairs: tuple[str, str], index: str = "", known: dict[str, set[str]] | None = None) -> Any:
    return Ask.read(QueryParams(urlencode(pairs))).request(schema(index), known)


async def found(*pairs: tuple[str, str], index: str = "", known: dict[str, set[str]] | None = None) -> list[str]:
    """The sort keys that are found among a few items."""
    store = Embedded()
    try:
        await store.call("CreateTable", TABLE)
        for number in range(5):
            item: dict[str, Any] = {"PK": {"S": "a"}, "SK": {"S": f"o#{number}"}, "total": {"N": str(number * 10)}}
            item["colour"] = {"S": "red" if number % 2 else "5"}
            item["tags"] = {"SS": ["x", f"t{number}"]}
            item["place"] = {"M": {"city": {"S": "kyoto" if number == 3 else "osaka"}}}
            if number == 4:
                item["open"] = {"BOOL": True}
            await store.call("PutItem", {"TableName": "shop", "Item": item})
        operation, wanted = asked(*pairs, index=index, known=known)
        return [item["SK"]["S"][2:] for item in (await store.call(operation, wanted))["Items"]]
    finally:
        await store.close()


@pytest.mark.parametrize(
    ("pairs", "wanted"),
    [
        ([], "01234"),
        ([("key", "a")], "01234"),
        ([("key", "a"), ("op", "="), ("sort", "o#2")], "2"),
        ([("key", "a"), ("op", "<"), ("sort", "o#2")], "01"),
        ([("key", "a"), ("op", "<="), ("sort", "o#2")], "012"),
        ([("key", "a"), ("op", ">"), ("sort", "o#2")], "34"),
        ([("key", "a"), ("op", ">="), ("sort", "o#2")], "234"),
        ([("key", "a"), ("op", "between"), ("sort", "o#1"), ("to", "o#3")], "123"),
        ([("key", "a"), ("op", "begins_with"), ("sort", "o#"), ("order", "desc")], "43210"),
        ([("key", "a"), ("consistent", "1"), ("columns", "colour, place.city")], "01234"),
        ([("attr", "colour"), ("is", "eq"), ("value", "red")], "13"),
        ([("attr", "colour"), ("is", "ne"), ("value", "red")], "024"),
        ([("attr", "colour"), ("is", "eq"), ("value", "5")], "024"),
        ([("attr", "total"), ("is", "ge"), ("value", "30")], "34"),
        ([("attr", "total"), ("is", "between"), ("value", "10"), ("and", "20")], "12"),
        ([("attr", "total"), ("is", "in"), ("value", "10, 40")], "14"),
        ([("attr", "colour"), ("is", "begins_with"), ("value", "re")], "13"),
        ([("attr", "tags"), ("is", "contains"), ("value", "t2")], "2"),
        ([("attr", "tags"), ("is", "not_contains"), ("value", "t2")], "0134"),
        ([("attr", "open"), ("is", "exists")], "4"),
        ([("attr", "open"), ("is", "not_exists")], "0123"),
        ([("attr", "open"), ("is", "eq"), ("value", "true"), ("type", "BOOL")], "4"),
        ([("attr", "place"), ("is", "type"), ("value", "M")], "01234"),
        ([("attr", "place.city"), ("is", "eq"), ("value", "kyoto")], "3"),
        (
            [
                *(("attr", "colour"), ("is", "eq"), ("value", "red"), ("and", ""), ("type", "")),
                *(("attr", "total"), ("is", "lt"), ("value", "20"), ("and", ""), ("type", "")),
            ],
            "1",
        ),
    ],
)
async def test_every_operator_finds_what_it_says(pairs: list[tuple[str, str]], wanted: str) -> None:
    assert "".join(await found(*pairs)) == wanted


async def test_an_index_is_asked_like_a_table() -> None:
    pairs = [("index", "by-total"), ("key", "a"), ("op", "between"), ("sort", "10"), ("to", "30")]
    assert await found(*pairs, index="by-total") == ["1", "2", "3"]


def test_types_come_from_the_design_before_they_are_guessed() -> None:
    pairs = (("attr", "colour"), ("is", "eq"), ("value", "5"))
    assert list(asked(*pairs)[1]["ExpressionAttributeValues"].values()) == [{"S": "5"}, {"N": "5"}]
    assert list(asked(*pairs, known={"colour": {"S"}})[1]["ExpressionAttributeValues"].values()) == [{"S": "5"}]
    assert list(asked(*pairs, known={"colour": {"NS"}})[1]["ExpressionAttributeValues"].values()) == [{"N": "5"}]


@pytest.mark.parametrize(
    ("pairs", "field", "code"),
    [
        ([("sort", "x"), ("op", "=")], "key", "no-partition"),
        ([("key", "a"), ("sort", "x"), ("op", "like")], "op", "no-operator"),
        ([("key", "a"), ("sort", "x"), ("op", "between")], "to", "empty-end"),
        ([("attr", "a"), ("is", "like")], "attr0", "no-operator"),
        ([("attr", "total"), ("is", "eq"), ("value", "many")], "attr0", "no-number"),
        ([("attr", "total"), ("is", "eq"), ("value", "NaN")], "attr0", "no-number"),
        ([("attr", "a"), ("is", "eq"), ("value", "maybe"), ("type", "BOOL")], "attr0", "no-flag"),
        ([("attr", "a"), ("is", "eq"), ("value", "??"), ("type", "B")], "attr0", "no-binary"),
        ([("attr", "a"), ("is", "type"), ("value", "X")], "attr0", "no-type"),
        ([("attr", "a..[b"), ("is", "exists")], "attr0", "no-path"),
        ([("attr", "a"), ("is", "in"), ("value", " , ")], "attr0", "empty"),
        ([("attr", "a")] * 12, "attr", "too-many-filters"),
    ],
)
def test_what_cannot_be_asked_names_its_field(pairs: list[tuple[str, str]], field: str, code: str) -> None:
    with pytest.raises(BadAsk) as wrong:
        asked(*pairs)
    assert (wrong.value.field, wrong.value.code) == (field, code)


def test_a_number_has_no_beginning() -> None:
    with pytest.raises(BadAsk, match="number-begins"):
        asked(("key", "a"), ("sort", "1"), ("op", "begins_with"), index="by-total")


def test_an_index_that_is_not_there() -> None:
    assert schema_of(TABLE, "none") is None
