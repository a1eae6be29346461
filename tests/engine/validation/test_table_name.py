"""Names of tables in requests that look after tables."""

from __future__ import annotations

import pytest

from tests.engine.refusals import PATTERN, faults, refusal


@pytest.mark.parametrize(
    "operation", ["DescribeTable", "DeleteTable", "UpdateTable", "DescribeTimeToLive", "CreateTable"]
)
def test_table_name(operation: str) -> None:
    assert refusal(operation, {}) == "The parameter 'TableName' is required but was not present in the request"
    short = "Member must have length greater than or equal to 3"
    assert refusal(operation, {"TableName": "ab"}) == faults(("ab", "tableName", short))
    assert refusal(operation, {"TableName": ""}) == faults(("", "tableName", PATTERN), ("", "tableName", short))
    assert refusal(operation, {"TableName": "abc;"}) == faults(("abc;", "tableName", PATTERN))
    long = "a" * 256
    assert refusal(operation, {"TableName": long}) == faults(
        (long, "tableName", "Member must have length less than or equal to 255")
    )
