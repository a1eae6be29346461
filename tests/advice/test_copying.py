"""A request in other words; the PartiQL among them is run, and finds the same."""

from __future__ import annotations

import ast
import shlex
from typing import Any

import pytest

from sekkei.advice.copying import forms, literal
from sekkei.store import Embedded, Store

NAMES = {"#p": "PK", "#s": "SK", "#c": "colour"}


async def filled() -> Store:
    store = Embedded()
    await store.call(
        "CreateTable",
        {
            "TableName": "shop",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for number in range(6):
        item: dict[str, Any] = {"PK": {"S": "it's"}, "SK": {"S": f"p#{number}"}, "n": {"N": str(number)}}
        if number % 2:
            item["colour"] = {"S": "red"}
        await store.call("PutItem", {"TableName": "shop", "Item": item})
    return store


def asked(condition: str, further: dict[str, Any], **values: Any) -> dict[str, Any]:
    used = {name: real for name, real in NAMES.items() if name in f"{condition} {further}"}
    request = {"TableName": "shop", "KeyConditionExpression": condition, "ExpressionAttributeNames": used}
    return {**request, "ExpressionAttributeValues": {f":{name}": value for name, value in values.items()}, **further}


@pytest.mark.parametrize(
    "request_",
    [
        asked("#p = :p", {}, p={"S": "it's"}),
        asked("#p = :p AND begins_with(#s, :s)", {}, p={"S": "it's"}, s={"S": "p#"}),
        asked("#p = :p AND #s BETWEEN :a AND :b", {}, p={"S": "it's"}, a={"S": "p#1"}, b={"S": "p#3"}),
        asked("#p = :p AND #s > :s", {"ScanIndexForward": False}, p={"S": "it's"}, s={"S": "p#1"}),
        asked("#p = :p", {"FilterExpression": "attribute_exists(#c)"}, p={"S": "it's"}),
        asked("#p = :p", {"FilterExpression": "attribute_not_exists(#c)"}, p={"S": "it's"}),
        asked("#p = :p", {"FilterExpression": "contains(#c, :c)"}, p={"S": "it's"}, c={"S": "re"}),
        asked("#p = :p", {"FilterExpression": "#c = :c OR attribute_not_exists(#c)"}, p={"S": "it's"}, c={"S": "x"}),
    ],
)
async def test_partiql_finds_what_the_query_finds(request_: dict[str, Any]) -> None:
    store = await filled()
    try:
        statement = forms([("Query", request_)])["PartiQL"]
        found = await store.call("ExecuteStatement", {"Statement": statement})
        assert found["Items"] == (await store.call("Query", request_))["Items"] != []
    finally:
        await store.close()


def test_every_form_can_be_read_again() -> None:
    request = asked("#p = :p", {"ScanIndexForward": False, "Limit": 2}, p={"S": "a 'b'"})
    found = forms([("Query", request)])
    call = ast.parse(found["boto3"], mode="eval").body
    assert isinstance(call, ast.Call)
    assert {each.arg: ast.literal_eval(each.value) for each in call.keywords} == request
    words = shlex.split(found["AWS CLI"])
    assert words[:3] == ["aws", "dynamodb", "query"]
    assert "--no-scan-index-forward" in words
    assert words[words.index("--limit") + 1] == "2"
    assert "new QueryCommand({" in found["JavaScript (AWS SDK v3)"]


def test_one_item_and_several() -> None:
    get = {"TableName": "t", "Key": {"a": {"N": "1"}}}
    assert forms([("GetItem", get)])["PartiQL"] == 'SELECT * FROM "t" WHERE "a" = 1'
    batch = {"RequestItems": {"t": {"Keys": [{"a": {"N": "1"}}, {"a": {"N": "2"}}]}}}
    assert forms([("BatchGetItem", batch)])["PartiQL"].count("SELECT") == 2


def test_values() -> None:
    value = {"M": {"a": {"L": [{"BOOL": True}, {"NULL": True}]}, "b": {"SS": ["x"]}}}
    assert literal(value) == "{'a': [true, NULL], 'b': <<'x'>>}"
