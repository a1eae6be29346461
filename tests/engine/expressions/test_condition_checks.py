"""What DynamoDB refuses in a condition, with its words and in its order."""

from typing import Any

import pytest

from sekkei.engine.expressions import parse_condition
from sekkei.engine.expressions.grammar import RESERVED_WORDS
from tests.engine.expressions.refusals import of_condition

VALUES_OF_ALL_TYPES = {
    "S": {"S": "a"},
    "N": {"N": "1"},
    "B": {"B": "YQ=="},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "L": {"L": []},
    "M": {"M": {}},
    "SS": {"SS": ["1"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["YQ=="]},
}


def refusal_of_condition(text: str, values: Any = None, names: Any = None) -> str:
    return of_condition(text, values, names).removeprefix("Invalid ConditionExpression: ")


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("a=a and whatever((:things)) > a", "whatever"),
        ("attRIbute_exIsts((views), #a)", "attRIbute_exIsts"),
        ("dog(a) = :arg", "dog"),
        ("BEGINS_WITH(a, :b)", "BEGINS_WITH"),
    ],
)
def test_unknown_functions(text: str, function: str) -> None:
    assert refusal_of_condition(text) == f"Invalid function name; function: {function}"


@pytest.mark.parametrize("function", ["if_not_exists", "list_append"])
def test_functions_of_updates(function: str) -> None:
    assert refusal_of_condition(f"{function}(a, b) = :c") == (
        f"The function is not allowed in a condition expression; function: {function}"
    )


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("a=a and attribute_exists((views), (#a)) > b", "attribute_exists"),
        ("attribute_not_exists(things) > b", "attribute_not_exists"),
        ("attribute_type(things, :a) > b", "attribute_type"),
        ("begins_with(things, a) > b", "begins_with"),
        ("contains(:things, c) > b", "contains"),
        ("size(contains(a, b)) > a", "contains"),
        ("size(things)", "size"),
        ("(size(things)) OR a = b", "size"),
        ("NOT size(things)", "size"),
        ("a between b and attribute_exists(things)", "attribute_exists"),
        ("a in (b, attribute_exists(things))", "attribute_exists"),
    ],
)
def test_functions_in_the_wrong_place(text: str, function: str) -> None:
    assert refusal_of_condition(text) == (
        f"The function is not allowed to be used this way in an expression; function: {function}"
    )


def test_there_are_573_reserved_words() -> None:
    assert len(RESERVED_WORDS) == 573


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("attribute_exists(views, #a)", "views"),
        (":a < abOrT", "abOrT"),
        ("a.b.status[0] = :a", "status"),
        ("x = y AND comment = item", "comment"),
    ],
)
def test_reserved_words(text: str, word: str) -> None:
    assert refusal_of_condition(text) == f"Attribute name is a reserved keyword; reserved keyword: {word}"


def test_list_indexes_have_a_limit() -> None:
    assert refusal_of_condition("a[2147483647] = :a", {":a": {"S": "a"}}) == ""
    assert (
        refusal_of_condition("a[2147483648] = :a")
        == "List index is not within the allowable range; index: [2147483648]"
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("attribute_exists(#Pictures.RearView, :a) and a=a", "#Pictures"),
        ("begins_with(Pictures.#RearView)", "#RearView"),
        ("(#P between :lo and :hi) and (#PC in (:cat1, :cat2))", "#P"),
        ("#4g > a", "#4g"),
        ("#_ > a", "#_"),
        ("(a)between(b.c[45].#d)and(:a)", "#d"),
    ],
)
def test_undefined_names(text: str, name: str) -> None:
    assert refusal_of_condition(text) == (
        f"An expression attribute name used in the document path is not defined; attribute name: {name}"
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("begins_with(:hello, #a, #b)", ":hello"),
        (":a < :b", ":a"),
        (":_ > a", ":_"),
        ("a = :given AND b = :b AND #c = :d", ":b"),
    ],
)
def test_undefined_values(text: str, name: str) -> None:
    assert refusal_of_condition(text, {":given": {"S": ""}}) == (
        f"An expression attribute value used in expression is not defined; attribute value: {name}"
    )


def test_paths_have_at_most_32_levels() -> None:
    values = {":v": {"S": ""}}
    assert refusal_of_condition("a" + ".b" * 31 + " = :v", values) == ""
    assert refusal_of_condition("a" + ".b" * 32 + " = :v", values) == (
        "The document path has too many nesting levels; nesting levels: 33"
    )


@pytest.mark.parametrize(
    ("text", "function", "count"),
    [
        ("attribute_exists(things, a) and a=a", "attribute_exists", 2),
        ("attribute_not_exists(things, b)", "attribute_not_exists", 2),
        ("attribute_type(things)", "attribute_type", 1),
        ("begins_with(things)", "begins_with", 1),
        ("begins_with(things, size(a), b)", "begins_with", 3),
        ("contains(things)", "contains", 1),
        ("size(things, a) > b", "size", 2),
    ],
)
def test_wrong_number_of_operands(text: str, function: str, count: int) -> None:
    assert refusal_of_condition(text) == (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {function}, number of operands: {count}"
    )


def test_in_takes_up_to_100_operands() -> None:
    values = {f":v{i}": {"N": str(i)} for i in range(101)}
    assert refusal_of_condition(f"a IN ({','.join(list(values)[:100])})", values) == ""
    assert refusal_of_condition(f"a IN ({','.join(values)})", values) == (
        "The IN operator is provided with too many operands; number of operands: 101"
    )


@pytest.mark.parametrize(
    ("text", "operator", "path"),
    [
        ("a = a AND #a = b AND :views > a", "=", "[a]"),
        ("#a <> a", "<>", "[a]"),
        ("a > #a", ">", "[a]"),
        ("((a=a) OR (a=a))", "=", "[a]"),
        ("((a=a) AND (a=a))", "=", "[a]"),
        ("contains(ab.bc[1].a, ab.bc[1].#a)", "contains", "[ab, bc, [1], a]"),
        ("attribute_type(ab.bc[1].#a, ab.bc[1].a)", "attribute_type", "[ab, bc, [1], a]"),
        ("begins_with(ab.bc[1].a, ab.bc[1].#a)", "begins_with", "[ab, bc, [1], a]"),
        ("a BETWEEN b AND #a", "BETWEEN", "[a]"),
        ("a IN (b, c, a)", "IN", "[a]"),
    ],
)
def test_an_operand_given_twice(text: str, operator: str, path: str) -> None:
    assert refusal_of_condition(text, None, {"#a": "a"}) == (
        "The first operand must be distinct from the remaining operands for this operator or function; "
        f"operator: {operator}, first operand: {path}"
    )


def test_the_same_value_twice_is_fine() -> None:
    assert refusal_of_condition(":a > :a", {":a": {"N": "1"}}) == ""


ALLOWED = {
    "begins_with(a, :a)": ("begins_with", {"S", "B"}),
    "begins_with(:a, a)": ("begins_with", {"S", "B"}),
    "size(:a) > a": ("size", {"S", "B", "SS", "NS", "BS", "L", "M"}),
    "a < :a": ("<", {"S", "N", "B"}),
    ":a <= a": ("<=", {"S", "N", "B"}),
    "a > :a": (">", {"S", "N", "B"}),
    ":a >= a": (">=", {"S", "N", "B"}),
    "a BETWEEN b AND :a": ("BETWEEN", {"S", "N", "B"}),
    ":a BETWEEN b AND c": ("BETWEEN", {"S", "N", "B"}),
    "a = :a": ("", set(VALUES_OF_ALL_TYPES)),
    "a <> :a": ("", set(VALUES_OF_ALL_TYPES)),
    "a IN (b, :a)": ("", set(VALUES_OF_ALL_TYPES)),
    "contains(a, :a)": ("", set(VALUES_OF_ALL_TYPES)),
}


@pytest.mark.parametrize("kind", VALUES_OF_ALL_TYPES)
@pytest.mark.parametrize("text", ALLOWED)
def test_types_of_values(text: str, kind: str) -> None:
    operator, allowed = ALLOWED[text]
    expected = (
        ""
        if kind in allowed
        else f"Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}"
    )
    assert refusal_of_condition(text, {":a": VALUES_OF_ALL_TYPES[kind]}) == expected


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("attribute_type(a, size(a)) and a=a", "attribute_type"),
        ("begins_with(a, size(a))", "begins_with"),
        ("size(size(a)) > b", "size"),
        ("attribute_not_exists(size(size(a)))", "size"),
    ],
)
def test_size_is_a_number(text: str, operator: str) -> None:
    assert refusal_of_condition(text) == (
        f"Incorrect operand type for operator or function; operator or function: {operator}, operand type: N"
    )


@pytest.mark.parametrize("kind", sorted(set(VALUES_OF_ALL_TYPES) - {"S"}))
def test_attribute_type_wants_a_string(kind: str) -> None:
    assert refusal_of_condition("attribute_type(a, :a)", {":a": VALUES_OF_ALL_TYPES[kind]}) == (
        f"Incorrect operand type for operator or function; operator or function: attribute_type, operand type: {kind}"
    )


def test_attribute_type_wants_the_name_of_a_type() -> None:
    assert refusal_of_condition("attribute_type(a, b)") == (
        "Incorrect operand type for operator or function; operator or function: attribute_type, "
        "operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
    )
    assert refusal_of_condition("attribute_type(a, :a)", {":a": {"S": "DOG"}}) == (
        "Invalid attribute type name found; type: DOG, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
    )
    for kind in VALUES_OF_ALL_TYPES:
        assert refusal_of_condition("attribute_type(:b, :a)", {":a": {"S": kind}, ":b": {"S": ""}}) == ""


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("attribute_exists(:a) and a=a", "attribute_exists"),
        ("attribute_not_exists(size(:a))", "attribute_not_exists"),
    ],
)
def test_functions_that_need_a_path(text: str, function: str) -> None:
    assert refusal_of_condition(text, {":a": {"S": "1"}}) == (
        f"Operator or function requires a document path; operator or function: {function}"
    )


@pytest.mark.parametrize(
    ("low", "high", "problem"),
    [
        ({"N": "1"}, {"N": "1"}, ""),
        ({"N": "2"}, {"N": "10"}, ""),
        ({"S": "10"}, {"S": "2"}, ""),
        (
            {"N": "1"},
            {"S": "a"},
            "The BETWEEN operator requires same data type for lower and upper bounds; "
            "lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}",
        ),
        (
            {"S": "b"},
            {"S": "a"},
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
            "lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}",
        ),
    ],
)
def test_bounds(low: Any, high: Any, problem: str) -> None:
    assert refusal_of_condition("a between :b and :a", {":a": high, ":b": low}) == problem


@pytest.mark.parametrize(
    ("text", "start"),
    [
        # Parentheses before functions, functions before their places, places before reserved words.
        ("((a = b)) AND nothing(status)", "The expression has redundant"),
        ("attribute_exists(a) = b AND nothing(status)", "Invalid function name"),
        ("attribute_exists(a) = status", "The function is not allowed to be used"),
        ("#undefined = :undefined AND status = b", "Attribute name is a reserved"),
        # Then condition by condition; in each, what is not defined before all else.
        ("size(a, b) = c AND #undefined = d", "Incorrect number"),
        ("begins_with(a, :n) AND a = :undefined", "Incorrect operand type"),
        ("a = :undefined AND begins_with(a, :n)", "An expression attribute value"),
        ("a = a AND size(a, b) = c", "The first operand"),
        ("begins_with(a, a, :undefined)", "An expression attribute value"),
    ],
)
def test_order(text: str, start: str) -> None:
    assert refusal_of_condition(text, {":n": {"N": "1"}}).startswith(start)


def test_what_a_condition_says_about_itself() -> None:
    condition = parse_condition("#a.b = :x AND (c > :y OR size(d[0]) = :x)", "FilterExpression", {"#a": "status"})
    assert condition.names == {"#a"}
    assert condition.values == {":x", ":y"}
    assert condition.attributes == {"status", "c", "d"}
    assert condition.nested == {"status", "d"}
    bound = condition.bind({":x": {"N": "1"}, ":y": {"N": "2"}})
    assert (bound.attributes, bound.nested) == (condition.attributes, condition.nested)
