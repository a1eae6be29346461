"""A request in other words; the PartiQL among them is run, and finds the same."""

from __future__ import annotations

import ast
import json
import shlex
import shutil
import subprocess
from datetime import date, datetime, time, timezone
from decimal import Decimal
from typing import Any, get_args

import boto3
import pytest
from botocore import xform_name

from sekkei.advice.pattern_runner import runs, shown, try_pattern, typed_as
from sekkei.advice.sample_data import example_of, furnished
from sekkei.advice.snippets import copies, forms, literal
from sekkei.design.loading import load
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


ODD: dict[str, Any] = {
    "k": {"B": "AAECAw=="},
    "s": {"N": "1"},
    'it\'s "odd"': {"S": "o'clock $(rm -rf) `id` \\ \u2028"},
    "big": {"N": "12345678901234567890123456789012345678"},
    "bytes": {"BS": ["AAE=", "/+8="]},
    "inside": {"M": {"it's": {"L": [{"N": "1.5"}, {"BOOL": False}, {"B": "AA=="}]}}},
    "tags": {"SS": ["a", "b'c"]},
}
ODD_TABLE = {
    "TableName": "odd",
    "AttributeDefinitions": [
        {"AttributeName": "k", "AttributeType": "B"},
        {"AttributeName": "s", "AttributeType": "N"},
    ],
    "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}
KEYED = {"KeyConditionExpression": "#k = :k", "ExpressionAttributeNames": {"#k": "k"}}
ODD_QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("GetItem", {"TableName": "odd", "Key": {"k": ODD["k"], "s": ODD["s"]}}),
    ("Query", {"TableName": "odd", **KEYED, "ExpressionAttributeValues": {":k": ODD["k"]}}),
    (
        "Query",
        {"TableName": "odd", **KEYED, "ExpressionAttributeValues": {":k": ODD["k"]}, "ScanIndexForward": False},
    ),
    *(
        (
            "Scan",
            {
                "TableName": "odd",
                "FilterExpression": test,
                "ExpressionAttributeNames": {"#n": name},
                "ExpressionAttributeValues": {":v": value},
            },
        )
        for test, name, value in [
            ("#n = :v", 'it\'s "odd"', ODD['it\'s "odd"']),
            ("#n = :v", "big", ODD["big"]),
            ("#n = :v", "bytes", ODD["bytes"]),
            ("#n = :v", "inside", ODD["inside"]),
            ("#n = :v", "tags", ODD["tags"]),
            ("contains(#n, :v)", "tags", {"S": "b'c"}),
            ("contains(#n, :v)", "bytes", {"B": "AAE="}),
            ("NOT contains(#n, :v)", "tags", {"S": "none"}),
            ("#n IN (:v)", "big", ODD["big"]),
            ("#n <> :v", "big", {"N": "1"}),
            ("attribute_type(#n, :v)", "inside", {"S": "M"}),
            ("(#n = :v OR attribute_not_exists(#n))", "big", ODD["big"]),
        ]
    ),
]


async def asked_of_odd(store: Store, operation: str, request: dict[str, Any]) -> list[Any]:
    answer = await store.call(operation, request)
    return answer["Items"] if "Items" in answer else [answer["Item"]]


@pytest.mark.parametrize(("operation", "request_"), ODD_QUESTIONS)
async def test_odd_values_are_found_by_partiql_too(operation: str, request_: dict[str, Any]) -> None:
    store = Embedded()
    await store.call("CreateTable", ODD_TABLE)
    for number in ("1", "2"):
        await store.call("PutItem", {"TableName": "odd", "Item": {**ODD, "s": {"N": number}}})
    text, _, given = forms([(operation, request_)], lambda request: "s")["PartiQL"].partition("\n-- Parameters: ")
    parameters = {"Parameters": json.loads(given)} if given else {}
    found = await store.call("ExecuteStatement", {"Statement": text, **parameters})
    assert found["Items"] == await asked_of_odd(store, operation, request_) != []
    await store.close()


def test_odd_values_are_found_by_boto3_and_the_cli_too(sekkei_server: Any) -> None:
    """The text for boto3 is run as it stands; the CLI's is read by a shell and given to the CLI's own parser."""
    client = boto3.client("dynamodb", **sekkei_server.boto3)
    client.create_table(**ODD_TABLE)
    read = ast.parse(forms([("GetItem", {"TableName": "odd", "Key": ODD})])["boto3"], mode="eval").body
    assert isinstance(read, ast.Call)
    item = ast.literal_eval(read.keywords[1].value)
    assert item["bytes"] == {"BS": [b"\0\1", b"\xff\xef"]}
    client.put_item(TableName="odd", Item=item)
    for operation, request in ODD_QUESTIONS:
        found = forms([(operation, request)])
        answer = eval(found["boto3"], {"client": client})
        assert (answer["Items"] if "Items" in answer else [answer["Item"]]) == [item]
        words = shlex.split(found["AWS CLI"])
        texts = dict(zip(words[3::2], words[4::2], strict=False))
        for name, value in request.items():
            if isinstance(value, dict):
                assert json.loads(texts[f"--{xform_name(name, '-')}"]) == value


def test_the_script_is_a_script() -> None:
    if shutil.which("node") is None:
        pytest.skip("no node here")
    for operation, request in ODD_QUESTIONS:
        text = forms([(operation, request)])["JavaScript (AWS SDK v3)"]
        inside = text[text.index("Command({") + len("Command(") : text.rindex("));")]
        plain = "(n, v) => v?.type === 'Buffer' ? Buffer.from(v).toString('base64') : v"
        told = f"console.log(JSON.stringify({inside}, {plain}))"
        done = subprocess.run(["node", "-e", told], capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == request


DESIGNS = [
    "examples/online_shop.py",
    "examples/session_store.py",
    "examples/gaming_profile.py",
    "examples/social_network.py",
    "examples/recurring_payments.py",
    "tasks",
]


@pytest.mark.parametrize("source", DESIGNS)
async def test_the_typed_python_gives_what_the_page_gave(source: str) -> None:
    design = load(source)
    store = await furnished(design, "dev")
    db = design.open(store, env="dev")
    ran = 0
    for name, pattern in design.patterns.items():
        if not runs(pattern):
            continue
        texts = {key: typed_as(value) for key, value in example_of(design, name).items()}
        tried = await try_pattern(design, store, name, texts, env="dev")
        code = copies(tried, design, texts)["Python"]
        if "\n" in code:
            continue
        hints = [one for hint in pattern.parameters.values() for one in (hint, *get_args(hint))]
        known = {one.__name__: one for one in hints if isinstance(one, type)}
        names = {**known, "db": db, name: pattern, "datetime": datetime, "date": date, "time": time}
        there: dict[str, Any] = {**names, "timezone": timezone, "Decimal": Decimal}
        exec("async def asked():\n    return " + code, there)
        found = await there["asked"]()
        items = found if isinstance(found, list) else [found]
        flat = [one for some in items for one in ([some] if hasattr(type(some), "__sekkei__") else some or [])]
        rows = [{key: shown(getattr(one, key)) for key in type(one).__sekkei__.fields} for one in flat if one]
        assert rows == tried.rows, code
        ran += 1
    assert ran
    await store.close()


async def test_a_text_that_looks_like_code_stays_a_text() -> None:
    design = load("examples/session_store.py")
    store = await furnished(design, "dev")
    odd = "'); datetime.x #"
    tried = await try_pattern(design, store, "sessions_of", {"username": odd}, env="dev")
    code = copies(tried, design, {"username": odd})["Python"]
    assert code == f"await db.page(sessions_of(username={odd!r}))"
    await store.close()
