"""The grammar: what is read, what it means, and DynamoDB's words for what is not read."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekkei.engine.partiql import nodes
from sekkei.engine.partiql.nodes import Expression
from sekkei.engine.partiql.parser import parse
from sekkei.errors import ValidationException
from tests.engine.partiql import printing, trees

NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "
LEFTOVER = "Unexpected token after expression"

# --- print and parse again


@given(trees.statements())
@settings(max_examples=300, deadline=None)
def test_a_printed_statement_reads_as_the_same_tree(tree: Expression) -> None:
    assert parse(printing.statement(tree)) == (tree, 0)


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_tree_or_a_validation_error(text: str) -> None:
    _tree_or_error(text)


_WORDS = """
SELECT FROM WHERE UPDATE SET REMOVE INSERT INTO VALUE DELETE RETURNING ALL OLD * AND OR NOT IN BETWEEN IS NULL MISSING
LIKE ORDER BY DESC a "t" 'x' 1 ? ( ) [ ] { } << >> , : ; . = <> < + - / exists count 1e /* */ -- ' " `
"""
_FRAGMENTS = [*_WORDS.split(), "\n"]


@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=30))
@settings(max_examples=500, deadline=None)
def test_any_row_of_words_is_a_tree_or_a_validation_error(words: list[str]) -> None:
    _tree_or_error(" ".join(words))


def _tree_or_error(text: str) -> None:
    refusal = NOT_WELL_FORMED
    try:
        tree, parameters = parse(text)
    except ValidationException as error:
        refusal = error.message
    else:
        assert isinstance(tree, nodes.Node)
        assert parameters <= text.count("?")
    assert refusal.startswith(NOT_WELL_FORMED)


# --- hostile text


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM t WHERE " + "(" * 8000,
        "SELECT * FROM t WHERE " + "(" * 4000 + "a = 1" + ")" * 4000,
        "SELECT * FROM t WHERE " + "NOT " * 2000 + "a = 1",
        "SELECT * FROM t WHERE a = " + "- " * 4000 + "1",
        "SELECT * FROM t WHERE a = " + "1 + " * 2000 + "1",
        "SELECT * FROM t WHERE a " + "= b " * 2000,
        "SELECT * FROM t WHERE " + "a IN (" * 1000,
        "INSERT INTO t VALUE " + "{'a':" * 1600,
        "INSERT INTO t VALUE " + "[<<" * 2000,
        "UPDATE t SET a = " + "f(" * 4000,
        "SELECT " * 1000,
        "SELECT * FROM (" * 500,
        "'" * 8001,
        '"' * 8001,
        "SELECT '" + "''" * 4000,
        "/*" * 4000,
        "SELECT * FROM t WHERE a = 1e" + "9" * 8000,
    ],
    ids=lambda text: text[:30],
)
@pytest.mark.timeout(20)
def test_hostile_text_gets_a_typed_error(text: str) -> None:
    with pytest.raises(ValidationException):
        parse(text)


def test_a_long_chain_of_conditions_is_wide_and_not_deep() -> None:
    tree, _ = parse("SELECT * FROM t WHERE " + " AND ".join(["a = 1"] * 900))
    assert isinstance(tree, nodes.Select)
    assert isinstance(tree.where, nodes.And)
    assert len(tree.where.operands) == 900


def test_many_groups_are_not_deep() -> None:
    parse("SELECT * FROM t WHERE " + " AND ".join(["(a = 1 OR b = 2)"] * 300))


def test_nesting_leaves_room_on_the_stack() -> None:
    """As deep as the parser goes, and everything that walks the tree after it, within half of Python's stack."""
    deep = "SELECT * FROM t WHERE " + "(" * 70 + "a = [[[[1]]]]" + ")" * 70
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit // 2 + 150)
    try:
        parse(deep)
    finally:
        sys.setrecursionlimit(limit)


# --- meaning


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a OR b = 1 AND c", "(a OR ((b = 1) and c))"),
        ("NOT a = 1 AND b = 2", "((NOT (a = 1)) and (b = 2))"),
        ("a BETWEEN 1 AND 2 AND b = 3", "((a BETWEEN 1 AND 2) and (b = 3))"),
        ("a NOT BETWEEN 1 AND 2", "(NOT (a BETWEEN 1 AND 2))"),
        ("a NOT IN (1, 2)", "(NOT (a IN [1, 2]))"),
        ("a IS NOT MISSING", "(NOT (a IS missing))"),
        ("a = b + 1 - c", "(a = ((b + 1) - c))"),
        ("a = - - 1", "(a = 1)"),
        ("a = +1", "(a = 1)"),
        ("a = -/* c */-1", "(a = 1)"),
        ("a != 1", "(a <> 1)"),
        ("a IN [1]", "(a IN [1])"),
        ("a IN (1)", "(a IN [1])"),
        ("(a, b) = 1", "([a, b] = 1)"),
        ("a.b[0].\"C d\" = 'it''s'", "(a.b[0].C d = 'it''s')"),
        ("SIZE(a) > 1 -- note", "(size(a) > 1)"),
        ("a IS BOOL", "(a IS boolean)"),
    ],
)
def test_precedence(text: str, tree: str) -> None:
    parsed, _ = parse(f"SELECT * FROM t WHERE {text}")
    assert isinstance(parsed, nodes.Select)
    assert parsed.where is not None
    shown = printing.text(parsed.where)
    assert shown.replace(chr(34), "") == tree


def test_from_first_is_an_update() -> None:
    assert parse("FROM t WHERE pk = 1 SET a = 1 REMOVE b") == parse("UPDATE t SET a = 1 REMOVE b WHERE pk = 1")


def test_parameters_count_from_left_to_right() -> None:
    tree, count = parse("UPDATE t SET a = ?, b = ? WHERE pk = ?")
    assert count == 3
    assert isinstance(tree, nodes.Update)
    assert tree.where == nodes.Compare("=", nodes.Identifier("pk"), nodes.Parameter(2))


# --- DynamoDB's words


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("SLECT * FROM \"T\" WHERE pk = 'x'", "Expected data manipulation"),
        ("UPDATE Payment-dev SET active=? WHERE id=?", "Expected data manipulation"),
        ("INSERT INTO urls (key, secret) VALUES (?, ?)", "Unexpected keyword"),
        ("SELECT * FROM t WHERE pk = 1 foo", LEFTOVER),
        ("SELECT * FROM t WHERE pk = 1 e5", LEFTOVER),
        ("SELECT * FROM t WHERE pk = 1)", LEFTOVER),
        ("SELECT * FROM t ORDER BY pk WHERE pk = 1", LEFTOVER),
        ("INSERT INTO t VALUE {'pk': 1} foo", LEFTOVER),
        ("INSERT INTO t u VALUE {'pk': 1}", LEFTOVER),
        ("UPDATE t SET a = 9 WHERE pk = 1 foo", LEFTOVER),
        ("DELETE FROM t WHERE pk = 1 ORDER BY pk", LEFTOVER),
        ("FROM t SET c = 1 WHERE pk = 'a'", LEFTOVER),
        ("SELECT * FROM t; SELECT * FROM t", "Unexpected token after semicolon. (Only one query is allowed.)"),
        ("SELECT * FROM t WHERE pk = 1e2147483648", ""),
        ("SELECT * FROM t WHERE pk = 1e99999999999", ""),
        ("SELECT * FROM t WHERE pk = 1.5e-2147483647", ""),
        ("SELECT * FROM t WHERE pk = 1e", ""),
        ("SELECT * FROM t WHERE pk = 1 # note", ""),
        ("SELECT * FROM t WHERE pk = 1 /* note", ""),
        ('SELECT * FROM "t', ""),
        ("SELECT * FROM t WHERE pk = 'x", ""),
        ("SELECT * FROM t WHERE", "Unexpected term"),
        ("SELECT * FROM t WHERE;", "Unexpected term"),
        ("SELECT * FROM t WHERE NOT", "Unexpected term"),
        ("SELECT * FROM t WHERE (", "Unexpected term"),
        ("SELECT * FROM", "Unexpected term"),
        ("  ", "Unexpected term"),
        ("UPDATE t SET a = 1 WHERE", "Unexpected term"),
        ("SELECT * FROM t WHERE pk = 'p' AND", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM t WHERE pk = 'p' OR", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM t WHERE ORDER BY pk", "Unexpected keyword"),
        ("SELECT size FROM t", "Unexpected keyword"),
        ("SELECT * FROM t WHERE x IS FOO", "Expected type name"),
        ("SELECT * FROM t WHERE IS NULL", "Unexpected operator"),
        ("SELECT * FROM t WHERE pk = LIKE", "Unexpected operator"),
        ("SELECT * FROM t WHERE a BETWEEN 1 OR 2", "Expected AND keyword"),
        ("SELECT * FROM t WHERE a BETWEEN 1 AND", "Expected expression after AND"),
        ("SELECT * FROM (SELECT * FROM t LIMIT 5) AS u", None),
        ("SELECT * FROM (t", "Expected RIGHT_PAREN"),
        ("SELECT * FROM t WHERE a = [1", "Expected RIGHT_BRACKET"),
        ("SELECT * FROM t WHERE a = <<1", "Expected RIGHT_DOUBLE_ANGLE_BRACKET"),
        ("INSERT INTO t VALUE {'a' 1}", "Expected COLON"),
        ("INSERT INTO t VALUE {'a': 1", "Expected RIGHT_CURLY"),
        ("DELETE t WHERE pk = 1", "Expected FROM after DELETE"),
        ("DELETE FROM", "Expected identifier for simple path"),
        ("DELETE FROM;", "Expected identifier for simple path"),
        ("DELETE FROM WHERE pk = 'a'", "Expected identifier for simple path"),
        ("UPDATE t SET WHERE", "Expected identifier for simple path"),
        ("UPDATE t SET a WHERE pk = 1", "Expected '='"),
        ("SELECT m.inner FROM t", "Invalid path dot component"),
        ("UPDATE t SET m.* = 1 WHERE pk = 1", "Invalid path dot component for simple path"),
        ("UPDATE t SET m[a] = 1 WHERE pk = 1", "Invalid path component for simple path"),
        ("SELECT *, a FROM t", "Other expressions may not be present in the select list when '*' is used without dot "),
        ("SELECT a", "Expected FROM after SELECT list"),
        (
            "DELETE FROM t WHERE pk = 1 RETURNING *",
            "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.",
        ),
    ],
)
def test_what_cannot_be_read(text: str, detail: str | None) -> None:
    if detail is None:
        parse(text)
        return
    with pytest.raises(ValidationException, match="^" + re.escape(NOT_WELL_FORMED + detail)) as raised:
        parse(text)
    assert detail or raised.value.message == NOT_WELL_FORMED


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ('UPDATE "t"\nSET b = set_add(b, 1) WHERE pk = 1', "2:9:7"),
        ("UPDATE t SET b =\r\n\tset_add(b, 1) WHERE pk = 1", "2:2:7"),
        ("UPDATE t SET b = 'a\nb', c = set_add(b, 1) WHERE pk = 1", "2:9:7"),
    ],
)
def test_a_node_knows_its_place(text: str, span: str) -> None:
    tree, _ = parse(text)
    assert isinstance(tree, nodes.Update)
    last = tree.actions[-1]
    assert isinstance(last, nodes.Assign)
    assert str(last.value.at) == span
