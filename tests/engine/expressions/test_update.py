"""What DynamoDB refuses in an update, with its words and in its order.

Updates of items: the new item, and what ReturnValues shows of it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sekkei.engine.expressions import Updated, parse_update
from sekkei.errors import ValidationException
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


ITEM: dict[str, Any] = {
    "p": {"S": "key"},
    "s": {"S": "text"},
    "n": {"N": "5"},
    "ss": {"SS": ["a", "b"]},
    "li": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "3"}]},
    "m": {"M": {"x": {"N": "3"}, "y": {"L": [{"M": {"z": {"N": "7"}}}]}, "ns": {"NS": ["1", "2"]}}},
}


def n(number: int) -> Any:
    return {"N": str(number)}


def update(text: str, item: Any = ITEM, exists: bool = True, **values: Any) -> Updated:
    before = copy.deepcopy(item)
    given = copy.deepcopy(values)
    bound = parse_update(text).bind({f":{name}": value for name, value in values.items()})
    try:
        return bound.apply(item, exists)
    finally:
        assert (item, values) == (before, given), "an update changes neither the item nor the values it is given"


def changed(text: str, item: Any = ITEM, **values: Any) -> dict[str, Any]:
    """The attributes that differ afterwards; None for those that are gone."""
    new = update(text, item, **values).item
    assert new is not None
    return {name: new.get(name) for name in item | new if new.get(name) != item.get(name)}


def error(text: str, item: Any = ITEM, **values: Any) -> str:
    with pytest.raises(ValidationException) as caught:
        update(text, item, **values)
    return caught.value.message


MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
WRONG_PATH = "The document path provided in the update expression is invalid for update"


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("SET a = :v", {"v": n(1)}, {"a": n(1)}),
        ("SET s = :v, a = s", {"v": n(1)}, {"s": n(1), "a": {"S": "text"}}),
        ("SET a = n + :v", {"v": n(2)}, {"a": n(7)}),
        ("SET n = n - :v", {"v": n(7)}, {"n": n(-2)}),
        ("SET a = :v + :v", {"v": {"N": "1.5"}}, {"a": n(3)}),
        ("SET a = m.x + m.y[0].z", {}, {"a": n(10)}),
        ("SET a = (n + n)", {}, {"a": n(10)}),
        ("SET n = if_not_exists(n, :v)", {"v": n(1)}, {}),
        ("SET a = if_not_exists(a, :v)", {"v": n(1)}, {"a": n(1)}),
        ("SET a = if_not_exists(b, n)", {}, {"a": n(5)}),
        ("SET a = if_not_exists(n, :v) + :v", {"v": n(1)}, {"a": n(6)}),
        ("SET a = if_not_exists(b, :z) + :v", {"v": n(1), "z": n(0)}, {"a": n(1)}),
        ("SET a = if_not_exists(b, if_not_exists(c.d, if_not_exists(n, :v)))", {"v": n(1)}, {"a": n(5)}),
        ("SET a = if_not_exists(b, if_not_exists(c, :v))", {"v": n(1)}, {"a": n(1)}),
        ("SET li = list_append(li, :v)", {"v": {"L": [n(4)]}}, {"li": {"L": [n(0), n(1), n(2), n(3), n(4)]}}),
        ("SET a = list_append(:v, m.y)", {"v": {"L": [n(4)]}}, {"a": {"L": [n(4), {"M": {"z": n(7)}}]}}),
        ("SET a = list_append(if_not_exists(b, :e), :v)", {"v": {"L": [n(4)]}, "e": {"L": []}}, {"a": {"L": [n(4)]}}),
        ("REMOVE s", {}, {"s": None}),
        ("REMOVE s, gone SET a = s", {}, {"s": None, "a": {"S": "text"}}),
        ("ADD n :v", {"v": n(2)}, {"n": n(7)}),
        ("ADD a :v", {"v": n(2)}, {"a": n(2)}),
        ("ADD ss :v", {"v": {"SS": ["b", "c"]}}, {"ss": {"SS": ["a", "b", "c"]}}),
        ("ADD a :v", {"v": {"NS": ["1"]}}, {"a": {"NS": ["1"]}}),
        ("DELETE ss :v", {"v": {"SS": ["b", "z"]}}, {"ss": {"SS": ["a"]}}),
        ("DELETE ss :v", {"v": {"SS": ["b", "a"]}}, {"ss": None}),
        ("DELETE gone :v", {"v": {"SS": ["b", "a"]}}, {}),
        ("sEt a = :v", {"v": n(1)}, {"a": n(1)}),
    ],
)
def test_attributes(text: str, values: Any, expected: Any) -> None:
    assert changed(text, **values) == expected


@pytest.mark.parametrize(
    ("text", "values", "name", "expected"),
    [
        ("SET m.x = :v", {"v": n(9)}, "m", {"M": {**ITEM["m"]["M"], "x": n(9)}}),
        ("SET m.w = :v", {"v": n(9)}, "m", {"M": {**ITEM["m"]["M"], "w": n(9)}}),
        ("SET m.x = m.x + :v", {"v": n(1)}, "m", {"M": {**ITEM["m"]["M"], "x": n(4)}}),
        ("SET m.y[0].z = :v", {"v": n(9)}, "m", {"M": {**ITEM["m"]["M"], "y": {"L": [{"M": {"z": n(9)}}]}}}),
        ("SET m.y[0].w = :v", {"v": n(9)}, "m", {"M": {**ITEM["m"]["M"], "y": {"L": [{"M": {"z": n(7), "w": n(9)}}]}}}),
        ("REMOVE m.x, m.y, m.ns", {}, "m", {"M": {}}),
        ("REMOVE m.y[0].z", {}, "m", {"M": {**ITEM["m"]["M"], "y": {"L": [{"M": {}}]}}}),
        ("ADD m.x :v", {"v": n(1)}, "m", {"M": {**ITEM["m"]["M"], "x": n(4)}}),
        ("ADD m.w :v", {"v": n(1)}, "m", {"M": {**ITEM["m"]["M"], "w": n(1)}}),
        ("ADD m.ns :v", {"v": {"NS": ["2", "3"]}}, "m", {"M": {**ITEM["m"]["M"], "ns": {"NS": ["1", "2", "3"]}}}),
        ("DELETE m.ns :v", {"v": {"NS": ["2"]}}, "m", {"M": {**ITEM["m"]["M"], "ns": {"NS": ["1"]}}}),
        ("DELETE m.ns :v REMOVE m.y", {"v": {"NS": ["1", "2"]}}, "m", {"M": {"x": n(3)}}),
        ("SET li[1] = :v", {"v": n(9)}, "li", {"L": [n(0), n(9), n(2), n(3)]}),
        ("SET li[4] = :v", {"v": n(9)}, "li", {"L": [n(0), n(1), n(2), n(3), n(9)]}),
        ("SET li[99] = :v", {"v": n(9)}, "li", {"L": [n(0), n(1), n(2), n(3), n(9)]}),
        ("SET li[84] = :v, li[37] = :w", {"v": n(8), "w": n(9)}, "li", {"L": [n(0), n(1), n(2), n(3), n(9), n(8)]}),
        ("ADD li[8] :v, li[6] :w", {"v": n(8), "w": n(9)}, "li", {"L": [n(0), n(1), n(2), n(3), n(9), n(8)]}),
        ("ADD li[1] :v", {"v": n(8)}, "li", {"L": [n(0), n(9), n(2), n(3)]}),
        ("REMOVE li[1]", {}, "li", {"L": [n(0), n(2), n(3)]}),
        ("REMOVE li[0], li[2]", {}, "li", {"L": [n(1), n(3)]}),
        ("REMOVE li[1] SET li[3] = :v", {"v": n(9)}, "li", {"L": [n(0), n(2), n(9)]}),
        ("SET li[3] = :v, li[7] = :v REMOVE li[1]", {"v": n(9)}, "li", {"L": [n(0), n(2), n(9), n(9)]}),
        ("REMOVE li[0], li[1], li[2], li[3]", {}, "li", {"L": []}),
        ("SET li[0] = li[1], li[1] = li[0]", {}, "li", {"L": [n(1), n(0), n(2), n(3)]}),
    ],
)
def test_inside_documents(text: str, values: Any, name: str, expected: Any) -> None:
    assert changed(text, **values) == {name: expected}


@pytest.mark.parametrize(
    "text", ["REMOVE li[17]", "REMOVE m.gone", "REMOVE gone", "DELETE m.gone :v", "DELETE li[9] :v"]
)
def test_nothing_to_remove(text: str) -> None:
    values = {"v": {"SS": ["x"]}} if ":v" in text else {}
    assert changed(text, **values) == {}


def test_an_example_with_everything_at_once() -> None:
    item = {
        "a": {"S": "key"},
        "b": {"M": {"a": n(1), "b": n(2), "c": n(3)}},
        "c": {"L": [n(1), n(3)]},
    }
    done = update(
        "set b.c=((c[1])+(b.a)),b.a = a,c[1] = a, c[4] = b.a - b.b, c[2] = b.c add c[8] :b, c[6] :a",
        item,
        a=n(2),
        b={"SS": ["a"]},
    )
    assert done.item == {
        "a": {"S": "key"},
        "b": {"M": {"a": {"S": "key"}, "b": n(2), "c": n(4)}},
        "c": {"L": [n(1), {"S": "key"}, n(3), n(-1), n(2), {"SS": ["a"]}]},
    }
    assert done.updated_new() == {
        "b": {"M": {"a": {"S": "key"}, "c": n(4)}},
        "c": {"L": [{"S": "key"}, n(3), n(2)]},
    }


@pytest.mark.parametrize(
    "text",
    ["SET a = gone", "SET a = m.gone + :v", "SET a = :v - li[9]", "SET a = list_append(gone, :v)", "SET x = :v, y = x"],
)
def test_operands_that_are_missing(text: str) -> None:
    assert error(text, v={"L": []} if "list_append" in text else n(1)) == MISSING


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("SET a = s + :v", n(1)),
        ("SET a = :v - ss", n(1)),
        ("SET a = if_not_exists(s, :v) + :v", n(1)),
        ("SET a = list_append(s, :v)", {"L": []}),
        ("SET a = list_append(:v, m)", {"L": []}),
        ("ADD s :v", n(1)),
        ("ADD n :v", {"NS": ["1"]}),
        ("ADD ss :v", {"NS": ["1"]}),
        ("ADD ss :v", n(1)),
        ("ADD m.ns :v", {"SS": ["1"]}),
        ("ADD li :v", {"NS": ["1"]}),
        ("DELETE n :v", {"NS": ["1"]}),
        ("DELETE ss :v", {"NS": ["1"]}),
        ("DELETE m.ns :v", {"BS": ["YQ=="]}),
        ("DELETE m :v", {"NS": ["1"]}),
    ],
)
def test_operands_of_the_wrong_type(text: str, value: Any) -> None:
    assert error(text, v=value) == WRONG_TYPE


@pytest.mark.parametrize(
    "path", ["s.a", "s[1]", "gone.a", "gone[1]", "m[1]", "li.a", "m.x.y", "m.gone.x", "li[9].a", "li[9][0]"]
)
@pytest.mark.parametrize("action", ["SET {} = :v, z = :v", "REMOVE {} SET z = :v", "ADD {} :v", "DELETE {} :v"])
def test_paths_that_lead_nowhere(path: str, action: str) -> None:
    assert error(action.format(path), v={"SS": ["a"]}) == WRONG_PATH


def test_operands_are_computed_before_paths_are_walked() -> None:
    assert error("REMOVE gone.a SET z = gone") == MISSING
    assert error("SET gone.a = gone") == MISSING


OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"


@pytest.mark.parametrize(
    ("left", "operator", "right", "result"),
    [
        ("1", "+", "1" + "0" * 22, "1" + "0" * 21 + "1"),
        ("1" + "0" * 22, "-", "1", "9" * 22),
        ("0.1", "+", "0.2", "0.3"),
        ("-5", "+", "5", "0"),
        ("5", "-", "7.5", "-2.5"),
        ("9" * 37, "+", "1", "1" + "0" * 37),
        ("9" * 38, "+", "1", "1" + "0" * 38),
        ("9" * 38, "-", "9" * 38, "0"),
        ("9" + "0" * 125, "+", "9" + "0" * 124, "99" + "0" * 124),
        ("9" + "0" * 125, "+", "9" + "0" * 125, OVERFLOW),
        ("9" + "0" * 125, "-", "-9" + "0" * 125, OVERFLOW),
        ("1" + "0" * 50, "+", "1", OVERFLOW),
        ("1" + "0" * 50, "-", "1", OVERFLOW),
        ("9" * 38, "+", "0.1", OVERFLOW),
    ],
)
def test_arithmetic(left: str, operator: str, right: str, result: str) -> None:
    item = {"p": {"S": "key"}, "l": {"N": left}}
    text = f"SET a = l {operator} :r"
    if result == OVERFLOW:
        assert error(text, item, r={"N": right}) == OVERFLOW
    else:
        assert changed(text, item, r={"N": right}) == {"a": {"N": result}}
    if operator == "+" and result == OVERFLOW:
        assert error("ADD l :r", item, r={"N": right}) == OVERFLOW


def test_underflow() -> None:
    tiny = {"p": {"S": "key"}, "l": {"N": "0." + "0" * 129 + "1"}}
    assert error("SET a = l - :r", tiny, r={"N": "0." + "0" * 129 + "11"}) == (
        "Number underflow. Attempting to store a number with magnitude smaller than supported range"
    )
    assert changed("SET l = l - l", tiny) == {"l": n(0)}


def test_documents_do_not_grow_without_end() -> None:
    item: Any = {"p": {"S": "key"}, "b": {"M": {}}}
    for _ in range(31):
        item = update("SET b.x = b", item).item
    assert error("SET b.x = b", item).startswith("Nesting Levels have exceeded supported limits")


@pytest.mark.parametrize(
    ("text", "values", "old", "new"),
    [
        ("SET s = :v, a = :v", {"v": n(1)}, {"s": {"S": "text"}}, {"s": n(1), "a": n(1)}),
        ("REMOVE s", {}, {"s": {"S": "text"}}, {}),
        ("REMOVE gone", {}, {}, {}),
        ("SET m.x = :v", {"v": n(1)}, {"m": {"M": {"x": n(3)}}}, {"m": {"M": {"x": n(1)}}}),
        ("SET m.w = :v", {"v": n(1)}, {}, {"m": {"M": {"w": n(1)}}}),
        ("SET li[1] = :v", {"v": n(9)}, {"li": {"L": [n(1)]}}, {"li": {"L": [n(9)]}}),
        (
            "SET li[3] = :v, li[1] = :v",
            {"v": n(9)},
            {"li": {"L": [n(1), n(3)]}},
            {"li": {"L": [n(9), n(9)]}},
        ),
        # A list that got shorter shows what has moved there; one that was extended past its end shows nothing.
        ("REMOVE li[1], li[9]", {}, {"li": {"L": [n(1)]}}, {"li": {"L": [n(2)]}}),
        ("SET li[100] = :v", {"v": n(9)}, {}, {}),
        ("DELETE ss :v", {"v": {"SS": ["a", "b"]}}, {"ss": {"SS": ["a", "b"]}}, {}),
        (
            "SET m.y[0].z = :v, m.x = :v",
            {"v": n(1)},
            {"m": {"M": {"y": {"L": [{"M": {"z": n(7)}}]}, "x": n(3)}}},
            {"m": {"M": {"y": {"L": [{"M": {"z": n(1)}}]}, "x": n(1)}}},
        ),
    ],
)
def test_return_values(text: str, values: Any, old: Any, new: Any) -> None:
    done = update(text, **values)
    assert done.updated_old() == old
    assert done.updated_new() == new


KEY = {"p": {"S": "key"}}


def test_an_item_is_created() -> None:
    done = update("SET a = :v, b = p ADD c :v DELETE d :s REMOVE e", KEY, exists=False, v=n(1), s={"SS": ["x"]})
    assert done.item == {**KEY, "a": n(1), "b": KEY["p"], "c": n(1)}
    assert done.updated_old() == {}
    assert done.updated_new() == {"a": n(1), "b": KEY["p"], "c": n(1)}


@pytest.mark.parametrize("text", ["REMOVE a", "REMOVE a.b", "REMOVE a[0]", "DELETE a :s", "DELETE a.b :s REMOVE c"])
def test_no_item_is_created_by_removing(text: str) -> None:
    values = {"s": {"SS": ["x"]}} if ":s" in text else {}
    done = update(text, KEY, exists=False, **values)
    assert (done.item, done.updated_old(), done.updated_new()) == (None, {}, {})


def test_a_path_into_an_item_that_is_not_there() -> None:
    with pytest.raises(ValidationException, match=WRONG_PATH):
        update("SET a.b = :v", KEY, exists=False, v=n(1))


def test_names_with_dots_are_one_attribute() -> None:
    new = parse_update("SET #a = :v", {"#a": "a.b"}).bind({":v": n(1)}).apply(KEY).item
    assert new == {**KEY, "a.b": n(1)}


def test_the_new_item_shares_what_did_not_change() -> None:
    new = update("SET m.x = :v", v=n(1)).item
    assert new is not None
    assert new["li"] is ITEM["li"]
    assert new["m"]["M"]["y"] is ITEM["m"]["M"]["y"]
