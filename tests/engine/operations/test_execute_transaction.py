"""ExecuteTransaction: all statements or none, with a reason for each."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.errors import DynamoDBError, TransactionCanceledException, ValidationException
from tests.engine.partiql.running import Running
from tests.engine.refusals import AT_LEAST_ONE, faults, refusal

MISMATCH = "The provided key element does not match the schema"
NEEDS_KEY = "Select statements within ExecuteTransaction must specify the primary key in the where clause."


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: int) -> dict[str, str]:
    return {"N": str(number)}


@pytest.fixture
async def filled(running: Running) -> Running:
    await running.put("hash", pk=s("a"), v=n(1), ss={"SS": ["x"]})
    await running.put("hash", pk=s("b"), v=n(2))
    await running.put("pair", pk=s("p"), sk=s("1"), flag=s("right"))
    await running.put("pair", pk=s("p"), sk=s("2"), flag=s("right"))
    return running


def codes(error: DynamoDBError) -> list[str]:
    assert isinstance(error, TransactionCanceledException), error
    return [reason["Code"] for reason in error.reasons]


async def test_writes_happen_together(filled: Running) -> None:
    answer = await filled.transact(
        "INSERT INTO hash VALUE {'pk': 'new'}",
        "UPDATE hash SET v = v + 1 SET ss = set_add(ss, <<'t'>>) WHERE pk = 'a' AND attribute_exists(v)",
        "DELETE FROM hash WHERE pk = 'b'",
        "EXISTS(SELECT * FROM pair WHERE (pk = 'p' AND sk = '1') AND nope IS MISSING)",
        {"Statement": "FROM pair WHERE pk = ? AND sk = ? SET w = ?", "Parameters": [s("p"), s("2"), n(1)]},
    )
    assert answer == {"Responses": []}
    assert await filled.get("hash", pk=s("new")) == {"pk": s("new")}
    changed = await filled.get("hash", pk=s("a"))
    assert changed is not None
    assert changed["v"] == n(2)
    assert await filled.get("hash", pk=s("b")) is None


async def test_one_failure_stops_all(filled: Running) -> None:
    error = await filled.cancelled(
        "INSERT INTO hash VALUE {'pk': 'new'}",
        "INSERT INTO hash VALUE {'pk': 'a'}",
        "UPDATE hash SET v = 1 WHERE pk = 'ghost'",
        "EXISTS(SELECT * FROM pair WHERE pk = 'p' AND sk = '1' AND flag = 'wrong')",
        "DELETE FROM pair WHERE pk = 'p' AND sk = '2' AND flag = 'wrong'",
    )
    assert codes(error) == [
        "None",
        "DuplicateItem",
        "ConditionalCheckFailed",
        "ConditionalCheckFailed",
        "ConditionalCheckFailed",
    ]
    assert error.details()["CancellationReasons"][1]["Message"] == "Duplicate primary key exists in table"
    assert error.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, DuplicateItem, ConditionalCheckFailed, ConditionalCheckFailed, ConditionalCheckFailed]"
    )
    assert await filled.get("hash", pk=s("new")) is None


async def test_reads_see_one_moment(filled: Running) -> None:
    answer = await filled.transact(
        "SELECT * FROM hash WHERE pk = 'b'",
        "SELECT flag FROM pair WHERE pk IN ['p'] AND sk IN ['1']",
        "SELECT * FROM pair WHERE (sk = '9') AND pk = 'p' AND pk = 'p'",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["Responses"] == [{"Item": {"pk": s("b"), "v": n(2)}}, {"Item": {"flag": s("right")}}, {}]
    assert answer["ConsumedCapacity"] == [
        {"TableName": "hash", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0},
        {"TableName": "pair", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0},
    ]


async def test_a_failed_condition_returns_the_item_when_asked(filled: Running) -> None:
    statement = "UPDATE hash SET v = 9 WHERE pk = 'b' AND v = 7"
    error = await filled.cancelled({"Statement": statement, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert error.details()["CancellationReasons"][0]["Item"] == {"pk": s("b"), "v": n(2)}


async def test_the_same_token_does_it_once(filled: Running) -> None:
    async def once(statement: str = "UPDATE hash SET v = v + 1 WHERE pk = 'b'") -> dict[str, Any]:
        return await filled.transact(statement, ClientRequestToken="t", ReturnConsumedCapacity="TOTAL")

    first, second = await once(), await once()
    assert first["ConsumedCapacity"][0]["WriteCapacityUnits"] == 2.0
    assert second["ConsumedCapacity"][0]["ReadCapacityUnits"] == 2.0
    assert first["Responses"] == second["Responses"] == []
    assert await filled.get("hash", pk=s("b")) == {"pk": s("b"), "v": n(3)}
    with pytest.raises(DynamoDBError) as raised:
        await once("UPDATE hash SET v = v + 2 WHERE pk = 'b'")
    assert raised.value.code == "IdempotentParameterMismatchException"


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (["SELECT * FROM hash WHERE"], "[0]: Statement wasn't well formed, can't be processed: Unexpected term"),
        (
            ["DELETE FROM hash WHERE pk = 'a'", "UPDATE hash SET v = 1 WHERE pk = 'b' RETURNING ALL NEW *"],
            "[1]: RETURNING clause is not supported in ExecuteTransaction.",
        ),
        (["DELETE FROM hash WHERE pk = 'a' RETURNING ALL OLD *"], "[0]: RETURNING clause is not supported in "),
        (
            ['SELECT * FROM "wide"."gsi-all" WHERE gsiPk = \'x\''],
            "[0]: Reads on indices are not supported within transactions.",
        ),
        (["SELECT * FROM pair WHERE pk = 'p'"], f"[0]: {NEEDS_KEY}"),
        (["SELECT * FROM pair WHERE pk = 'p' AND sk = '1' AND flag = 'right'"], f"[0]: {NEEDS_KEY}"),
        (["SELECT * FROM pair WHERE pk = 'p' AND sk = '1' AND pk = 'q'"], f"[0]: {NEEDS_KEY}"),
        (["SELECT * FROM pair WHERE pk IN ['q'] AND pk = 'p' AND sk = '1'"], f"[0]: {NEEDS_KEY}"),
        (
            ["SELECT * FROM pair WHERE pk IN ['p', 'p'] AND sk = '1'"],
            "[0]: Overlapping conditions with range keys are not supported in where clause",
        ),
        (
            ["EXISTS(SELECT * FROM pair WHERE pk = 'p' AND sk = '1')", "DELETE FROM hash WHERE pk = 'b'"],
            "[0]: EXISTS() must contain a single item read with additional condition",
        ),
        (
            ["EXISTS(SELECT * FROM pair WHERE pk IN ['p'] AND sk = '1' AND flag = 'x')"],
            "[0]: EXISTS() must contain a single item read with additional condition",
        ),
        (
            ["UPDATE hash SET v = v + [1] WHERE pk = 'a'"],
            "[0]: Incorrect operand type for operator or function; operator or function: +, operand type: L",
        ),
        (
            ["UPDATE hash SET d = " + "[" * 32 + "1" + "]" * 32 + " WHERE pk = 'a'"],
            "[0]: Nesting Levels have exceeded supported limits under root" + "[0]" * 32,
        ),
        (
            ["DELETE FROM none WHERE pk = 'a'", "DELETE FROM hash WHERE pk = 'a' RETURNING ALL OLD *"],
            "[1]: RETURNING clause is not supported in ExecuteTransaction.",
        ),
    ],
)
async def test_what_is_wrong_with_a_statement_names_it(filled: Running, statements: list[str], message: str) -> None:
    error = await filled.cancelled(*statements)
    assert isinstance(error, ValidationException)
    assert error.message.startswith("Validation failed in TransactStatements" + message)


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (
            ["SELECT * FROM hash WHERE pk = 'a'", "DELETE FROM hash WHERE pk = 'b'"],
            "ExecuteTransaction API does not support both read and write operations in the same request.",
        ),
        (
            ["SELECT * FROM hash WHERE pk = 'a'", "SELECT v FROM hash WHERE pk = 'a'"],
            "Transaction request cannot include multiple operations on one item",
        ),
        (
            ["DELETE FROM hash WHERE pk = 'a'", "UPDATE hash SET v = 1 WHERE pk = 'a'"],
            "Transaction request cannot include multiple operations on one item",
        ),
        (
            [{"Statement": "SELECT * FROM hash WHERE", "Parameters": [{"N": "abc"}]}],
            "The parameter cannot be converted to a numeric value: abc",
        ),
    ],
)
async def test_what_is_refused_as_a_whole(filled: Running, statements: list[Any], message: str) -> None:
    error = await filled.cancelled(*statements)
    assert isinstance(error, ValidationException)
    assert error.message == message


async def test_missing_tables_and_wrong_keys_are_reasons(filled: Running) -> None:
    update = "UPDATE pair SET a = 1 WHERE "
    error = await filled.cancelled(
        update + "pk = 'p'",
        update + "pk IN ['p'] AND sk = '1'",
        update + "pk = 'p' AND sk = '1' AND pk = 'q'",
        update + "pk = 'p' AND sk = 1",
        update + "pk = 'p' AND sk = '1'",
    )
    assert codes(error) == ["ValidationError"] * 4 + ["None"]
    assert {reason.get("Message") for reason in error.details()["CancellationReasons"][:4]} == {MISMATCH}

    error = await filled.cancelled("INSERT INTO pair VALUE {'pk': 'x'}", "DELETE FROM none WHERE pk = 'x'")
    reasons = error.details()["CancellationReasons"]
    assert reasons == [
        {
            "Code": "ValidationError",
            "Message": "One or more parameter values were invalid: Missing the key sk in the item",
        },
        {"Code": "ResourceNotFound", "Message": "Requested resource not found"},
    ]
    error = await filled.cancelled("SELECT * FROM hash WHERE pk = 'a'", "SELECT * FROM none.idx WHERE pk = 'a'")
    assert codes(error) == ["None", "ResourceNotFound"]
    error = await filled.cancelled(
        "SELECT * FROM hash WHERE pk = 'a'", "SELECT * FROM hash WHERE pk = 'a'", "SELECT * FROM hash WHERE pk = 1"
    )
    assert codes(error) == ["None", "None", "ValidationError"]


async def test_1_to_100_statements(filled: Running) -> None:
    with pytest.raises(ValidationException, match="greater than or equal to 1"):
        await filled.transact()
    with pytest.raises(ValidationException, match="less than or equal to 100"):
        await filled.transact(*[f"SELECT * FROM hash WHERE pk = '{i}'" for i in range(101)])
    answer = await filled.transact(*[f"SELECT * FROM hash WHERE pk = '{i}'" for i in range(100)])
    assert answer == {"Responses": [{}] * 100}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"TransactStatements": []}, faults(("[]", "transactStatements", AT_LEAST_ONE))),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("ExecuteTransaction", request_) == text
