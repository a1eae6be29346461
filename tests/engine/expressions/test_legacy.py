"""The parameters from before expressions."""

import copy
from typing import Any

import pytest

from sekkei.engine.expressions import KeyRange, KeyTest, legacy
from sekkei.engine.storage.catalogue import KeyPart, KeySchema
from sekkei.errors import ValidationException

ITEM: dict[str, Any] = {
    "s": {"S": "hello"},
    "n": {"N": "5"},
    "b": {"B": "aGkgdGhlcmU="},
    "nil": {"NULL": True},
    "ss": {"SS": ["dog", "cat"]},
    "ns": {"NS": ["2", "4"]},
    "li": {"L": [{"N": "2"}, {"S": "dog"}]},
    "m": {"M": {"x": {"N": "1"}}},
}


def holds(name: str, operator: str, *values: Any) -> bool:
    condition = {"ComparisonOperator": operator, "AttributeValueList": list(values)}
    as_filter = legacy.filter({name: condition}).matches(ITEM)
    assert legacy.expected({name: condition}).matches(ITEM) is as_filter
    return as_filter


@pytest.mark.parametrize(
    ("name", "operator", "values", "expected"),
    [
        ("n", "EQ", [{"N": "5"}], True),
        ("n", "EQ", [{"S": "5"}], False),
        ("ss", "EQ", [{"SS": ["cat", "dog"]}], True),
        ("m", "EQ", [{"M": {"x": {"N": "1"}}}], True),
        ("gone", "EQ", [{"N": "5"}], False),
        ("n", "NE", [{"N": "5"}], False),
        ("n", "NE", [{"S": "5"}], True),
        ("gone", "NE", [{"N": "5"}], True),
        ("n", "LT", [{"N": "10"}], True),
        ("n", "LT", [{"N": "5"}], False),
        ("n", "LE", [{"N": "5"}], True),
        ("n", "LE", [{"S": "9"}], False),
        ("n", "GT", [{"N": "4"}], True),
        ("n", "GE", [{"N": "5"}], True),
        ("gone", "GE", [{"N": "5"}], False),
        ("li", "GE", [{"N": "5"}], False),
        ("n", "BETWEEN", [{"N": "5"}, {"N": "10"}], True),
        ("n", "BETWEEN", [{"N": "6"}, {"N": "10"}], False),
        ("n", "IN", [{"N": "4"}, {"N": "5"}], True),
        ("n", "IN", [{"N": "4"}], False),
        ("gone", "IN", [{"N": "4"}], False),
        ("s", "BEGINS_WITH", [{"S": "hell"}], True),
        ("b", "BEGINS_WITH", [{"B": "aGk="}], True),
        ("n", "BEGINS_WITH", [{"S": "5"}], False),
        ("s", "CONTAINS", [{"S": "ell"}], True),
        ("s", "CONTAINS", [{"N": "1"}], False),
        ("ns", "CONTAINS", [{"N": "4"}], True),
        ("li", "CONTAINS", [{"S": "dog"}], True),
        ("gone", "CONTAINS", [{"S": "dog"}], False),
        ("s", "NOT_CONTAINS", [{"S": "ell"}], False),
        ("s", "NOT_CONTAINS", [{"N": "1"}], True),
        ("ns", "NOT_CONTAINS", [{"N": "1"}], True),
        ("li", "NOT_CONTAINS", [{"S": "dog"}], False),
        # Neither the one nor the other: unlike NE, it wants the attribute to be there.
        ("gone", "NOT_CONTAINS", [{"S": "dog"}], False),
        ("gone", "NULL", [], True),
        ("nil", "NULL", [], False),
        ("nil", "NOT_NULL", [], True),
        ("gone", "NOT_NULL", [], False),
    ],
)
def test_comparisons(name: str, operator: str, values: list[Any], expected: bool) -> None:
    assert holds(name, operator, *values) is expected


@pytest.mark.parametrize(
    ("name", "condition", "expected"),
    [
        ("n", {"Value": {"N": "5"}}, True),
        ("n", {"Value": {"N": "6"}}, False),
        ("n", {"Value": {"N": "5"}, "Exists": True}, True),
        ("gone", {"Value": {"N": "5"}, "Exists": True}, False),
        ("gone", {"Exists": False}, True),
        ("n", {"Exists": False}, False),
        ("n", {"ComparisonOperator": "GT", "Value": {"N": "4"}}, True),
        ("n", {"ComparisonOperator": "NOT_NULL"}, True),
        ("gone", {"ComparisonOperator": "NULL", "AttributeValueList": []}, True),
    ],
)
def test_expected(name: str, condition: Any, expected: bool) -> None:
    assert legacy.expected({name: condition}).matches(ITEM) is expected


@pytest.mark.parametrize(
    ("operator", "expected"), [(None, [True, False, False]), ("AND", [True, False, False]), ("OR", [True, True, False])]
)
def test_conditional_operator(operator: str | None, expected: list[bool]) -> None:
    true, also_true = {"n": {"Value": {"N": "5"}}}, {"s": {"Value": {"S": "hello"}}}
    false, also_false = {"n": {"Exists": False}}, {"s": {"Exists": False}}
    outcomes = [
        legacy.expected(conditions, operator).matches(ITEM)
        for conditions in (true | also_true, true | also_false, false | also_false)
    ]
    assert outcomes == expected


def test_no_conditions_hold() -> None:
    assert legacy.expected({}).matches({})
    assert legacy.filter({}, "OR").matches({})


def test_what_conditions_are_about() -> None:
    conditions = legacy.filter({"a": {"ComparisonOperator": "NULL"}, "b": {"ComparisonOperator": "NULL"}})
    assert conditions.attributes == {"a", "b"}
    assert conditions.nested == frozenset()


SCHEMA = KeySchema((KeyPart("a", "S"),), (KeyPart("b", "N"),))


def test_key_conditions() -> None:
    tests = legacy.key_conditions(
        {
            "b": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "1"}, {"N": "2"}]},
            "a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]},
        }
    )
    assert tests.on(SCHEMA) == KeyRange(({"S": "x"},), (), KeyTest("BETWEEN", ({"N": "1"}, {"N": "2"})))


@pytest.mark.parametrize("operator", ["NULL", "NOT_NULL", "NE", "CONTAINS", "NOT_CONTAINS", "IN"])
def test_operators_that_no_key_has(operator: str) -> None:
    values = [] if "NULL" in operator else [{"N": "1"}]
    tests = legacy.key_conditions(
        {
            "a": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]},
            "b": {"ComparisonOperator": operator, "AttributeValueList": values},
        }
    )
    with pytest.raises(ValidationException, match="Attempted conditional constraint is not an indexable operation"):
        tests.on(SCHEMA)


@pytest.mark.parametrize(
    ("operator", "symbol"),
    [("LT", "<"), ("LE", "<="), ("GT", ">"), ("GE", ">="), ("BEGINS_WITH", "begins_with")],
)
def test_names_of_operators(operator: str, symbol: str) -> None:
    tests = legacy.key_conditions({"a": {"ComparisonOperator": operator, "AttributeValueList": [{"S": "x"}]}})
    assert tests == {"a": KeyTest(symbol, ({"S": "x"},))}


def test_attributes_to_get() -> None:
    projection = legacy.attributes_to_get(["s", "gone", "a.b"])
    assert projection.project({**ITEM, "a.b": {"S": "dotted"}}) == {"s": {"S": "hello"}, "a.b": {"S": "dotted"}}
    assert projection.attributes == {"s", "gone", "a.b"}


def updated(updates: Any, item: Any = ITEM) -> Any:
    before = copy.deepcopy(item)
    try:
        return legacy.attribute_updates(updates).apply(item).item
    finally:
        assert item == before


@pytest.mark.parametrize(
    ("name", "update", "expected"),
    [
        ("s", {"Value": {"N": "1"}}, {"N": "1"}),
        ("x", {"Action": "PUT", "Value": {"L": []}}, {"L": []}),
        ("s", {"Action": "DELETE"}, None),
        ("gone", {"Action": "DELETE"}, None),
        ("ss", {"Action": "DELETE", "Value": {"SS": ["dog", "pig"]}}, {"SS": ["cat"]}),
        ("ss", {"Action": "DELETE", "Value": {"SS": ["dog", "cat"]}}, None),
        ("gone", {"Action": "DELETE", "Value": {"SS": ["dog"]}}, None),
        ("n", {"Action": "ADD", "Value": {"N": "-7"}}, {"N": "-2"}),
        ("gone", {"Action": "ADD", "Value": {"N": "7"}}, {"N": "7"}),
        ("ss", {"Action": "ADD", "Value": {"SS": ["cat", "pig"]}}, {"SS": ["cat", "dog", "pig"]}),
        ("gone", {"Action": "ADD", "Value": {"NS": ["1"]}}, {"NS": ["1"]}),
        ("li", {"Action": "ADD", "Value": {"L": [{"S": "x"}]}}, {"L": [{"N": "2"}, {"S": "dog"}, {"S": "x"}]}),
        ("gone", {"Action": "ADD", "Value": {"L": [{"S": "x"}]}}, {"L": [{"S": "x"}]}),
    ],
)
def test_attribute_updates(name: str, update: Any, expected: Any) -> None:
    new = updated({name: update})
    assert new.get(name) == expected
    assert {key: value for key, value in new.items() if key != name} == {
        key: value for key, value in ITEM.items() if key != name
    }


@pytest.mark.parametrize(
    ("name", "action", "value"),
    [
        ("ss", "DELETE", {"NS": ["1"]}),
        ("n", "DELETE", {"NS": ["1"]}),
        ("ss", "ADD", {"NS": ["1"]}),
        ("ns", "ADD", {"N": "1"}),
        ("s", "ADD", {"N": "1"}),
        ("ss", "ADD", {"L": []}),
    ],
)
def test_type_mismatch(name: str, action: str, value: Any) -> None:
    with pytest.raises(ValidationException, match="Type mismatch for attribute to update"):
        updated({name: {"Action": action, "Value": value}})


def test_what_updates_return() -> None:
    updates = legacy.attribute_updates({"s": {"Action": "DELETE"}, "n": {"Action": "ADD", "Value": {"N": "1"}}})
    assert updates.changed == ("s", "n")
    assert updates.attributes == {"s", "n"}
    assert updates.nested == frozenset()
    done = updates.apply(ITEM)
    assert done.updated_old() == {"s": {"S": "hello"}, "n": {"N": "5"}}
    assert done.updated_new() == {"n": {"N": "6"}}


@pytest.mark.parametrize(
    ("updates", "created"),
    [
        ({}, {"p": {"S": "k"}}),
        ({"a": {"Value": {"N": "1"}}}, {"p": {"S": "k"}, "a": {"N": "1"}}),
        ({"a": {"Action": "ADD", "Value": {"N": "1"}}, "b": {"Action": "DELETE"}}, {"p": {"S": "k"}, "a": {"N": "1"}}),
        ({"a": {"Action": "DELETE"}, "b": {"Action": "DELETE", "Value": {"SS": ["x"]}}}, None),
    ],
)
def test_where_there_is_no_item(updates: Any, created: Any) -> None:
    done = legacy.attribute_updates(updates).apply({"p": {"S": "k"}}, exists=False)
    assert done.item == created
    assert done.updated_old() == {}
