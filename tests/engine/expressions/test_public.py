"""The package as others use it: what its docstring shows, what is kept, which placeholders must be used."""

from typing import Any

import pytest

from sekkei.engine import expressions
from sekkei.engine.storage.catalogue import KeyPart, KeySchema
from tests.engine.expressions import refusals

ITEM: dict[str, Any] = {"p": {"S": "key"}, "n": {"N": "1"}}


def test_everything_offered_is_there() -> None:
    for name in expressions.__all__:
        assert hasattr(expressions, name), name


def test_the_ways_in() -> None:
    names, values = {"#n": "n"}, {":one": {"N": "1"}, ":p": {"S": "key"}}
    assert expressions.parse_condition("#n = :one", "ConditionExpression", names).bind(values).matches(ITEM)
    tests = expressions.parse_key_condition("p = :p AND #n >= :one", names).bind(values).tests()
    found = tests.on(KeySchema((KeyPart("p", "S"),), (KeyPart("n", "N"),)))
    assert found == expressions.KeyRange(({"S": "key"},), (), expressions.KeyTest(">=", ({"N": "1"},)))
    assert expressions.parse_projection("#n", names).project(ITEM) == {"n": {"N": "1"}}
    updated = expressions.parse_update("SET #n = #n + :one", names).bind(values).apply(ITEM)
    assert updated.item == {"p": {"S": "key"}, "n": {"N": "2"}}
    assert (updated.updated_old(), updated.updated_new()) == ({"n": {"N": "1"}}, {"n": {"N": "2"}})


def test_an_expression_is_read_once() -> None:
    for parse in (
        lambda names: expressions.parse_condition("#a = b", "FilterExpression", names),
        lambda names: expressions.parse_key_condition("#a = :b", names),
        lambda names: expressions.parse_projection("#a, b", names),
        lambda names: expressions.parse_update("SET #a = b", names),
    ):
        assert parse({"#a": "x"}) is parse({"#a": "x", "#other": "y"})
        assert parse({"#a": "x"}) is not parse({"#a": "y"})
        # Long names would fill the cache.
        assert parse({"#a": "x" * 10_000}) is not parse({"#a": "x" * 10_000})


def test_a_refusal_names_the_parameter_it_is_about() -> None:
    assert refusals.of_condition("a", parameter="FilterExpression").startswith("Invalid FilterExpression: ")
    assert refusals.of_condition("a", parameter="ConditionExpression").startswith("Invalid ConditionExpression: ")


def unused(names: Any, values: Any, *texts: str) -> str:
    parsed = [expressions.parse_condition(text, "ConditionExpression", names) for text in texts]
    return refusals.refusal_of(lambda: expressions.check_unused(names, values, parsed))


@pytest.mark.parametrize(
    ("names", "values", "problem"),
    [
        (None, None, ""),
        ({"#a": "a"}, {":v": {"S": ""}}, ""),
        ({"#a": "a", "#b": "b"}, {":v": {"S": ""}, ":w": {"S": ""}}, "Names unused in expressions: keys: {#b}"),
        ({"#a": "a"}, {":v": {}, ":w": {}, ":x": {}}, "Values unused in expressions: keys: {:w, :x}"),
    ],
)
def test_unused_placeholders(names: Any, values: Any, problem: str) -> None:
    expected = f"Value provided in ExpressionAttribute{problem}" if problem else ""
    assert unused(names, values, "#a = :v") == expected


def test_a_placeholder_may_be_used_by_any_of_several_expressions() -> None:
    assert unused({"#a": "a", "#b": "b"}, {":v": {}, ":w": {}}, "#a = :v", "#b = :w OR #a = :v") == ""


def test_depth_up_to_the_limits_is_no_matter() -> None:
    assert refusals.of_condition("size(" * 299 + "a" + ")" * 299 + " > b").endswith("size, operand type: N")
    nested = "if_not_exists(b, " * 200 + ":v" + ")" * 200
    bound = expressions.parse_update(f"SET a = {nested}").bind({":v": {"N": "1"}})
    assert bound.apply(ITEM).item == {**ITEM, "a": {"N": "1"}}
