"""Projections: what is refused, and which parts of an item come back."""

import copy
from typing import Any

import pytest

from sekkei.engine.expressions import parse_projection
from tests.engine.expressions.refusals import of_projection

ITEM: dict[str, Any] = {
    "a": {"M": {"b": {"L": [{"N": "2"}, {"N": "4"}, {"M": {"x": {"S": "hi"}, "y": {"S": "yo"}}}]}, "c": {"N": "5"}}},
    "d": {"S": "six"},
    "e": {"SS": ["1"]},
    "f": {"L": [{"S": "0"}, {"S": "1"}, {"S": "2"}]},
    "a.b": {"S": "dotted"},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("d", {"d": {"S": "six"}}),
        ("d, e", {"d": {"S": "six"}, "e": {"SS": ["1"]}}),
        ("gone", {}),
        ("d, gone", {"d": {"S": "six"}}),
        ("a", {"a": ITEM["a"]}),
        ("a.b", {"a": {"M": {"b": ITEM["a"]["M"]["b"]}}}),
        ("a.b[0]", {"a": {"M": {"b": {"L": [{"N": "2"}]}}}}),
        ("a.b[2].y", {"a": {"M": {"b": {"L": [{"M": {"y": {"S": "yo"}}}]}}}}),
        ("f[2], f[0]", {"f": {"L": [{"S": "0"}, {"S": "2"}]}}),
        ("f[1], f[9]", {"f": {"L": [{"S": "1"}]}}),
        ("f[9]", {}),
        ("a.c, a.b[1], d", {"a": {"M": {"c": {"N": "5"}, "b": {"L": [{"N": "4"}]}}}, "d": {"S": "six"}}),
        ("a.b[2].x, a.b[2].y", {"a": {"M": {"b": {"L": [{"M": {"x": {"S": "hi"}, "y": {"S": "yo"}}}]}}}}),
        ("a.x", {}),
        ("a[0]", {}),
        ("f.x", {}),
        ("d.x, d1[0]", {}),
        ("a.b[2].z, a.b[0].x", {}),
    ],
)
def test_parts(text: str, expected: Any) -> None:
    before = copy.deepcopy(ITEM)
    assert parse_projection(text).project(ITEM) == expected
    assert before == ITEM


def test_names() -> None:
    projection = parse_projection("#a.#b[0], #ab", {"#a": "a", "#b": "b", "#ab": "a.b", "#other": "x"})
    assert projection.project(ITEM) == {"a": {"M": {"b": {"L": [{"N": "2"}]}}}, "a.b": {"S": "dotted"}}
    assert projection.names == {"#a", "#b", "#ab"}
    assert projection.values == frozenset()
    assert projection.attributes == {"a", "a.b"}
    assert projection.nested == {"a"}


@pytest.mark.parametrize(("text", "word"), [("a.abORt", "abORt"), ("#a,ABSoLUTE", "ABSoLUTE"), ("a, name", "name")])
def test_reserved_words(text: str, word: str) -> None:
    assert of_projection(text) == (
        f"Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: {word}"
    )


def test_undefined_names() -> None:
    assert of_projection("a,b,a,#a", {"#b": "b"}) == (
        "Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; "
        "attribute name: #a"
    )


def test_depth() -> None:
    assert of_projection("a" + ".b" * 31) == ""
    assert of_projection("a" + ".b" * 32) == (
        "Invalid ProjectionExpression: The document path has too many nesting levels; nesting levels: 33"
    )


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("b[1], b.a, #a.b, a", "[a, b]", "[a]"),
        ("a, #a[1]", "[a]", "[a, [1]]"),
        ("a, a.b", "[a]", "[a, b]"),
        ("a.b, a", "[a, b]", "[a]"),
        ("a, a", "[a]", "[a]"),
        ("a[0], a[0].b", "[a, [0]]", "[a, [0], b]"),
        ("c, a.b[0], d, a.b[0]", "[a, b, [0]]", "[a, b, [0]]"),
    ],
)
def test_overlaps(text: str, one: str, two: str) -> None:
    assert of_projection(text, {"#a": "a"}) == (
        "Invalid ProjectionExpression: Two document paths overlap with each other; "
        f"must remove or rewrite one of these paths; path one: {one}, path two: {two}"
    )


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("a.b, #a[1], #b", "[a, b]", "[a, [1]]"),
        ("a.b[1], #a[1], #b", "[a, b, [1]]", "[a, [1]]"),
        ("a[3].b, #a.#b.b", "[a, [3], b]", "[a, [3], b]"),
    ],
)
def test_conflicts(text: str, one: str, two: str) -> None:
    assert of_projection(text, {"#a": "a", "#b": "[3]"}) == (
        "Invalid ProjectionExpression: Two document paths conflict with each other; "
        f"must remove or rewrite one of these paths; path one: {one}, path two: {two}"
    )


def test_siblings_are_fine() -> None:
    assert of_projection("a.b, a.c, d[0], d[1], e.f[0].g, e.f[0].h, e.i") == ""


def test_many_paths_are_checked_quickly() -> None:
    assert of_projection(",".join(f"a{i}" for i in range(600))) == ""
    assert of_projection(",".join(f"a.b.c[{i}]" for i in range(300))) == ""
    assert "overlap" in of_projection(",".join(["a"] * 2048))
