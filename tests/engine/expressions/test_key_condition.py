"""Key conditions: what they may say, and what they mean for a key."""

from typing import Any

import pytest

from sekkei.engine.expressions import KeyRange, KeyTest, parse_key_condition
from sekkei.engine.storage.catalogue import KeyPart, KeySchema
from tests.engine.expressions.refusals import of_key_condition
from tests.engine.refusals import refusal_of

A, B, C = {"S": "a"}, {"S": "b"}, {"S": "c"}
VALUES: dict[str, Any] = {":a": A, ":b": B, ":c": C}

HASH_ONLY = KeySchema((KeyPart("a", "S"),), ())
TABLE = KeySchema((KeyPart("a", "S"),), (KeyPart("b", "S"),))
INDEX = KeySchema((KeyPart("h1", "S"), KeyPart("h2", "S")), (KeyPart("r1", "S"), KeyPart("r2", "S")))


def range_of(text: str, schema: KeySchema, values: Any = VALUES) -> KeyRange:
    return parse_key_condition(text).bind(values).tests().on(schema)


def refusal_on(text: str, schema: KeySchema, values: Any = VALUES) -> str:
    return refusal_of(lambda: range_of(text, schema, values))


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("a > b and size(b) > c or a > c", "OR"),
        ("a in (b, size(c), d)", "IN"),
        ("attribute_exists(a)", "attribute_exists"),
        ("attribute_not_exists(a)", "attribute_not_exists"),
        ("contains(a.d, b)", "contains"),
        ("not a > b", "NOT"),
        ("not not a > b", "NOT"),
        ("a <> b", "<>"),
        ("a = :a and (b = :b or c = :c)", "OR"),
    ],
)
def test_operators_no_key_condition_has(text: str, operator: str) -> None:
    assert of_key_condition(text, VALUES) == (
        f"Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: {operator}"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            ":a between size(b) and size(a) and b > :b",
            "Invalid condition in KeyConditionExpression: "
            "BETWEEN operator must have the key attribute as its first operand",
        ),
        (
            "begins_with(:a, b) and a > :b",
            "Invalid condition in KeyConditionExpression: "
            "begins_with operator must have the key attribute as its first operand",
        ),
        ("size(b) > a AND a.b > b AND b > c", "KeyConditionExpressions cannot contain nested operations"),
        ("a > size(b.d)", "KeyConditionExpressions cannot contain nested operations"),
        ("a between size(b) and size(a)", "KeyConditionExpressions cannot contain nested operations"),
        ("b > a.b", "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"),
        (
            "b between c[1] and d",
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
        ),
        (
            "begins_with(a, b)",
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
        ),
        ("b.d > a AND c.d > e.f", "KeyConditionExpressions cannot have conditions on nested attributes"),
        ("b[0] > a", "KeyConditionExpressions cannot have conditions on nested attributes"),
        (":b > :a AND a < :b", "Invalid condition in KeyConditionExpression: No key attribute specified"),
        (":a > b AND :a < :b", "Invalid condition in KeyConditionExpression: No key attribute specified"),
        ("b > :a AND b < :a and c = :a", "KeyConditionExpressions must only contain one condition per key"),
        (
            "(a > :a and b > :a) and (b > :a and c > :a)",
            "KeyConditionExpressions must only contain one condition per key",
        ),
    ],
)
def test_what_a_key_condition_cannot_say(text: str, problem: str) -> None:
    assert of_key_condition(text, VALUES) == f"Invalid KeyConditionExpression: {problem}"


def test_what_only_tests_refuse_does_not_stop_binding() -> None:
    # The other expressions of a request are looked at first.
    bound = parse_key_condition("a = :a OR b = :b").bind(VALUES)
    assert "Invalid operator" in refusal_of(bound.tests)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "a = :undefined",
            "An expression attribute value used in expression is not defined; attribute value: :undefined",
        ),
        ("status = :a", "Attribute name is a reserved keyword; reserved keyword: status"),
        (
            "a = :a AND begins_with(b, :n)",
            "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N",
        ),
        (
            "a between :n and :a",
            "The BETWEEN operator requires same data type for lower and upper bounds; "
            "lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}",
        ),
        ("((a = :a)) AND b = :b", "The expression has redundant parentheses;"),
        ("a = :a AND c!=:c", 'Syntax error; token: "!", near: "c!="'),
        ("a = :a AND dog(b, :b)", "Invalid function name; function: dog"),
    ],
)
def test_it_is_a_condition_like_others(text: str, problem: str) -> None:
    assert of_key_condition(text, {**VALUES, ":n": {"N": "1"}}) == f"Invalid KeyConditionExpression: {problem}"


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("a = :a AND b = :b", KeyTest("=", (B,))),
        (":b = b AND :a = a", KeyTest("=", (B,))),
        ("a = :a AND b < :b", KeyTest("<", (B,))),
        ("a = :a AND :b < b", KeyTest(">", (B,))),
        ("a = :a AND :b <= b", KeyTest(">=", (B,))),
        ("a = :a AND :b >= b", KeyTest("<=", (B,))),
        ("b > :b AND a = :a", KeyTest(">", (B,))),
        ("(a = :a) AND (b >= :b)", KeyTest(">=", (B,))),
        ("(a = :a AND (b <= :b))", KeyTest("<=", (B,))),
        ("a = :a AND b BETWEEN :b AND :c", KeyTest("BETWEEN", (B, C))),
        ("a = :a AND begins_with(b, :b)", KeyTest("begins_with", (B,))),
    ],
)
def test_the_range_of_a_table(text: str, test: KeyTest) -> None:
    found = range_of(text, TABLE)
    assert found.hash == (A,)
    if test.operator == "=":
        assert (found.equal, found.test) == (test.operands, None)
    else:
        assert (found.equal, found.test) == ((), test)


def test_a_whole_partition() -> None:
    assert range_of("a = :a", TABLE) == KeyRange((A,), (), None)
    assert range_of("a = :a", HASH_ONLY) == KeyRange((A,), (), None)


def too_many(conditions: int, attributes: int) -> str:
    return (
        f"The number of query conditions ({conditions}) exceeds the number of key attributes defined in the schema "
        f"({attributes})"
    )


@pytest.mark.parametrize(
    ("text", "schema", "problem"),
    [
        ("b = :a", TABLE, "Query condition missed key schema element: a"),
        ("x = :a", TABLE, "Query condition missed key schema element: a"),
        ("a = :a AND c = :b", TABLE, "Query condition missed key schema element: b"),
        ("a > :a", TABLE, "Query key condition not supported"),
        ("begins_with(a, :a)", HASH_ONLY, "Query key condition not supported"),
        ("a = :a AND b = :b", HASH_ONLY, too_many(2, 1)),
        ("y = :a AND z = :b", HASH_ONLY, too_many(2, 1)),
        ("a = :a AND b = :b AND c = :c", TABLE, too_many(3, 2)),
        (
            "a = :n",
            TABLE,
            "One or more parameter values were invalid: Condition parameter type does not match schema type",
        ),
        (
            ":n > a",
            HASH_ONLY,
            "One or more parameter values were invalid: Condition parameter type does not match schema type",
        ),
        (
            "a = :a AND b BETWEEN :n AND :n",
            TABLE,
            "One or more parameter values were invalid: Condition parameter type does not match schema type",
        ),
    ],
)
def test_what_does_not_fit_the_key(text: str, schema: KeySchema, problem: str) -> None:
    assert refusal_on(text, schema, {**VALUES, ":n": {"N": "1"}}) == problem


def test_an_index_with_keys_of_several_attributes() -> None:
    hashes = "h1 = :a AND h2 = :b"
    assert range_of(hashes, INDEX) == KeyRange((A, B), (), None)
    assert range_of(f"{hashes} AND r1 = :c", INDEX) == KeyRange((A, B), (C,), None)
    assert range_of(f"{hashes} AND r1 > :c", INDEX) == KeyRange((A, B), (), KeyTest(">", (C,)))
    assert range_of(f"r2 = :a AND {hashes} AND r1 = :c", INDEX) == KeyRange((A, B), (C, A), None)
    assert range_of(f"{hashes} AND r1 = :c AND begins_with(r2, :a)", INDEX) == KeyRange(
        (A, B), (C,), KeyTest("begins_with", (A,))
    )


SKIPPED = (
    "RANGE key attributes r1 must have equality conditions specified in the query "
    "because a condition is present on key attribute r2"
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("h1 = :a", "HASH key attributes h2 must have equality conditions specified in the query"),
        ("h1 = :a AND h2 > :b", "HASH key attributes h2 must have equality conditions specified in the query"),
        ("h1 = :a AND h2 = :b AND r2 = :c", SKIPPED),
        ("h1 = :a AND h2 = :b AND r1 > :a AND r2 = :c", SKIPPED),
        ("h1 = :a AND h2 = :b AND r1 = :a AND r2 = :c AND x = :c", too_many(5, 4)),
    ],
)
def test_what_does_not_fit_such_an_index(text: str, problem: str) -> None:
    assert refusal_on(text, INDEX) == problem


def test_names_are_resolved() -> None:
    bound = parse_key_condition("#p = :a AND #s = :b", {"#p": "a", "#s": "b"}).bind(VALUES)
    assert bound.tests() == {"a": KeyTest("=", (A,)), "b": KeyTest("=", (B,))}
    assert of_key_condition("#p = :a AND #s = :b", VALUES, {"#p": "a", "#s": "a"}).endswith("one condition per key")
    assert of_key_condition("#p = :a", VALUES).endswith("not defined; attribute name: #p")
