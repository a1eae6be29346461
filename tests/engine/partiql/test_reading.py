"""Which items a SELECT reads, in which order, page by page."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.partiql.running import Running, s, sort_keys

V = "ValidationException"
OVERLAP = "Overlapping conditions with range keys are not supported in where clause"
TOO_MANY = "Too many decomposed read operations for a given query."


# --- how the key is read


@pytest.fixture
async def ranges(running: Running) -> Running:
    for sk in "123":
        await running.put("pair", pk=s("r"), sk=s(sk), flag=s("f" + sk))
    await running.put("pair", pk=s("q"), sk=s("1"), flag=s("other"))
    return running


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("pk = 'r' AND sk = '2'", "2"),
        ("pk = 'r' AND sk > '1'", "23"),
        ("pk = 'r' AND sk > '1' AND sk < '3'", "2"),
        ("pk = 'r' AND '1' < sk", "23"),
        ("pk = 'r' AND sk BETWEEN '1' AND '2'", "12"),
        ("pk = 'r' AND begins_with(sk, '3')", "3"),
        ("pk = 'r' AND (sk = '1' OR sk = '2')", "12"),
        ("pk = 'r' AND sk IN ['1', '2']", "12"),
        ("pk = 'r' AND (sk < '1' OR sk > '1' OR sk = '1')", "123"),
        ("pk = 'r' AND attribute_exists(pk)", "123"),
        ("pk = 'r' AND NOT sk = '1'", "23"),
        ("pk = 'r' AND sk <> '1'", "23"),
        ("pk = 'r' AND sk > '0' AND sk <> '1'", "23"),
        ("pk = 'r' AND sk = '1' AND sk > '0'", "1"),
        ("pk = 'r' AND sk = '1' AND sk > '1'", ""),
        ("pk = 'r' AND NOT sk = '1' OR pk = 'r' AND sk = '2'", "23"),
        ("pk = 'r' AND sk <> '1' OR pk = 'r' AND sk = '2'", "23"),
        ("pk = 'r' AND NOT begins_with(sk, 'x') OR pk = 'r' AND sk = '2'", "123"),
        ("pk = 'r' AND NOT sk IN ['1', '3'] OR pk = 'r' AND sk = '2'", "2"),
        ("pk = 'r' OR pk = 'r' AND NOT sk = '1'", "123"),
        ("pk = 'r' AND pk = 'q'", ""),
        ("pk = 'r' AND flag = 'f2'", "2"),
        ("pk = 'r' AND sk = '2' OR pk = 'q' AND flag = 'other'", "12"),
        ("pk IN ['q', 'nope'] AND sk = '1'", "1"),
        ("pk = 'q' OR sk = '3'", "13"),
        ("sk = '1'", "11"),
        ("pk > 'q'", "123"),
        ("pk > 1", ""),
        ("flag = 'f3' OR flag = 'f1'", "13"),
    ],
)
async def test_where_by_key(ranges: Running, where: str, expected: str) -> None:
    assert sorted(sort_keys(await ranges.items(f"SELECT * FROM pair WHERE {where}"))) == list(expected)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("pk IN ['r', 'r']", OVERLAP),
        ("pk = 'r' OR pk = 'r'", OVERLAP),
        ("pk = 'r' AND (sk > '0' OR sk < '5')", OVERLAP),
        ("pk = 'r' AND (sk = '1' OR flag = 'two')", OVERLAP),
        ("(pk = 'r' AND flag = 'one') OR (pk = 'r' AND flag = 'two')", OVERLAP),
        ("pk = 'a' AND x <> '1' OR pk = 'a' AND sk = '2'", OVERLAP),
        (
            "pk = ''",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty string value. Key: pk",
        ),
        ("pk = 1 OR pk = 'r'", "Key attribute's data type should match its data type in table's schema: Key pk"),
        (
            "pk = 'r' AND sk IN ['1', 2]",
            "Key attribute's data type should match its data type in table's schema: Key sk",
        ),
        ("pk IN [" + ", ".join(f"'{i}'" for i in range(51)) + "]", TOO_MANY),
        ("pk = 'r' AND sk IN [" + ", ".join(f"'{i}'" for i in range(51)) + "]", TOO_MANY),
        ("pk IN [" + ", ".join(f"'{i}'" for i in range(26)) + "] AND sk IN ['1', '2']", TOO_MANY),
        ("pk = 'r' AND " + " AND ".join(f"(sk = '{i}' OR x = {i})" for i in range(40)), TOO_MANY),
    ],
)
async def test_where_by_key_that_is_refused(running: Running, where: str, message: str) -> None:
    assert await running.refused(f"SELECT * FROM pair WHERE {where}") == (V, message)


async def test_fifty_reads_are_not_too_many(running: Running) -> None:
    fifty = ", ".join(f"'{i}'" for i in range(50))
    hundred = ", ".join(f"'{i}'" for i in range(100))
    assert await running.items(f"SELECT * FROM pair WHERE pk IN [{fifty}] AND flag IN [{hundred}]") == []
    assert await running.items(f"SELECT * FROM pair WHERE pk IN [{fifty}, 'x'] OR flag = 'one'") == []


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("pk = 'r' ORDER BY sk DESC", "r3 r2 r1"),
        ("pk = 'r' ORDER BY sk", "r1 r2 r3"),
        ("pk = 'r' ORDER BY pk ASC", "r3 r2 r1"),
        ("pk IN ['r', 'q'] ORDER BY pk, sk", "q1 r1 r2 r3"),
        ("pk IN ['q', 'r'] ORDER BY pk DESC, sk ASC", "r1 r2 r3 q1"),
        ("pk = 'r' AND sk IN ['3', '1'] ORDER BY sk", "r1 r3"),
        ("pk = 'r' AND sk IN ['1', '3'] ORDER BY sk DESC", "r3 r1"),
    ],
)
async def test_order_by(ranges: Running, clause: str, expected: str) -> None:
    statement = f"SELECT pk, sk FROM pair WHERE {clause}"
    found = await ranges.items(statement)
    assert " ".join(item["pk"]["S"] + item["sk"]["S"] for item in found) == expected
    # And the same page by page.
    paged: list[dict[str, Any]] = []
    more: dict[str, Any] = {}
    while True:
        page = await ranges.run(statement, Limit=1, **more)
        paged += page["Items"]
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert paged == found


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("ORDER BY sk", "Must have WHERE clause in the statement when using ORDER BY clause."),
        ("WHERE pk = 'o' ORDER BY v DESC", "Attribute v in ORDER BY clause must be part of the primary key"),
        (
            "WHERE pk > 'a' ORDER BY sk",
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
        ),
        (
            "WHERE pk IN ['o', 'p'] ORDER BY sk DESC",
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.",
        ),
    ],
)
async def test_order_by_that_is_refused(running: Running, clause: str, message: str) -> None:
    assert await running.refused(f"SELECT sk FROM pair {clause}") == (V, message)


# --- pages


async def test_pages_of_a_scan_a_partition_and_several_partitions(ranges: Running) -> None:
    for where in ("", "WHERE pk = 'r'", "WHERE pk IN ['q', 'r', 'none']", "WHERE pk = 'r' AND flag <> 'f2'"):
        statement = f"SELECT * FROM pair {where}"
        whole = await ranges.items(statement)
        for limit in (1, 2, 3):
            found: list[dict[str, Any]] = []
            page = await ranges.run(statement, Limit=limit)
            while "NextToken" in page:
                found += page["Items"]
                assert page["LastEvaluatedKey"]
                page = await ranges.run(statement, NextToken=page["NextToken"], Limit=limit)
            assert found + page["Items"] == whole


async def test_one_item_needs_no_second_page(ranges: Running) -> None:
    page = await ranges.run("SELECT * FROM pair WHERE pk = 'r' AND sk = '1'", Limit=1)
    assert len(page["Items"]) == 1
    assert "NextToken" not in page
    page = await ranges.run("SELECT * FROM pair WHERE pk = 'r' AND sk IN ['1', '2']", Limit=1)
    assert "NextToken" in page


async def test_a_token_is_good_for_its_statement_only(ranges: Running) -> None:
    token = (await ranges.run("SELECT * FROM pair WHERE pk = ?", s("r"), Limit=1))["NextToken"]
    assert await ranges.items("SELECT * FROM pair WHERE pk = ?", s("r"), NextToken=token, Limit=2)
    mismatch = (V, "NextToken does not match request")
    assert await ranges.refused("SELECT * FROM pair WHERE pk = ?", s("q"), NextToken=token) == mismatch
    assert await ranges.refused("SELECT pk FROM pair WHERE pk = ?", s("r"), NextToken=token) == mismatch
    for bad in ("garbage", "Z2FyYmFnZQ==", "W10=", "bnVsbA==", token[:-8]):
        assert await ranges.refused("SELECT * FROM pair WHERE pk = ?", s("r"), NextToken=bad) == (
            V,
            "Invalid NextToken",
        )


async def test_a_token_that_is_made_up_is_refused(ranges: Running) -> None:
    import base64

    import orjson

    token = (await ranges.run("SELECT * FROM pair WHERE pk = 'r'", Limit=1))["NextToken"]
    binding, _, key = orjson.loads(base64.b64decode(token))
    forgeries: list[Any] = [
        [binding, 1, key],
        [binding, -1, key],
        [binding, True, key],
        [binding, 0, {"pk": s("r")}],
        [binding, 0, {"pk": {"S": 1}, "sk": s("1")}],
        [binding, 0, {"pk": {"N": "1"}, "sk": s("1")}],
        [binding, 0, "x"],
        [binding, "0", key],
    ]
    for forgery in forgeries:
        made_up = base64.b64encode(orjson.dumps(forgery)).decode()
        assert await ranges.refused("SELECT * FROM pair WHERE pk = 'r'", NextToken=made_up) == (V, "Invalid NextToken")


async def test_a_token_does_not_outlive_its_table(ranges: Running) -> None:
    token = (await ranges.run("SELECT * FROM pair WHERE pk = 'r'", Limit=1))["NextToken"]
    await ranges.engine.call("DeleteTable", {"TableName": "pair"})
    await ranges.create("pair", "pk")
    assert await ranges.refused("SELECT * FROM pair WHERE pk = 'r'", NextToken=token) == (
        V,
        "NextToken does not match request",
    )
