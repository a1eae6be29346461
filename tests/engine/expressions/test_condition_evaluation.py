"""Conditions on items: what holds and what does not."""

from typing import Any

import pytest

from sekkei.engine.expressions import parse_condition

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
def test_order(name: str, lower: Any, higher: Any) -> None:
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
