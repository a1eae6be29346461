"""ListTables."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.engine import operations
from tests.engine.conftest import Tables
from tests.engine.refusals import PATTERN, faults, refusal


async def test_tables_are_listed_by_name_in_pages(tables: Tables) -> None:
    for name in ("ccc", "aaa", "bbb"):
        await tables.create_plain(name)
    first = await tables("ListTables", Limit=2)
    assert first == {"TableNames": ["aaa", "bbb"], "LastEvaluatedTableName": "bbb"}
    assert await tables("ListTables", ExclusiveStartTableName="bbb") == {"TableNames": ["ccc"]}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {"Limit": 0, "ExclusiveStartTableName": "a;"},
            faults(
                ("0", "limit", "Member must have value greater than or equal to 1"),
                ("a;", "exclusiveStartTableName", PATTERN),
                ("a;", "exclusiveStartTableName", "Member must have length greater than or equal to 3"),
            ),
        ),
        ({"Limit": 101}, faults(("101", "limit", "Member must have value less than or equal to 100"))),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("ListTables", request_) == text


@pytest.mark.parametrize(
    "request_",
    [
        {},
    ],
)
def test_requests_that_can_be(request_: dict[str, Any]) -> None:
    assert operations.check("ListTables", request_).request == request_
