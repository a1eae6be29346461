"""ExecuteStatement: its parameters and what it says it has used."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.partiql.running import Running, s
from tests.engine.refusals import AT_LEAST_ONE, NOT_NULL, faults, refusal

V = "ValidationException"
MAGNITUDE = "Attempting to store a number with magnitude"


# --- parameters


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ({"N": "1e99999999999"}, "The parameter cannot be converted to a numeric value: 1e99999999999"),
        ({"N": "1e-2147483648"}, "The parameter cannot be converted to a numeric value: 1e-2147483648"),
        ({"N": "1e2147483647"}, f"Number underflow. {MAGNITUDE} smaller than supported range"),
        ({"N": "-0.0012e2147483647"}, f"Number overflow. {MAGNITUDE} larger than supported range"),
        ({"N": "0.12e2147483647"}, f"Number overflow. {MAGNITUDE} larger than supported range"),
        ({"N": "12.0e2147483646"}, f"Number underflow. {MAGNITUDE} smaller than supported range"),
        ({"N": f"1e{'0' * 5000}126"}, f"Number overflow. {MAGNITUDE} larger than supported range"),
        ({"N": "e2147483647"}, "The parameter cannot be converted to a numeric value: e2147483647"),
        ({"N": "abc"}, "The parameter cannot be converted to a numeric value: abc"),
        ({"N": ""}, "The parameter cannot be converted to a numeric value"),
        (
            {"L": [{"N": "1"}, {"N": "1e99999999999"}]},
            "The parameter cannot be converted to a numeric value: 1e99999999999",
        ),
        ({"NS": ["1", "1e99999999999"]}, "The parameter cannot be converted to a numeric value: 1e99999999999"),
        ({"SS": ["a", "a"]}, "One or more parameter values were invalid: Input collection [a, a] contains duplicates."),
    ],
)
async def test_parameters_are_read_before_the_statement(
    running: Running, parameter: dict[str, Any], message: str
) -> None:
    assert await running.refused("SELECT * FROM none WHERE", parameter) == (V, message)


def _deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"N": "abc"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


async def test_the_first_fault_among_parameters_is_told(running: Running) -> None:
    statement = "SELECT * FROM hash WHERE x = ? AND y = ?"
    too_deep = (
        "Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )
    bad = "The parameter cannot be converted to a numeric value: abc"
    assert await running.refused(statement, _deep(40), {"N": "abc"}) == (V, too_deep)
    assert await running.refused(statement, {"N": "abc"}, _deep(40)) == (V, bad)
    assert await running.refused(statement, {"M": {"bad": {"N": "abc"}, "d": _deep(40)}}, s("x")) == (V, bad)


async def test_the_statement_has_a_length(running: Running) -> None:
    code, message = await running.refused("SELECT * FROM hash WHERE pk = '" + "x" * 8192 + "'")
    assert code == V
    assert message.endswith("Member must have length less than or equal to 8192")
    code, message = await running.refused("")
    assert message.endswith("Member must have length greater than or equal to 1")


# --- capacity


async def test_consumed_capacity(running: Running) -> None:
    answer = await running.run(
        "INSERT INTO hash VALUE {'pk': 'a', 'v': ?}", s("x" * 2000), ReturnConsumedCapacity="TOTAL"
    )
    assert answer["ConsumedCapacity"] == {"TableName": "hash", "CapacityUnits": 2.0}
    answer = await running.run("SELECT * FROM hash WHERE pk = 'a'", ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == {"TableName": "hash", "CapacityUnits": 0.5}
    answer = await running.run(
        "SELECT * FROM hash WHERE pk = 'none'", ConsistentRead=True, ReturnConsumedCapacity="INDEXES"
    )
    assert answer["ConsumedCapacity"]["Table"] == {"CapacityUnits": 1.0}
    answer = await running.run("DELETE FROM hash WHERE pk = 'none'", ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["CapacityUnits"] == 1.0


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({}, faults((None, "statement", NOT_NULL))),
        (
            {"Statement": "", "Limit": 0, "Parameters": []},
            faults(
                ("", "statement", AT_LEAST_ONE),
                ("[]", "parameters", AT_LEAST_ONE),
                ("0", "limit", "Member must have value greater than or equal to 1"),
            ),
        ),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("ExecuteStatement", request_) == text
