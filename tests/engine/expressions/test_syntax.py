"""Where reading stops, and how that is said."""

import pytest

from sekkei.engine.expressions.grammar import END, INDEX, NAME, NAME_PLACEHOLDER, STRAY, VALUE_PLACEHOLDER, tokens_of
from tests.engine.expressions import refusals


def test_tokens_of_an_expression() -> None:
    tokens = tokens_of("a.#b[12]<>:c\n-_x")
    assert [(token.kind, token.text) for token in tokens] == [
        (NAME, "a"),
        (".", "."),
        (NAME_PLACEHOLDER, "#b"),
        ("[", "["),
        (INDEX, "12"),
        ("]", "]"),
        ("<>", "<>"),
        (VALUE_PLACEHOLDER, ":c"),
        ("-", "-"),
        (STRAY, "_"),
        (NAME, "x"),
        (END, "<EOF>"),
    ]


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("things are not gonna be ok", "are", "things are not"),
        ("a > 4", "4", "> 4"),
        ("a  >\t4", "4", ">\t4"),
        ("attribute_exists(Pictures-RearView)", "-", "Pictures-RearView"),
        ('attribute_exists("Pictures.RearView")', '"', '("Pictures'),
        ("attribute_exists(Pictures..RearView)", ".", "..RearView"),
        ("attribute_exists(Pi#ctures.RearView)", "#ctures", "Pi#ctures."),
        ("attribute_exists(asdf[a])", "a", "[a]"),
        ("attribute_exists()", ")", "()"),
        ("a in b, c", "b", "in b,"),
        ("a in b", "b", "in b"),
        ("a > between", "between", "> between"),
        ("a in (b,c,)", ")", ",)"),
        ("a in ()", ")", "()"),
        ("(a)between(b.(c.d))and(c)", "(", ".(c"),
        ("(a)between(b.c.d)and((c)", "<EOF>", ")"),
        ("#$.b > a", "#", "#$"),
        ("a > :things.stuff", ".", ":things.stuff"),
        ("b[:a] > a", ":a", "[:a]"),
        ("b[#_] > a", "#_", "[#_]"),
        ("ü > a", "ü", "ü >"),
        ("(a)between(b.c[4.5].#d)and(:a)", ".", "4.5"),
        ("size(a).b > a", ".", ").b"),
        ("(size(a)).b > a", ".", ").b"),
        ("size(a)[0] > a", "[", ")[0"),
        ("(size(a))[0] > a", "[", ")[0"),
        ("(a = b) = c", "=", ") = c"),
        ("a > (b = c)", "=", "b = c"),
        ("a = b = c", "=", "b = c"),
        ("(a AND b = c)", "AND", "a AND b"),
        ("(b = c AND a)", ")", "a)"),
        ("a", "<EOF>", "a"),
        ("(a)", "<EOF>", ")"),
        (":a", "<EOF>", ":a"),
        ("attribute_exists(car_id) AND NOT #has_air_conditioner", "<EOF>", "#has_air_conditioner"),
        ("#articleId attribute_not_exists :ckpst", "attribute_not_exists", "#articleId attribute_not_exists :ckpst"),
        ("tenantAgent:abc123-1 = :b", ":abc123", "tenantAgent:abc123-"),
        ("c!=:c", "!", "c!="),
        ("_a = :b", "_", "_a"),
        ("AND a = :b", "AND", "AND a"),
        ("a = :b AND", "<EOF>", "AND"),
        ("a = :b c = :d", "c", ":b c ="),
        ("a BETWEEN :b OR :c", "OR", ":b OR :c"),
        (" ", "<EOF>", ""),
        (")", ")", ")"),
    ],
)
def test_syntax_errors_of_conditions(text: str, token: str, near: str) -> None:
    assert refusals.of_condition(text, parameter="FilterExpression") == (
        f'Invalid FilterExpression: Syntax error; token: "{token}", near: "{near}"'
    )


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("whatever", "whatever", "whatever"),
        ("set a", "<EOF>", "a"),
        ("add a", "<EOF>", "a"),
        ("set a=set", "set", "=set"),
        ("remove a = b", "=", "a = b"),
        ("add a = b", "=", "a = b"),
        ("delete a b", "b", "a b"),
        ("delete a if_not_exist(b)", "if_not_exist", "a if_not_exist("),
        ("add abort b", "b", "abort b"),
        ("remove a b", "b", "a b"),
        ("set a b", "b", "a b"),
        ("set :a = b", ":a", "set :a ="),
        ("remove :a", ":a", "remove :a"),
        ("set a = b / c", "/", "b / c"),
        ("set a = b * c", "*", "b * c"),
        ('set a[1] = "eight"', '"', '= "eight'),
        ("set a[1] = 1", "1", "= 1"),
        ("SET a = if_not_exist(a, 100)", "100", ", 100)"),
        ("SET if_not_exist(a, b) = a", "(", "if_not_exist(a"),
        ("set (a = (b + c))", "(", "set (a"),
        ("set a = (b.c).d + e", ".", ").d"),
        ("set a = (b.c)[0] + e", "[", ")[0"),
        ("set a = b + c + d", "+", "c + d"),
        ("set a = (b + c) + d", "+", ") + d"),
        ("set a = b + (c + d)", "+", "c + d"),
        ("SET c = if_not_exists(c, :val1+:val2)", "+", ":val1+:val2"),
        ("SET _123 = :val1", "_", "SET _123"),
        ("ADD hits : incr", ":", "hits : incr"),
        ("SET #a = :b, #, c = :d", "#", ", #,"),
        ("SET a = :b,", "<EOF>", ","),
        ("SET a = :b REMOVE", "<EOF>", "REMOVE"),
        ("SET hi-there = :v", "-", "hi-there"),
    ],
)
def test_syntax_errors_of_updates(text: str, token: str, near: str) -> None:
    assert refusals.of_update(text) == f'Invalid UpdateExpression: Syntax error; token: "{token}", near: "{near}"'


@pytest.mark.parametrize(
    ("text", "token", "near"),
    [
        ("whatever(stuff)", "(", "whatever(stuff"),
        (":a", ":a", ":a"),
        ("abort,", "<EOF>", ","),
        ("a,,b", ",", ",,b"),
        ("a..b", ".", "..b"),
        ("a[b]", "b", "[b]"),
        ("(a.b).c", "(", "(a"),
        ("(a)", "(", "(a"),
        ("a-b", "-", "a-b"),
        ("a b", "b", "a b"),
    ],
)
def test_syntax_errors_of_projections(text: str, token: str, near: str) -> None:
    assert refusals.of_projection(text) == (
        f'Invalid ProjectionExpression: Syntax error; token: "{token}", near: "{near}"'
    )


@pytest.mark.parametrize(
    ("ask", "parameter"),
    [
        (refusals.of_condition, "ConditionExpression"),
        (refusals.of_key_condition, "KeyConditionExpression"),
        (refusals.of_update, "UpdateExpression"),
        (refusals.of_projection, "ProjectionExpression"),
    ],
)
def test_empty_and_too_long(ask, parameter: str) -> None:  # type: ignore[no-untyped-def]
    assert ask("") == f"Invalid {parameter}: The expression can not be empty;"
    text = f"Invalid {parameter}: Expression size has exceeded the maximum allowed size;"
    # Of an update it is not said how long it is.
    length = "" if parameter == "UpdateExpression" else " expression size: {}"
    assert ask("a" * 4097) == text + length.format(4097)
    # Bytes are counted, not characters, and before anything else is looked at.
    assert ask("ü" * 2049) == text + length.format(4098)


def test_the_longest_expressions_are_read() -> None:
    assert refusals.of_projection("a" * 4096) == ""
    assert refusals.of_condition(f"a = :b{' ' * 4090}", {":b": {"S": ""}}) == ""


@pytest.mark.parametrize(
    "text",
    [
        "a=a and a > ((views))",
        "(a)between(((b.c)).d)and(c)",
        "a > whatever((:things), ((a)))",
        "a=a AND ((a=a AND a=a)) AND a=a",
        "a=a OR ((a=a OR a=a)) OR a=a",
        "a=a AND ((a=a AND (a=a AND a=a)))",
        "a=a OR ((a=a OR (a=a OR a=a)))",
        "((#a = :v))",
        "(#c1 = :c1) AND ((#c2 IN (:c2, :c3)))",
        "((a)) = :b",
        "NOT ((a = :b))",
    ],
)
def test_redundant_parentheses(text: str) -> None:
    assert refusals.of_condition(text) == "Invalid ConditionExpression: The expression has redundant parentheses;"


@pytest.mark.parametrize(
    "text",
    [
        "(a = :v)",
        "((a = :v) AND a = :v)",
        "(a = :v AND (b = :v))",
        "((a = :v) AND (b = :v))",
        "(a) = (:v)",
        "(a).b = :v",
        "(a.b)[0] = :v",
        "size((a)) > :n",
        "( ( ( size ( a )) < :n ) AND ( b > :n ) )",
        "NOT NOT NOT NOT a = :v",
        "NOT (NOT (a = :v))",
        "a between :v and :v and b = :v",
        "aNd_x = :v oR nOt b bEtWeEn :v aNd :v",
        "a.between1[0].c = :v",
    ],
)
def test_parentheses_and_keywords_that_are_fine(text: str) -> None:
    assert refusals.of_condition(text, {":v": {"S": "v"}, ":n": {"N": "1"}}) == ""


def test_parentheses_of_updates() -> None:
    values = {":v": {"N": "1"}}
    for text in ("SET a = (b + :v)", "SET a = ((b.c)+(:v))", "SET a = (:v)", "SET a = (if_not_exists(b, :v)) + :v"):
        assert refusals.of_update(text, values) == "", text
    assert refusals.of_update("SET a = ((b + :v))", values) == (
        "Invalid UpdateExpression: The expression has redundant parentheses;"
    )


@pytest.mark.parametrize("open_parentheses", [3, 999, 4096])
def test_deep_nesting_is_an_ordinary_error(open_parentheses: int) -> None:
    assert refusals.of_condition("(" * open_parentheses) == (
        'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("'
    )


def test_deep_nesting_that_closes_is_redundant() -> None:
    text = "(" * 2000 + "a<b" + ")" * 2000
    assert refusals.of_condition(text).endswith("The expression has redundant parentheses;")
    assert refusals.of_condition("size(" * 600 + "a" + ")" * 600 + " > b").endswith("operator count: 301")
    assert refusals.of_update("SET a = " + "(" * 2000 + "b" + ")" * 2000).endswith("redundant parentheses;")


def test_number_of_operators() -> None:
    deepest = "a<b " + "or (a<b " * 149 + ")" * 149
    assert refusals.of_condition(deepest) == ""
    too_many = "Invalid ConditionExpression: The expression contains too many operators; operator count: 301"
    assert refusals.of_condition("a<b " + "or (a<b " * 454 + ")" * 454) == too_many
    assert refusals.of_condition("a<b " + "or a<b " * 150) == too_many
    assert refusals.of_condition("NOT " * 300 + "a<b") == too_many
    assert refusals.of_condition("NOT (" * 299 + "a<b" + ")" * 299) == ""
    assert refusals.of_condition("a<b and not (a<b or not (" * 49 + "a<b" + "))" * 49) == ""
