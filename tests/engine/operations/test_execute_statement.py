"""ExecuteStatement: what statements do, and DynamoDB's words for what they may not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.partiql.running import Running

V = "ValidationException"
NEEDS_KEY = "Where clause does not contain a mandatory equality on all key attributes"
OVERLAP = "Overlapping conditions with range keys are not supported in where clause"
TOO_MANY = "Too many decomposed read operations for a given query."
NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "
INCORRECT = "Incorrect operand type for operator or function; operator or function: "


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: int) -> dict[str, str]:
    return {"N": str(number)}


def sort_keys(items: list[dict[str, Any]]) -> list[str]:
    return [item["sk"]["S"] for item in items]


# --- INSERT


async def test_insert_stores_every_kind_of_literal(running: Running) -> None:
    answer = await running.run(
        "INSERT INTO hash VALUE {'pk': ?, 'n': 1E3, 'neg': -1.5e-3, 'zero': -0, 'q': 'it''s', 'b': true, 'nul': NULL,"
        " 'm': {'a': 'b', 'c': [1, {'d': false}]}, 'ns': <<1, 34, 4.50>>, 'ss': <<'a', 'b'>>, 'bin': ?}",
        s("a"),
        {"B": "AAE="},
    )
    assert answer == {"Items": []}
    assert await running.get("hash", pk=s("a")) == {
        "pk": s("a"),
        "n": {"N": "1000"},
        "neg": {"N": "-0.0015"},
        "zero": {"N": "0"},
        "q": s("it's"),
        "b": {"BOOL": True},
        "nul": {"NULL": True},
        "m": {"M": {"a": s("b"), "c": {"L": [{"N": "1"}, {"M": {"d": {"BOOL": False}}}]}}},
        "ns": {"NS": ["1", "34", "4.5"]},
        "ss": {"SS": ["a", "b"]},
        "bin": {"B": "AAE="},
    }


async def test_insert_does_not_overwrite(running: Running) -> None:
    await running.run("INSERT INTO hash VALUE {'pk': 'a', 'v': 1}")
    assert await running.refused("INSERT INTO hash VALUE {'pk': 'a', 'v': 2}") == (
        "DuplicateItemException",
        "Duplicate primary key exists in table",
    )
    assert await running.get("hash", pk=s("a")) == {"pk": s("a"), "v": n(1)}
    await running.run("DELETE FROM hash WHERE pk = 'a'")
    await running.run("INSERT INTO hash VALUE {'pk': 'a', 'v': 3}")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{'pk': 1e126}", "Number overflow. Attempting to store a number with magnitude larger than supported range"),
        ("{'pk': 1, 'm': {'x': 1e-131}}", "smaller than supported range under root.x"),
        ("{'pk': 1, 'l': [1, 1e126]}", "larger than supported range under root[1]"),
        ("{'pk': 1, 's': <<>>}", "Empty bags are not supported"),
        (
            "{'pk': 1, 's': <<1, 'a'>>}",
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
        ),
        (
            "{'pk': 1, 's': <<'a', 'a'>>}",
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
        ),
        ("{'pk': 1, 's': <<2, 2.0>>}", "Input collection [2, 2.0] contains duplicates! under root"),
        ("{'pk': 1, 's': set_add(<<'a'>>, <<'b'>>)}", "Unsupported data type: set_add under key root at 1:41:7"),
        ("{'pk': 1, 'm': {'k': ?}}", "Unsupported data type: Parameter under key root.k at 1:47:1"),
        ("{'pk': 1, 'd': " + "[" * 32 + "1" + "]" * 32 + "}", "supported limits under root" + "[0]" * 32),
        ("{'v': 1}", "One or more parameter values were invalid: Missing the key pk in the item"),
        ("{'pk': 'a'}", "Type mismatch for key pk expected: N actual: S"),
    ],
)
async def test_what_cannot_be_inserted(running: Running, value: str, message: str) -> None:
    parameters = [s("v")] * value.count("?")
    code, told = await running.refused(f"INSERT INTO number VALUE {value}", *parameters)
    assert code == V
    assert message in told
    assert await running.items("SELECT * FROM number") == []


async def test_31_levels_are_not_too_deep(running: Running) -> None:
    await running.run("INSERT INTO hash VALUE {'pk': 'a', 'd': " + "{'a':" * 31 + "1" + "}" * 31 + "}")


# --- UPDATE


@pytest.mark.parametrize(
    ("actions", "changed"),
    [
        ("SET n = n + 1", {"n": n(6)}),
        ("SET n=n-1", {"n": n(4)}),
        ("SET n = n - - 2, l = [- 1]", {"n": n(7), "l": {"L": [n(-1)]}}),
        ("SET c = n", {"c": n(5)}),
        ("SET a.b = 'new' SET c = 2 REMOVE n", {"a": {"M": {"b": s("new")}}, "c": n(2), "n": None}),
        ("REMOVE l[0] REMOVE a.b", {"l": {"L": [s("y")]}, "a": {"M": {}}}),
        ("SET l = list_append(l, [1])", {"l": {"L": [s("x"), s("y"), n(1)]}}),
        ("SET l = LIST_APPEND([1], l)", {"l": {"L": [n(1), s("x"), s("y")]}}),
        ("SET l[9] = 'z'", {"l": {"L": [s("x"), s("y"), s("z")]}}),
        ("SET ss = set_add(ss, <<'d', 'a'>>)", {"ss": {"SS": ["a", "b", "d"]}}),
        ("SET nss = SET_ADD(nss, <<'x'>>)", {"nss": {"SS": ["x"]}}),
        ("SET ss = set_delete(ss, <<'a'>>)", {"ss": {"SS": ["b"]}}),
        ("SET ss = set_delete(ss, <<'a', 'b'>>)", {"ss": None}),
        ("SET nss = set_delete(nss, <<'a'>>)", {}),
    ],
)
async def test_update(running: Running, actions: str, changed: dict[str, Any]) -> None:
    item = {
        "pk": s("a"),
        "n": n(5),
        "l": {"L": [s("x"), s("y")]},
        "a": {"M": {"b": s("old")}},
        "ss": {"SS": ["a", "b"]},
    }
    await running.put("hash", **item)
    assert await running.run(f"UPDATE hash {actions} WHERE pk = 'a'") == {"Items": []}
    stored = await running.get("hash", pk=s("a"))
    assert stored is not None
    for value in stored.values():
        if "SS" in value:
            value["SS"].sort()
    assert stored == {name: value for name, value in {**item, **changed}.items() if value is not None}


async def test_from_first_updates(running: Running) -> None:
    await running.put("hash", pk=s("a"), a=n(1))
    answer = await running.run("from hash where pk = ? AND a = 1 set c = ? RETURNING ALL NEW *", s("a"), n(7))
    assert answer == {"Items": [{"pk": s("a"), "a": n(1), "c": n(7)}]}


async def test_update_is_no_upsert(running: Running) -> None:
    for where in ("pk = 'ghost'", "pk = 'ghost' AND attribute_not_exists(pk)"):
        assert await running.refused(f"UPDATE hash SET z = 1 WHERE {where}") == (
            "ConditionalCheckFailedException",
            "The conditional request failed",
        )
    assert await running.get("hash", pk=s("ghost")) is None


@pytest.mark.parametrize(
    ("returning", "items"),
    [
        ("ALL OLD", [{"pk": s("a"), "v": s("old"), "keep": n(1)}]),
        ("ALL NEW", [{"pk": s("a"), "v": s("new"), "keep": n(1)}]),
        ("MODIFIED OLD", [{"v": s("old")}]),
        ("modified new", [{"v": s("new")}]),
    ],
)
async def test_update_returning(running: Running, returning: str, items: list[dict[str, Any]]) -> None:
    await running.put("hash", pk=s("a"), v=s("old"), keep=n(1))
    assert await running.items(f"UPDATE hash SET v = 'new' WHERE pk = 'a' RETURNING {returning} *") == items


async def test_an_empty_projection_is_no_row(running: Running) -> None:
    await running.put("hash", pk=s("a"), v=s("old"))
    assert await running.items("UPDATE hash SET w = 1 WHERE pk = 'a' RETURNING MODIFIED OLD *") == []
    assert await running.items("UPDATE hash REMOVE v WHERE pk = 'a' RETURNING MODIFIED NEW *") == []


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("t = set_add(ss, <<'x'>>)", "The first argument to SET_ADD must equal the assignment value at 1:21:7"),
        ("ss = set_add(<<'a'>>, <<'b'>>)", "The first argument to SET_ADD must equal the assignment value at 1:22:7"),
        ("ss = set_add(ss, 'x')", "The second argument to SET_ADD must be a value with type SET at 1:30:2"),
        ('"ss" = set_delete("ss", [1])', "The second argument to SET_DELETE must be a value with type SET at 1:35:4"),
        ("ss = set_add(ss)", "SET_ADD must have exactly two arguments at 1:22:7"),
        ("ss = set_add(ss, <<'x'>>, <<'y'>>)", "SET_ADD must have exactly two arguments at 1:22:7"),
        ("ss = set_add(ss, <<1>>)", "An operand in the update expression has an incorrect data type"),
        ("s = set_add(s, <<'x'>>)", "An operand in the update expression has an incorrect data type"),
        ("ss = set_add(ss, <<>>)", "Empty bags are not supported"),
        ("m.inner = 1", NOT_WELL_FORMED + "Invalid path dot component"),
        ("n = 'a' + 1", INCORRECT + "+, operand type: S"),
        ("n = n - null", INCORRECT + "-, operand type: NULL"),
        ("x = 1e-131", "smaller than supported range under root"),
        ("x = list_append(x, [1])", "The provided expression refers to an attribute that does not exist in the item"),
        ("x[0] = 1", "The document path provided in the update expression is invalid for update"),
        (
            "pk = 'b'",
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of",
        ),
        ("a = 1, a = 2", "Two document paths overlap with each other; must remove or rewrite one of these paths; "),
        ("x = nope(n)", "Unrecognized function: nope at 1:21:4"),
        ("x = [?]", "Unsupported data type: Parameter under key root[0] at 1:22:1"),
    ],
)
async def test_what_cannot_be_set(running: Running, actions: str, message: str) -> None:
    await running.put("hash", pk=s("a"), ss={"SS": ["a"]}, s=s("s"), n=n(1))
    before = await running.get("hash", pk=s("a"))
    parameters = [s("v")] * actions.count("?")
    code, told = await running.refused(f"UPDATE hash SET {actions} WHERE pk = 'a'", *parameters)
    assert code == V
    assert message in told
    assert await running.get("hash", pk=s("a")) == before


# --- WHERE of a write


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("", NEEDS_KEY),
        ("WHERE pk = 'a'", NEEDS_KEY),
        ("WHERE v = 1", NEEDS_KEY),
        ("WHERE pk = 'a' AND sk > '1'", NEEDS_KEY),
        ("WHERE pk IN ['a'] AND sk = '1'", NEEDS_KEY),
        ("WHERE pk = 'a' OR sk = '1'", NEEDS_KEY),
        (
            "WHERE pk = 'a' AND sk = '1' AND pk = 'b'",
            "Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported",
        ),
        ("WHERE pk = 'a' AND sk = 1", "The provided key element does not match the schema"),
    ],
)
async def test_a_write_names_one_item(running: Running, where: str, message: str) -> None:
    assert await running.refused(f"UPDATE pair SET a = 1 {where}") == (V, message)
    assert await running.refused(f"DELETE FROM pair {where}") == (V, message)


async def test_further_conditions_are_the_condition(running: Running) -> None:
    await running.put("pair", pk=s("a"), sk=s("1"), v=n(1))
    key = "(pk = 'a' AND sk = '1')"
    failed = ("ConditionalCheckFailedException", "The conditional request failed")
    assert await running.refused(f"DELETE FROM pair WHERE {key} AND v = 2") == failed
    assert await running.refused(f"UPDATE pair SET w = 1 WHERE {key} AND NOT v = 1") == failed
    assert await running.run(f"UPDATE pair SET w = 1 WHERE {key} AND v = 1 AND pk = 'a'") == {"Items": []}
    assert await running.run(f"DELETE FROM pair WHERE {key} AND w = 1") == {"Items": []}
    assert await running.get("pair", pk=s("a"), sk=s("1")) is None


async def test_deleting_what_is_not_there_is_no_error(running: Running) -> None:
    assert await running.run("DELETE FROM hash WHERE pk = 'x' AND v = 1") == {"Items": []}
    assert await running.run("DELETE FROM hash WHERE pk = 'x' RETURNING ALL OLD *") == {"Items": []}


async def test_a_failed_condition_returns_the_item_when_asked(running: Running) -> None:
    await running.put("hash", pk=s("a"), v=n(1))
    with pytest.raises(Exception, match="The conditional request failed") as raised:
        await running.run("DELETE FROM hash WHERE pk = 'a' AND v = 2", ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert raised.value.details() == {"Item": {"pk": s("a"), "v": n(1)}}  # type: ignore[attr-defined]


@pytest.mark.parametrize("variant", ["MODIFIED OLD", "ALL NEW", "MODIFIED NEW"])
async def test_delete_returns_old_items_only(running: Running, variant: str) -> None:
    await running.put("hash", pk=s("a"))
    assert await running.refused(f"DELETE FROM hash WHERE pk = 'a' RETURNING {variant} *") == (
        V,
        f"Invalid returning clause: RETURNING {variant} *. Only RETURNING ALL OLD * is allowed in DELETE statements.",
    )
    assert await running.get("hash", pk=s("a")) is not None


# --- SELECT


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


# --- indexes


@pytest.fixture
async def indexed(running: Running) -> Running:
    def both(one: str) -> dict[str, Any]:
        return {"gsiPk2": s("y"), "lsiSk": s("l" + one), "projattr": s("proj" + one), "nonproj": s("np" + one)}

    await running.put("wide", pk=s("p"), sk=s("s1"), gsiPk=s("x"), **both("1"))
    await running.put("wide", pk=s("p"), sk=s("s2"), gsiPk=s("z"), **both("2"))
    await running.put("wide", pk=s("p"), sk=s("s3"), nonproj=s("np3"))
    await running.put("wide", pk=s("p"), sk=s("s4"), gsiPk=s("x"), **both("4"))
    await running.put("wide", pk=s("q"), sk=s("s5"), gsiPk2=s("y2"), projattr=s("proj5"), nonproj=s("np5"))
    return running


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('SELECT sk FROM "wide"."gsi-all" WHERE gsiPk = \'x\'', "s1 s4"),
        ('SELECT sk FROM "wide"."gsi-all"', "s1 s2 s4"),
        ("SELECT sk FROM \"wide\".\"gsi-all\" WHERE pk = 'p' AND sk = 's2'", "s2"),
        ('SELECT sk FROM "wide"."lsi-keys" WHERE pk = \'p\'', "s1 s2 s4"),
        ("SELECT sk FROM \"wide\".\"lsi-keys\" WHERE pk = 'p' AND lsiSk BETWEEN 'l1' AND 'l2'", "s1 s2"),
        ('SELECT sk FROM "wide"."lsi-keys" WHERE pk = \'p\' ORDER BY lsiSk DESC', "s4 s2 s1"),
        ("SELECT sk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 = 'y' AND projattr = 'proj1'", "s1"),
        ('SELECT sk FROM "wide"."gsi-inc" WHERE nonproj = \'np1\'', ""),
        ('SELECT sk FROM "wide"."lsi-keys" WHERE nonproj = \'np1\'', ""),
        ('SELECT sk FROM "wide"."gsi-keys" WHERE NOT nonproj = \'np1\'', "s1 s2 s4 s5"),
        ("SELECT sk FROM \"wide\".\"gsi-inc\" WHERE (gsiPk2 = 'y' AND nonproj = 'np1') OR (gsiPk2 = 'y2')", "s5"),
        ("SELECT sk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 > 'a' AND nonproj = 'x'", ""),
    ],
)
async def test_an_index_is_read(indexed: Running, statement: str, expected: str) -> None:
    found = sort_keys(await indexed.items(statement))
    assert " ".join(found if "ORDER" in statement else sorted(found)) == expected


@pytest.mark.parametrize(
    ("index", "key", "names"),
    [
        ("gsi-keys", "gsiPk2 = 'y'", "gsiPk2 pk sk"),
        ("gsi-inc", "gsiPk2 = 'y'", "gsiPk2 pk projattr sk"),
        ("lsi-keys", "pk = 'p'", "lsiSk pk sk"),
    ],
)
async def test_the_star_is_what_the_index_holds(indexed: Running, index: str, key: str, names: str) -> None:
    answer = await indexed.run(f'SELECT * FROM "wide"."{index}" WHERE {key}', ReturnConsumedCapacity="INDEXES")
    assert len(answer["Items"]) == 3
    assert {" ".join(sorted(item)) for item in answer["Items"]} == {names}
    assert answer["ConsumedCapacity"]["Table"]["CapacityUnits"] == 0


async def test_a_local_index_reaches_back_and_pays_for_it(indexed: Running) -> None:
    async def used(columns: str, **members: Any) -> tuple[float, float]:
        answer = await indexed.run(
            f'SELECT {columns} FROM "wide"."lsi-keys" WHERE pk = \'p\'', ReturnConsumedCapacity="INDEXES", **members
        )
        capacity = answer["ConsumedCapacity"]
        local: float = capacity["LocalSecondaryIndexes"]["lsi-keys"]["CapacityUnits"]
        return capacity["Table"]["CapacityUnits"], local

    assert await used("nonproj") == (1.5, 0.5)
    assert await used("nonproj", ConsistentRead=True) == (3, 1)
    assert await used("nonproj", Limit=1) == (0.5, 0.5)
    assert await used("lsiSk") == (0, 0.5)
    found = await indexed.items('SELECT nonproj FROM "wide"."lsi-keys" WHERE pk = \'p\'')
    assert [item["nonproj"]["S"] for item in found] == ["np1", "np2", "np4"]


_UNPROJECTED = (
    "One or more parameter values were invalid: Secondary index {} does not project one or more filter attributes: "
)


@pytest.mark.parametrize(
    ("select", "message"),
    [
        (
            'SELECT nonproj, other FROM "wide"."gsi-inc" WHERE gsiPk2 = \'y\'',
            "One or more parameter values were invalid: Global secondary index gsi-inc does not project "
            "[nonproj, other]",
        ),
        (
            'SELECT nonproj FROM "wide"."gsi-inc"',
            "One or more parameter values were invalid: Global secondary index gsi-inc does not project [nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 = 'y' AND nonproj = 'x'",
            _UNPROJECTED.format("gsi-inc") + "[nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"lsi-keys\" WHERE pk = 'p' AND lsiSk > 'a' AND nonproj IS MISSING",
            _UNPROJECTED.format("lsi-keys") + "[nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 IN ['y', 'z'] AND begins_with(nonproj, 'n')",
            _UNPROJECTED.format("gsi-inc") + "[nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 = 'y' AND NOT (nonproj = 'x' OR projattr = 'y')",
            _UNPROJECTED.format("gsi-inc") + "[nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"gsi-inc\" WHERE (gsiPk2='q' AND u1='1') OR (gsiPk2='b' AND u2='1')",
            _UNPROJECTED.format("gsi-inc") + "[u1]",
        ),
    ],
)
async def test_an_index_holds_what_it_holds(indexed: Running, select: str, message: str) -> None:
    assert await indexed.refused(select) == (V, message)


async def test_a_global_index_is_not_read_consistently(indexed: Running) -> None:
    assert await indexed.refused('SELECT * FROM "wide"."gsi-all" WHERE gsiPk = \'x\'', ConsistentRead=True) == (
        V,
        "Strongly consistent read is not supported on Global Secondary Indexes",
    )
    assert await indexed.items('SELECT * FROM "wide"."lsi-all" WHERE pk = \'p\'', ConsistentRead=True)


async def test_a_key_of_several_attributes_is_not_for_partiql(running: Running) -> None:
    await running.engine.call(
        "CreateTable",
        {
            "TableName": "multi",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": x, "AttributeType": "S"} for x in ("id", "h1", "h2", "r1")],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "gsi",
                    "KeySchema": [
                        {"AttributeName": "h1", "KeyType": "HASH"},
                        {"AttributeName": "h2", "KeyType": "HASH"},
                        {"AttributeName": "r1", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        },
    )
    refused = (
        V,
        "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.",
    )
    for rest in ("WHERE h1 = 'a'", "WHERE h1 = 5", "", "WHERE h1 = 'a' ORDER BY r1"):
        assert await running.refused(f'SELECT * FROM "multi"."gsi" {rest}') == refused
    assert await running.refused('SELECT COUNT(*) FROM "multi"."gsi"') == refused
    assert (await running.refused('SELECT * FROM "multi"."gsi" WHERE'))[1] == NOT_WELL_FORMED + "Unexpected term"
    await running.run("INSERT INTO multi VALUE {'id': 'a', 'h1': 'x'}")
    assert len(await running.items("SELECT * FROM multi WHERE id = 'a'")) == 1


# --- parameters


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ({"N": "1e99999999999"}, "The parameter cannot be converted to a numeric value: 1e99999999999"),
        ({"N": "1e-2147483648"}, "The parameter cannot be converted to a numeric value: 1e-2147483648"),
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
