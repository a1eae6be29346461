"""What DynamoDB refuses in an update, with its words and in its order."""

from typing import Any

import pytest

from sekkei.engine.expressions import parse_update
from tests.engine.expressions.refusals import of_update

VALUES: dict[str, Any] = {
    ":s": {"S": "a"},
    ":n": {"N": "1"},
    ":b": {"B": "YQ=="},
    ":bool": {"BOOL": True},
    ":null": {"NULL": True},
    ":ss": {"SS": ["a"]},
    ":ns": {"NS": ["1"]},
    ":bs": {"BS": ["YQ=="]},
    ":m": {"M": {}},
    ":l": {"L": []},
}
LONG_TYPES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}


def refusal_of_update(text: str, values: Any = VALUES, names: Any = None) -> str:
    return of_update(text, values, names).removeprefix("Invalid UpdateExpression: ")


@pytest.mark.parametrize(
    ("text", "word"), [(" set #c = :c set abOrt = true ", "abOrt"), (" remove Absolute ", "Absolute")]
)
def test_reserved_words(text: str, word: str) -> None:
    assert refusal_of_update(text) == f"Attribute name is a reserved keyword; reserved keyword: {word}"


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("set #c = if_not_exist(:c) set c = d", "if_not_exist"),
        ("SET a = LIST_APPEND(:l, :l)", "LIST_APPEND"),
        ("SET a = f123_hi(b,c,d)", "f123_hi"),
    ],
)
def test_unknown_functions(text: str, function: str) -> None:
    assert refusal_of_update(text) == f"Invalid function name; function: {function}"


@pytest.mark.parametrize("function", ["size", "contains", "attribute_exists"])
def test_functions_of_conditions(function: str) -> None:
    assert refusal_of_update(f"SET a = {function}(b)") == (
        f"The function is not allowed in an update expression; function: {function}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "SET a = list_append(list_append(:l, :l), :l)",
        "SET a = if_not_exists(a, list_append(:l, :l))",
    ],
)
def test_functions_in_the_wrong_place(text: str) -> None:
    assert refusal_of_update(text) == (
        "The function is not allowed to be used this way in an expression; function: list_append"
    )


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("set a = #c set c = :d", "SET"),
        ("remove #d set a = b remove e", "REMOVE"),
        ("add #d :e set a = b add e :f", "ADD"),
        ("delete #d :e set a = b delete #e :f", "DELETE"),
    ],
)
def test_repeated_sections(text: str, section: str) -> None:
    assert refusal_of_update(text) == f'The "{section}" section can only be used once in an update expression;'


def test_undefined_placeholders() -> None:
    assert refusal_of_update("SET #c = if_not_exists(:c)") == (
        "An expression attribute name used in the document path is not defined; attribute name: #c"
    )
    assert refusal_of_update("SET #a = if_not_exists(:c)", names={"#a": "a"}) == (
        "An expression attribute value used in expression is not defined; attribute value: :c"
    )
    assert refusal_of_update("SET a = :x", None) == (
        "An expression attribute value used in expression is not defined; attribute value: :x"
    )
    # Names are looked for in the whole text before any value.
    assert refusal_of_update("SET a = :undefined, b = #undefined").endswith("attribute name: #undefined")


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)", "[c, [1], a]", "[c]"),
        ("set #c[3].#d = a, #c[3] = a", "[c, [3], [3]]", "[c, [3]]"),
        ("SET a = :s, a = :n", "[a]", "[a]"),
        ("SET a = :s REMOVE a", "[a]", "[a]"),
        ("REMOVE a, b.c SET b = :s", "[b, c]", "[b]"),
        ("SET some_thing = :s REMOVE some_thing.nested.hello", "[some_thing]", "[some_thing, nested, hello]"),
        ("ADD a.b :n DELETE a.b :ss", "[a, b]", "[a, b]"),
        ("SET a[1][1][1][1] = :s, a[1][1] = :s", "[a, [1], [1], [1], [1]]", "[a, [1], [1]]"),
    ],
)
def test_overlaps(text: str, one: str, two: str) -> None:
    assert refusal_of_update(text, names={"#c": "c", "#d": "[3]"}) == (
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        f"path one: {one}, path two: {two}"
    )


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("set #c[3].#d = a, #c.#d[3] = if_not_exists(a)", "[c, [3], [3]]", "[c, [3], [3]]"),
        ("remove a.#c set a[1] = #d", "[a, c]", "[a, [1]]"),
        ("SET a.b.c = :s, a.b[2] = :s", "[a, b, c]", "[a, b, [2]]"),
    ],
)
def test_conflicts(text: str, one: str, two: str) -> None:
    assert refusal_of_update(text, names={"#c": "c", "#d": "[3]"}) == (
        "Two document paths conflict with each other; must remove or rewrite one of these paths; "
        f"path one: {one}, path two: {two}"
    )


@pytest.mark.parametrize("placeholder", VALUES)
@pytest.mark.parametrize("section", ["ADD", "DELETE"])
def test_operands_of_add_and_delete(section: str, placeholder: str) -> None:
    kind = next(iter(VALUES[placeholder]))
    fine = kind in ("SS", "NS", "BS") or (kind == "N" and section == "ADD")
    expected = (
        ""
        if fine
        else f"Incorrect operand type for operator or function; operator: {section}, "
        f"operand type: {LONG_TYPES[kind]}, typeSet: ALLOWED_FOR_{section}_OPERAND"
    )
    assert refusal_of_update(f"{section} a.b {placeholder}") == expected


@pytest.mark.parametrize("function", ["if_not_exists", "list_append"])
@pytest.mark.parametrize(("operands", "count"), [("c", 1), ("c, :l, d", 3)])
def test_wrong_number_of_operands(function: str, operands: str, count: int) -> None:
    assert refusal_of_update(f"set a = {function}({operands})") == (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {function}, number of operands: {count}"
    )


@pytest.mark.parametrize("first", [":s", "if_not_exists(a, b)"])
def test_if_not_exists_needs_a_path(first: str) -> None:
    assert refusal_of_update(f"set a = if_not_exists({first}, c)") == (
        "Operator or function requires a document path; operator or function: if_not_exists"
    )


def test_if_not_exists_needs_two_different_paths() -> None:
    assert refusal_of_update("set a = if_not_exists(b.c, b.#c)", names={"#c": "c"}) == (
        "The first operand must be distinct from the remaining operands for this operator or function; "
        "operator: if_not_exists, first operand: [b, c]"
    )


@pytest.mark.parametrize("placeholder", VALUES)
@pytest.mark.parametrize(
    ("text", "operator", "wanted"),
    [
        ("set a = b + {}", "+", "N"),
        ("set a = {} + b", "+", "N"),
        ("set a = b - {}", "-", "N"),
        ("set a = {} - {}", "-", "N"),
        ("set a = list_append({}, a)", "list_append", "L"),
        ("set a = list_append(a, {})", "list_append", "L"),
    ],
)
def test_types_of_operands(text: str, operator: str, wanted: str, placeholder: str) -> None:
    kind = next(iter(VALUES[placeholder]))
    expected = (
        ""
        if kind == wanted
        else f"Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}"
    )
    assert refusal_of_update(text.replace("{}", placeholder)) == expected


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("SET status = nothing(a) SET b = :s", "Attribute name is a reserved"),
        ("SET a = nothing(a) SET b = :s", "Invalid function name"),
        ("SET #undefined = :s SET b = :s", 'The "SET" section'),
        ("SET a = :undefined, a = :s", "An expression attribute value"),
        ("SET a = :s, a = :s ADD b :s", "Two document paths overlap"),
        (
            "SET b = list_append(:s, a), c = if_not_exists(a) ADD a.b :s",
            "Incorrect operand type for operator or function; operator: ADD",
        ),
        ("SET b = list_append(:s, a), c = if_not_exists(a)", "Incorrect operand type"),
    ],
)
def test_order(text: str, start: str) -> None:
    assert refusal_of_update(text).startswith(start)


def test_what_an_update_says_about_itself() -> None:
    update = parse_update("SET #a.b = :x, c = d[0] REMOVE e ADD f :n", {"#a": "a"})
    assert update.names == {"#a"}
    assert update.values == {":x", ":n"}
    assert update.attributes == {"a", "c", "d", "e", "f"}
    assert update.nested == {"a", "d"}
    assert update.changed == ("a", "c", "e", "f")
    bound = update.bind({":x": {"S": ""}, ":n": {"N": "1"}})
    assert (bound.attributes, bound.nested, bound.changed) == (update.attributes, update.nested, update.changed)


def test_many_actions_are_checked_quickly() -> None:
    assert refusal_of_update("REMOVE " + ",".join(f"a{i}" for i in range(600))) == ""
    assert refusal_of_update("SET " + ",".join(f"a{i}=:n" for i in range(450))) == ""
