"""INSERT, UPDATE and DELETE: what they do to an item, and DynamoDB's words for what they may not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.partiql.running import Running, n, s

V = "ValidationException"
NEEDS_KEY = "Where clause does not contain a mandatory equality on all key attributes"
NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "
INCORRECT = "Incorrect operand type for operator or function; operator or function: "


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
