"""WHERE and SELECT lists: what they mean, and DynamoDB's words for what means nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.partiql.running import Running, n, s

V = "ValidationException"
INCORRECT = "Incorrect operand type for operator or function; operator or function: "


ITEM = {
    "pk": s("i"),
    "s": s("str"),
    "n": n(1),
    "ss": {"SS": ["a", "b"]},
    "m": {"M": {"sub": s("x"), "k": {"L": [s("c")]}}},
    "nul": {"NULL": True},
    "flag": {"BOOL": True},
    "yes": {"BOOL": True},
}


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("n = 1", True),
        ("n != 1", False),
        ("nope <> 1", True),
        ("NOT nope = 1", True),
        ("n BETWEEN - 2 AND +5 AND n IN [- 1, 1]", True),
        ("n IN (2, 3)", False),
        ("n NOT IN (2, 3)", True),
        ("1 = n", True),
        ("n = - - 1", True),
        ("s > 5", False),
        ("attribute_exists(ss)", True),
        ("ATTRIBUTE_EXISTS(nope)", False),
        ("attribute_not_exists(nope)", True),
        ("NOT attribute_exists(nope)", True),
        ('(attribute_exists(nope) OR attribute_exists("ss"))', True),
        ("attribute_exists(m.sub)", True),
        ("attribute_exists(m.nope)", False),
        ("attribute_exists(m.k[0])", True),
        ("begins_with(s, 'st')", True),
        ("contains(ss, 'a')", True),
        ("contains(s, 'x')", False),
        ("size(s) = 3", True),
        ("size(ss) > 2", False),
        ("attribute_type(ss, 'SS')", True),
        ("attribute_type(ss, 'S')", False),
        ("nul IS NULL", True),
        ("s IS NULL", False),
        ("nope IS NULL", False),
        ("s IS NOT NULL", True),
        ("nope IS MISSING", True),
        ("s IS NOT MISSING", True),
        ("flag IS BOOL", True),
        ("s IS STRING", True),
        ("n IS INT4", True),
        ("ss IS BAG", True),
        ("m IS TUPLE", True),
        ("s IS BOOL", False),
        ("m.sub = 'x'", True),
        ("ss = <<'b', 'a'>>", True),
        ("m.k = ['c']", True),
        ("m = {'k': ['c'], 'sub': 'x'}", True),
        ("attribute_exists(nope) = false", True),
        ("true = attribute_exists(n)", True),
        ("attribute_exists(n) <> 1", True),
        ("contains(nope, 'z') = false", True),
        ("(n BETWEEN 0 AND 5) = true", True),
        ("(n = 5 OR s = 'x') = false", True),
        ("attribute_exists(nope) IN [true, false]", True),
        ("attribute_exists(n) = attribute_exists(s)", True),
        ("attribute_exists(n) = yes", True),
        ("attribute_exists(n) = 1", False),
        ("NOT attribute_exists(n) = true", False),
        ("(attribute_exists(n) = true) = false", False),
        ("attribute_exists(n) = s", False),
    ],
)
async def test_conditions(running: Running, condition: str, holds: bool) -> None:
    await running.put("hash", **ITEM)
    found = await running.items(f"SELECT * FROM hash WHERE pk = 'i' AND {condition}")
    assert found == ([ITEM] if holds else [])
    # The same as a filter of a scan, and as the condition of a write.
    assert await running.items(f"SELECT pk FROM hash WHERE {condition}") == ([{"pk": s("i")}] if holds else [])
    statement = f"UPDATE hash SET z = 1 WHERE pk = 'i' AND {condition}"
    if holds:
        await running.run(statement)
    else:
        assert (await running.refused(statement))[0] == "ConditionalCheckFailedException"


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            "attribute_exists('ss')",
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            "attribute_exists(?)",
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            "attribute_exists()",
            "Incorrect number of operands for operator or function; "
            "operator or function: attribute_exists, number of operands: 0",
        ),
        (
            "attribute_exists(ss, ns)",
            "Incorrect number of operands for operator or function; "
            "operator or function: attribute_exists, number of operands: 2",
        ),
        ("EXISTS(ss)", "Unrecognized function: exists at 1:39:6"),
        ("set_add(ss, <<'x'>>) = ss", "Unrecognized function: set_add at 1:39:7"),
        ("attribute_type(l, 1)", INCORRECT + "attribute_type, operand type: N"),
        ("attribute_type(l, true)", INCORRECT + "attribute_type, operand type: BOOL"),
        (
            "attribute_type(l, 'X')",
            "Invalid attribute type name found; type: X, valid types: {",
        ),
        ("val < ?", INCORRECT + "<, operand type: SS"),
        ("attribute_exists(n) > false", INCORRECT + ">, operand type: BOOL"),
        ("val > [1]", INCORRECT + ">, operand type: L"),
        ("val <= {'a': 1}", INCORRECT + "<=, operand type: M"),
        ("val BETWEEN true AND false", INCORRECT + "BETWEEN, operand type: BOOL"),
        (
            "flag IN [" + ", ".join(["1"] * 101) + "]",
            "The IN operator is provided with too many operands; number of operands: 101",
        ),
        ("n > -n", "Unsupported operation: Neg"),
        ("n LIKE 'x'", "Unsupported operation: Like"),
        ("flag", "Unsupported operation: Id"),
        ("n = 1e126", "larger than supported range under root"),
        ("n = 123456789012345678901234567890123456789", "more than 38 significant digits in a Number under root"),
        ("l[-1] = 1", "List index is not within the allowable range; index: [-1] at 1:42:1"),
        ("l[*] = 1", "Unexpected path component at 1:41:1"),
    ],
)
async def test_what_cannot_be_a_condition(running: Running, condition: str, message: str) -> None:
    statement = f"SELECT * FROM hash WHERE pk = 'i' AND {condition}"
    parameters = [{"SS": ["x"]}] * condition.count("?")
    code, told = await running.refused(statement, *parameters)
    assert code == V
    assert message in told
    # Said of the statement alone: with or without its table.
    code, told = await running.refused(statement.replace("hash", "none"), *parameters)
    assert code == V
    assert message in told


@pytest.mark.parametrize(
    ("columns", "item"),
    [
        ("pk, s", {"pk": s("i"), "s": s("str")}),
        ("m.sub", {"sub": s("x")}),
        ("m.k[0], m", {"k[0]": s("c"), "m": ITEM["m"]}),
        ("m.k[-0]", {"k[0]": s("c")}),
        ('"m"."sub", nope', {"sub": s("x")}),
        ("nope", {}),
    ],
)
async def test_columns(running: Running, columns: str, item: dict[str, Any]) -> None:
    await running.put("hash", **ITEM)
    assert await running.items(f"SELECT {columns} FROM hash WHERE pk = 'i'") == [item]


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("SELECT COUNT(*) FROM hash", "Unexpected path component at 1:8:5"),
        ("SELECT pk,\n  count(x) FROM hash", "Unexpected path component at 2:3:5"),
        ("SELECT attribute_exists(ss) FROM hash", "Unexpected path component at 1:8:16"),
        ("SELECT l[-1] FROM hash", "List index is not within the allowable range; index: [-1] at 1:11:1"),
        (
            "SELECT l[2147483648] FROM hash",
            "List index is not within the allowable range; index: [2147483648] at 1:10:10",
        ),
        ("SELECT s, s FROM hash", "Duplicate identifiers in select clause: s"),
        ("SELECT s AS t FROM hash", "Aliasing is not supported"),
        ("SELECT * FROM hash t WHERE pk = 'x'", "Aliasing is not supported"),
        ("SELECT * FROM hash AS t", "Aliasing is not supported"),
        ("UPDATE hash t SET a = 3 WHERE pk = 'x'", "Aliasing is not supported"),
        ("DELETE FROM hash t WHERE pk = 'x'", "Aliasing is not supported"),
        ("SELECT * FROM hash, pair", "Only select from a single table or index is supported."),
        ("SELECT * FROM hash LIMIT 5", "Unsupported clause: LIMIT at 1:26:1"),
        ('SELECT * FROM "wide"."gsi-all"."extra"', "A path may contain at most 2 components in the FROM clause"),
        ('SELECT * FROM "wide".""', "Path component cannot be an empty string"),
        ('SELECT * FROM ""', "Path component cannot be an empty string"),
        ('SELECT * FROM "wide"."nope" WHERE pk = \'p\'', "The table does not have the specified index"),
        ('SELECT * FROM "wide"."wide"', "The table does not have the specified index"),
        ('UPDATE "wide"."gsi-all" SET a = 1 WHERE pk = 1', "This operation is not supported on an index"),
        ('DELETE FROM "none"."gsi-all" WHERE pk = 1', "This operation is not supported on an index"),
        (
            "INSERT INTO \"wide\".\"gsi-all\" VALUE {'pk': 'w'}",
            "FROM clause may only contain a single table name in data manipulation statements at 1:13:6",
        ),
        ("x IS INT4", "Unsupported operation: IsType"),
        ("SELECT * FROM hash WHERE pk = ?", "Number of parameters in request and statement don't match."),
        (
            "EXISTS(SELECT * FROM hash WHERE pk = 'a' AND b = 1)",
            "EXISTS can only be used in ExecuteTransaction write requests.",
        ),
        (
            "SELECT * FROM hash WHERE pk = 1",
            "Key attribute's data type should match its data type in table's schema: Key pk",
        ),
        ("SELECT * FROM hash WHERE pk = true", "Key value must be of type S, N, or B. Key name: pk, Key type: BOOL"),
    ],
)
async def test_what_cannot_be_asked(running: Running, select: str, message: str) -> None:
    assert await running.refused(select) == (V, message)


async def test_a_table_that_is_not_there(running: Running) -> None:
    for statement in (
        "SELECT * FROM none WHERE pk = 'x'",
        "INSERT INTO none VALUE {'pk': 'x'}",
        "FROM none WHERE pk = 'x' SET c = 1",
        'SELECT * FROM "none"."index"',
    ):
        assert await running.refused(statement) == ("ResourceNotFoundException", "Requested resource not found")


@pytest.mark.parametrize(
    "condition",
    [
        "(" * 30 + "a = 1" + ") = (b = 2)" * 30,
        "(" * 30 + "a = 1" + ") = b" * 30,
        "(" * 10 + "a = 1" + ") IN [true, false, b, c]" * 10,
    ],
)
async def test_comparisons_of_comparisons_do_not_outgrow_memory(running: Running, condition: str) -> None:
    assert await running.refused(f"SELECT * FROM hash WHERE {condition}") == (
        V,
        "The WHERE clause is too complex to evaluate",
    )
