"""What DynamoDB refuses in a condition, with its words and in its order.

Conditions on items: what holds and what does not."""

from __future__ import annotations

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


ITEM: dict[str, Any] = {
    "s": {"S": "hello"},
    "n": {"N": "5"},
    "b": {"B": "aGkgdGhlcmU="},  # hi there
    "yes": {"BOOL": True},
    "nil": {"NULL": True},
    "ss": {"SS": ["dog", "cat"]},
    "ns": {"NS": ["2", "4", "7"]},
    "bs": {"BS": ["eHl6", "aGk="]},
    "li": {"L": [{"N": "2"}, {"S": "dog"}, {"NS": ["1", "2"]}, {"L": [{"N": "3"}]}]},
    "m": {"M": {"x": {"N": "2"}, "y": {"L": [{"N": "1"}, {"M": {"z": {"S": "deep"}}}]}, "set": {"SS": ["g", "h"]}}},
    "blank": {"S": ""},
    "wide": {"S": "é𝄞"},
    "five": {"N": "5"},
}


def holds(text: str, **values: Any) -> bool:
    return parse_condition(text).bind({f":{name}": value for name, value in values.items()}).matches(ITEM)


@pytest.mark.parametrize("name", ITEM)
def test_equality_of_every_type(name: str) -> None:
    value = ITEM[name]
    assert holds(f"{name} = :v", v=value)
    assert not holds(f"{name} <> :v", v=value)
    assert holds(f"{name} IN (gone, :v)", v=value)
    for other_name, other in ITEM.items():
        if other != value:
            assert not holds(f"{name} = :v", v=other), other_name
            assert holds(f"{name} <> :v", v=other), other_name
            assert not holds(f"{name} IN (:v)", v=other), other_name


def test_sets_have_no_order_however_deep() -> None:
    assert holds("ss = :v", v={"SS": ["cat", "dog"]})
    assert not holds("ss <> :v", v={"SS": ["cat", "dog"]})
    assert holds("m = :v", v={"M": {**ITEM["m"]["M"], "set": {"SS": ["h", "g"]}}})
    assert not holds("m = :v", v={"M": {**ITEM["m"]["M"], "set": {"SS": ["h", "bad"]}}})


def test_what_is_missing() -> None:
    value = {"N": "1"}
    assert not holds("gone = :v", v=value)
    assert not holds("gone = away")
    assert holds("gone <> :v", v=value)
    assert holds("gone <> away")
    assert holds("size(n) <> :v", v=value)
    for text in ("gone < :v", "gone > :v", "gone <= away", "gone >= away", ":v < gone", "gone BETWEEN away AND lost"):
        assert not holds(text, v=value), text
    assert not holds("gone IN (:v, away)", v=value)
    assert not holds("n IN (gone)")
    assert not holds("contains(gone, :v)", v=value)
    assert not holds("begins_with(gone, :v)", v={"S": ""})
    assert not holds("attribute_type(gone, :v)", v={"S": "N"})
    assert not holds("size(gone) = :v", v=value)


@pytest.mark.parametrize(
    ("name", "lower", "higher"),
    [
        ("s", {"S": "aardvark"}, {"S": "hellp"}),
        ("n", {"N": "-10"}, {"N": "10"}),
        ("n", {"N": "4.99999999999999999999999999999999999"}, {"N": "5.00000000000000000000000000000000001"}),
        ("b", {"B": "aGg="}, {"B": "/w=="}),
    ],
)
def test_values_are_compared_by_order(name: str, lower: Any, higher: Any) -> None:
    same = ITEM[name]
    for operator, of_lower, of_same, of_higher in (
        ("<", False, False, True),
        ("<=", False, True, True),
        (">", True, False, False),
        (">=", True, True, False),
    ):
        assert holds(f"{name} {operator} :v", v=lower) is of_lower
        assert holds(f"{name} {operator} :v", v=same) is of_same
        assert holds(f"{name} {operator} :v", v=higher) is of_higher
    assert holds(f"{name} BETWEEN :l AND :h", l=lower, h=higher)
    assert holds(f"{name} BETWEEN :l AND :h", l=same, h=same)
    assert not holds(f"{name} BETWEEN :l AND :h", l=lower, h=lower)
    assert not holds(f"{name} BETWEEN :l AND :h", l=higher, h=higher)


def test_there_is_no_order_between_types_nor_in_documents() -> None:
    for operator in ("<", "<=", ">", ">="):
        assert not holds(f"n {operator} :v", v={"S": "5"})
        assert not holds(f"li {operator} :v", v={"N": "1"})
        assert not holds(f"m {operator} li")
        assert not holds(f"yes {operator} nil")
    assert not holds("n BETWEEN :l AND :h", l={"S": "0"}, h={"S": "9"})
    assert not holds("n BETWEEN five AND :h", h={"S": "9"})
    # Bounds that come from the item may be in the wrong order; then nothing lies between them.
    assert not holds("n BETWEEN five AND m.x")


def test_begins_with() -> None:
    assert holds("begins_with(s, :v)", v={"S": "hell"})
    assert holds("begins_with(s, :v)", v={"S": ""})
    assert not holds("begins_with(s, :v)", v={"S": "ello"})
    assert holds("begins_with(b, :v)", v={"B": "aGk="})
    assert not holds("begins_with(b, :v)", v={"S": "hi"})
    assert not holds("begins_with(n, :v)", v={"S": "5"})
    assert holds("begins_with(:v, s)", v={"S": "hello, hello"})
    assert holds("begins_with(s, blank)")


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("s", {"S": "ell"}, {"S": "elo"}),
        ("s", {"S": ""}, {"N": "5"}),
        ("b", {"B": "aGVyZQ=="}, {"B": "ZG9n"}),
        ("ss", {"S": "dog"}, {"S": "do"}),
        ("ns", {"N": "4"}, {"S": "4"}),
        ("bs", {"B": "aGk="}, {"S": "aGk="}),
        ("li", {"S": "dog"}, {"S": "do"}),
        ("li", {"NS": ["2", "1"]}, {"NS": ["1"]}),
        ("li", {"L": [{"N": "3"}]}, {"N": "3"}),
    ],
)
def test_contains(name: str, inside: Any, outside: Any) -> None:
    assert holds(f"contains({name}, :v)", v=inside)
    assert not holds(f"contains({name}, :v)", v=outside)


@pytest.mark.parametrize("name", ["n", "yes", "nil", "m"])
def test_what_contains_nothing(name: str) -> None:
    for value in ({"S": "x"}, {"N": "5"}, {"BOOL": True}):
        assert not holds(f"contains({name}, :v)", v=value)


@pytest.mark.parametrize(
    ("name", "size"),
    [("s", 5), ("wide", 3), ("b", 8), ("ss", 2), ("ns", 3), ("bs", 2), ("li", 4), ("m", 3), ("blank", 0)],
)
def test_size(name: str, size: int) -> None:
    assert holds(f"size({name}) = :v", v={"N": str(size)})
    assert holds(f"size({name}) < :v", v={"N": str(size + 1)})
    assert holds(f":v < size({name})", v={"N": str(size - 1)})
    assert not holds(f"size({name}) = :v", v={"S": str(size)})


def test_size_elsewhere() -> None:
    assert holds("size(s) = n")
    assert holds("size(:v) = :n", v={"S": "abc"}, n={"N": "3"})
    assert holds("size(m.y) = m.x")
    for name in ("n", "yes", "nil", "gone"):
        assert not holds(f"size({name}) = :v", v={"N": "1"})
        assert not holds(f"size({name}) > :v", v={"N": "-1"})


@pytest.mark.parametrize("name", ITEM)
def test_attribute_type(name: str) -> None:
    kind = next(iter(ITEM[name]))
    for other in ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"):
        assert holds(f"attribute_type({name}, :v)", v={"S": other}) is (kind == other)
    assert holds("attribute_type(:x, :v)", x=ITEM[name], v={"S": kind})


@pytest.mark.parametrize(
    ("path", "exists"),
    [
        ("s", True),
        ("nil", True),
        ("gone", False),
        ("m.x", True),
        ("m.y[1].z", True),
        ("(m.y)[1].z", True),
        ("m.y[2]", False),
        ("m.y.z", False),
        ("m[0]", False),
        ("li[0]", True),
        ("li[4]", False),
        ("li.a", False),
        ("s.a", False),
        ("s[0]", False),
        ("gone.a[0]", False),
        ("ss[0]", False),
    ],
)
def test_existence(path: str, exists: bool) -> None:
    assert holds(f"attribute_exists({path})") is exists
    assert holds(f"attribute_not_exists({path})") is not exists


def test_paths() -> None:
    assert holds("m.y[1].z = :v", v={"S": "deep"})
    assert holds("m.y[0] < m.x")
    assert not holds("m.x < m.y[0]")
    assert not holds("m.z < m.y[100]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n = five AND s <> blank", True),
        ("n = five AND s = blank", False),
        ("n = gone OR s <> blank", True),
        ("n = five OR s = blank AND s = gone", True),
        ("(n = five OR s = blank) AND s = gone", False),
        ("NOT n = five OR n = five", True),
        ("NOT (n = five OR n = five)", False),
        ("NOT n = gone AND n = gone", False),
        ("NOT NOT n = five", True),
        ("NOT (NOT (NOT n = five))", False),
        ("n BETWEEN m.x AND five AND s <> blank", True),
        ("n = five AND n = five AND n = gone", False),
        ("n = gone OR n = gone OR n = five", True),
        ("attribute_exists(n) AND NOT contains(s, blank)", False),
    ],
)
def test_logic(text: str, expected: bool) -> None:
    assert holds(text) is expected


def test_deep_logic_is_evaluated() -> None:
    text = "n = gone or (n = five and not (" * 49 + "n = gone" + "))" * 49
    assert isinstance(holds(text), bool)
    assert holds("n = gone or (" * 149 + "n = five" + ")" * 149)
    assert holds("NOT (" * 298 + "n = five" + ")" * 298)


def test_an_absent_item_has_no_attributes() -> None:
    condition = parse_condition("attribute_not_exists(pk) AND #s <> :v", "ConditionExpression", {"#s": "status"})
    assert condition.bind({":v": {"S": "working"}}).matches({})


def test_values_of_one_request_stay_apart_from_those_of_another() -> None:
    condition = parse_condition("n = :v")
    one, two = condition.bind({":v": {"N": "5"}}), condition.bind({":v": {"N": "6"}})
    assert (one.matches(ITEM), two.matches(ITEM)) == (True, False)


def test_names_of_one_request_stay_apart_from_those_of_another() -> None:
    def matches(**names: str) -> bool:
        given = {f"#{placeholder}": name for placeholder, name in names.items()}
        return parse_condition("#a = #b", "ConditionExpression", given).bind().matches(ITEM)

    assert matches(a="n", b="five")
    assert not matches(a="five", b="s")
    assert matches(b="n", a="five", unused="x")
    long_name = "x" * 10_000
    item = {long_name: {"S": "1"}, "y": {"S": "1"}}
    assert parse_condition("#a = y", "ConditionExpression", {"#a": long_name}).bind().matches(item)


def test_a_name_with_a_dot_is_one_name() -> None:
    item: Any = {"a.b": {"N": "1"}, "a": {"M": {"b": {"N": "2"}}}}
    condition = parse_condition("#x = :one AND a.b = :two", "ConditionExpression", {"#x": "a.b"})
    assert condition.bind({":one": {"N": "1"}, ":two": {"N": "2"}}).matches(item)
