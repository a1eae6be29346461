"""BatchExecuteStatement: every statement has its own answer."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import ValidationException
from tests.engine.partiql.running import Running
from tests.engine.refusals import AT_LEAST_ONE, faults, refusal

NEEDS_KEY = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."


def s(text: str) -> dict[str, str]:
    return {"S": text}


def error(message: str) -> dict[str, Any]:
    return {"Error": {"Code": "ValidationError", "Message": message}}


@pytest.fixture
async def filled(running: Running) -> Running:
    await running.put("hash", pk=s("a"), v=s("one"))
    await running.put("hash", pk=s("b"), v=s("two"))
    await running.put("pair", pk=s("p"), sk=s("1"), v=s("x"))
    return running


async def test_reads(filled: Running) -> None:
    answer = await filled.batch(
        "SELECT * FROM hash WHERE pk = 'a'",
        {"Statement": "SELECT v FROM hash WHERE pk = ?", "Parameters": [s("b")]},
        "SELECT * FROM hash WHERE pk = 'none'",
        "SELECT sk FROM pair WHERE pk IN ['p'] AND sk = '1'",
    )
    assert answer == {
        "Responses": [
            {"TableName": "hash", "Item": {"pk": s("a"), "v": s("one")}},
            {"TableName": "hash", "Item": {"v": s("two")}},
            {"TableName": "hash"},
            {"TableName": "pair", "Item": {"sk": s("1")}},
        ]
    }


async def test_writes(filled: Running) -> None:
    answer = await filled.batch(
        "INSERT INTO hash VALUE {'pk': 'new', 'v': 1}",
        "UPDATE hash SET v = 'after' WHERE pk = 'a' RETURNING MODIFIED NEW *",
        "UPDATE pair REMOVE v WHERE pk = 'p' AND sk = '1' RETURNING MODIFIED NEW *",
        "DELETE FROM hash WHERE pk = 'b' RETURNING ALL OLD *",
    )
    assert answer["Responses"] == [
        {"TableName": "hash"},
        {"TableName": "hash", "Item": {"v": s("after")}},
        {"TableName": "pair"},
        {"TableName": "hash", "Item": {"pk": s("b"), "v": s("two")}},
    ]
    assert await filled.get("hash", pk=s("new"))
    assert await filled.get("hash", pk=s("b")) is None


async def test_each_failure_stays_with_its_statement(filled: Running) -> None:
    answer = await filled.batch(
        "SLECT * FROM hash WHERE pk = 'a'",
        "SELECT * FROM hash WHERE pk = 'a'",
        "SELECT * FROM none WHERE pk = 'x'",
        "SELECT * FROM hash WHERE v = 'one'",
        "SELECT * FROM pair WHERE pk = 'p'",
        "SELECT * FROM pair WHERE pk = 'p' AND sk = '1' AND v = 'x'",
        "SELECT * FROM pair WHERE pk = 'p' AND sk = '1' AND pk = 'q'",
        "SELECT * FROM \"wide\".\"gsi-all\" WHERE pk = 'p' AND sk = 's' AND gsiPk = 'x'",
        "SELECT * FROM pair WHERE sk = '1' AND pk IN [" + ", ".join(f"'{i}'" for i in range(51)) + "]",
        {"Statement": "SELECT * FROM hash WHERE pk = ?", "Parameters": [{"N": "abc"}]},
        {"Statement": "SELECT * FROM hash WHERE pk = ?", "Parameters": [{"SS": []}]},
    )
    assert answer["Responses"] == [
        error("Statement wasn't well formed, can't be processed: Expected data manipulation"),
        {"TableName": "hash", "Item": {"pk": s("a"), "v": s("one")}},
        {"Error": {"Code": "ResourceNotFound", "Message": "Requested resource not found"}, "TableName": "none"},
        error(NEEDS_KEY),
        error(NEEDS_KEY),
        error(NEEDS_KEY),
        error(NEEDS_KEY),
        error(NEEDS_KEY),
        error("Too many decomposed read operations for a given query."),
        error("The parameter cannot be converted to a numeric value: abc"),
        error("One or more parameter values were invalid: An string set  may not be empty"),
    ]


async def test_failures_of_writes_name_the_table_if_they_got_that_far(filled: Running) -> None:
    answer = await filled.batch(
        "INSERT INTO hash VALUE {'pk': 'a'}",
        "UPDATE hash SET v = 1 WHERE pk = 'b' AND v = 'wrong'",
        "UPDATE hash SET v = 1 WHERE v = 'x'",
        "DELETE FROM hash WHERE pk = 'c' RETURNING ALL NEW *",
        "INSERT INTO none VALUE {'pk': 'a'}",
        "INSERT INTO pair VALUE {'pk': 'fine', 'sk': '1'}",
    )
    codes = [entry.get("Error", {}).get("Code") for entry in answer["Responses"]]
    assert codes == [
        "DuplicateItem",
        "ConditionalCheckFailed",
        "ValidationError",
        "ValidationError",
        "ResourceNotFound",
        None,
    ]
    assert [entry.get("TableName") for entry in answer["Responses"]] == ["hash", "hash", None, None, "none", "pair"]
    assert await filled.get("hash", pk=s("b")) == {"pk": s("b"), "v": s("two")}


async def test_a_failed_condition_returns_the_item_when_asked(filled: Running) -> None:
    statement = "DELETE FROM hash WHERE pk = 'a' AND v = 'x'"
    answer = await filled.batch({"Statement": statement, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert answer["Responses"][0]["Error"]["Item"] == {"pk": s("a"), "v": s("one")}


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            ["SELECT * FROM hash WHERE pk = 'a'", "DELETE FROM hash WHERE pk = 'b'"],
            "Read and write requests together in the same batch is not supported.",
        ),
        (["SELECT * FROM hash WHERE pk = 'a'"] * 2, "Provided list of item keys contains duplicates"),
        (
            ["INSERT INTO hash VALUE {'pk': 'x'}", "UPDATE hash SET v = 1 WHERE pk = 'x'"],
            "Provided list of item keys contains duplicates",
        ),
    ],
)
async def test_what_is_refused_as_a_whole(filled: Running, statements: list[str], message: str) -> None:
    with pytest.raises(ValidationException) as raised:
        await filled.batch(*statements)
    assert raised.value.message == message
    assert await filled.get("hash", pk=s("x")) is None


async def test_1_to_25_statements(filled: Running) -> None:
    with pytest.raises(ValidationException, match="greater than or equal to 1"):
        await filled.batch()
    with pytest.raises(ValidationException, match="less than or equal to 25"):
        await filled.batch(*[f"SELECT * FROM hash WHERE pk = '{i}'" for i in range(26)])


async def test_capacity_is_added_up_by_table(filled: Running) -> None:
    answer = await filled.batch(
        {"Statement": "SELECT * FROM hash WHERE pk = 'a'", "ConsistentRead": True},
        "SELECT * FROM hash WHERE pk = 'none'",
        "SELECT * FROM hash WHERE v = 'x'",
        "SELECT * FROM pair WHERE pk = 'p' AND sk = '1'",
        ReturnConsumedCapacity="INDEXES",
    )
    assert answer["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 1.5, "Table": {"CapacityUnits": 1.5}},
        {"TableName": "pair", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}},
    ]
    answer = await filled.batch("INSERT INTO hash VALUE {'pk': 'a'}", ReturnConsumedCapacity="TOTAL")
    assert "ConsumedCapacity" not in answer


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"Statements": []}, faults(("[]", "statements", AT_LEAST_ONE))),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("BatchExecuteStatement", request_) == text
