"""Conditions and updates agree with a plain reference, nothing given is changed, no text breaks a parser."""

from __future__ import annotations

import base64
import copy
from contextlib import suppress
from itertools import combinations
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sekkei.engine.expressions import (
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
)
from sekkei.errors import ValidationException
from tests.engine.expressions import reference
from tests.engine.expressions.reference import MISSING, Operand

# Values from small domains, so that they meet each other

texts = st.sampled_from(["", "a", "ab", "b", "é", "𝄞a"])
number_texts = st.integers(-3, 12).map(str)
binaries = st.sampled_from([b"", b"a", b"ab", b"\x80"]).map(lambda raw: base64.b64encode(raw).decode())
scalars = st.one_of(
    texts.map(lambda text: {"S": text}), number_texts.map(lambda text: {"N": text}), binaries.map(lambda b: {"B": b})
)
leaves = st.one_of(
    scalars,
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.just({"NULL": True}),
    st.lists(texts, min_size=1, unique=True).map(lambda members: {"SS": members}),
    st.lists(number_texts, min_size=1, unique=True).map(lambda members: {"NS": members}),
    st.lists(binaries, min_size=1, unique=True).map(lambda members: {"BS": members}),
)
names = st.sampled_from(["a", "b", "c", "x"])
documents: st.SearchStrategy[Any] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda members: {"L": members}),
        st.dictionaries(names, inner, max_size=3).map(lambda members: {"M": members}),
    ),
    max_leaves=6,
)
items = st.dictionaries(names, documents, max_size=4)
paths = st.builds(lambda head, tail: (head, *tail), names, st.lists(st.one_of(names, st.integers(0, 3)), max_size=2))


def path_text(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


# Conditions


class Conditions:
    """Draws conditions as text, together with a function that evaluates them the plain way."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        self.values: dict[str, Any] = {}

    def operand(self, values: st.SearchStrategy[Any]) -> Operand:
        if self._data.draw(st.booleans()):
            path = self._data.draw(paths)
            return Operand(path_text(path), path=path)
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value = self._data.draw(values)
        return Operand(placeholder, value=value)

    def size(self) -> Operand:
        path = self._data.draw(paths)
        return Operand(f"size({path_text(path)})", path=path, is_size=True)

    def single(self) -> tuple[str, Any]:
        operator = self._data.draw(
            st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN", "begins_with", "contains", "size"])
        )
        if operator == "size":
            comparator = self._data.draw(st.sampled_from(["=", "<>", "<", ">="]))
            operands = [self.size(), self.operand(scalars)]
            return f"{operands[0].text} {comparator} {operands[1].text}", (comparator, operands)
        allowed = {
            "begins_with": scalars.filter(lambda value: "N" not in value),
            **dict.fromkeys(("=", "<>", "IN", "contains"), documents),
        }.get(operator, scalars)
        count = {"BETWEEN": 3, "IN": self._data.draw(st.integers(2, 4))}.get(operator, 2)
        operands = [self.operand(allowed) for _ in range(count)]
        first, *others = [operand.text for operand in operands]
        if operator == "BETWEEN":
            text = f"{first} BETWEEN {others[0]} AND {others[1]}"
        elif operator == "IN":
            text = f"{first} IN ({', '.join(others)})"
        elif operator in ("begins_with", "contains"):
            text = f"{operator}({first}, {others[0]})"
        else:
            text = f"{first}{operator}{others[0]}"
        return text, (operator, operands)

    def tree(self, depth: int) -> tuple[str, Any]:
        form = self._data.draw(st.sampled_from(["single", "single", "AND", "OR", "NOT"])) if depth else "single"
        if form == "single":
            return self.single()
        if form == "NOT":
            text, node = self.tree(depth - 1)
            return f"NOT ({text})", ("NOT", node)
        parts = [self.tree(depth - 1) for _ in range(self._data.draw(st.integers(2, 3)))]
        return f" {form} ".join(f"({text})" for text, _ in parts), (form, [node for _, node in parts])


def plainly(node: Any, item: Any) -> bool:
    operator, parts = node
    if operator == "NOT":
        return not plainly(parts, item)
    if operator == "AND":
        return all(plainly(part, item) for part in parts)
    if operator == "OR":
        return any(plainly(part, item) for part in parts)
    return reference.compare(operator, [operand.on(item) for operand in parts])


@settings(max_examples=200, deadline=None)
@given(st.data(), items)
def test_conditions_agree_with_the_reference(data: st.DataObject, item: Any) -> None:
    drawn = Conditions(data)
    text, node = drawn.tree(3)
    before = copy.deepcopy(item)
    try:
        condition = parse_condition(text, "FilterExpression").bind(drawn.values)
    except ValidationException:
        # Bounds in the wrong order, or an operand beside itself; what is refused has tests of its own.
        assume(False)
        raise
    assert condition.matches(item) is plainly(node, item)
    assert item == before


@given(st.lists(st.booleans(), min_size=2, max_size=7), st.data())
def test_not_binds_before_and_before_or(truths: list[bool], data: st.DataObject) -> None:
    words = [f"{'NOT ' * data.draw(st.integers(0, 2))}v{index} = :t" for index in range(len(truths))]
    joints = [data.draw(st.sampled_from([" AND ", " OR "])) for _ in truths[1:]]
    text = words[0] + "".join(joint + word for joint, word in zip(joints, words[1:], strict=True))
    item = {f"v{index}": {"BOOL": truth} for index, truth in enumerate(truths)}
    in_python = text.lower().replace(" = :t", "")
    expected = eval(in_python, {}, {name: value["BOOL"] for name, value in item.items()})
    assert parse_condition(text).bind({":t": {"BOOL": True}}).matches(item) is expected


# Updates

numbers_and_sets = st.one_of(
    number_texts.map(lambda text: {"N": text}),
    st.lists(texts, min_size=1, unique=True).map(lambda members: {"SS": members}),
    st.lists(number_texts, min_size=1, unique=True).map(lambda members: {"NS": members}),
)


def clash(one: tuple[str | int, ...], two: tuple[str | int, ...]) -> bool:
    for a, b in zip(one, two, strict=False):
        if type(a) is not type(b):
            return True
        if a != b:
            return False
    return True


@st.composite
def actions(draw: st.DrawFn) -> list[tuple[str, tuple[str | int, ...], Any]]:
    found = []
    for path in draw(st.lists(paths, min_size=1, max_size=5)):
        section = draw(st.sampled_from(["SET", "REMOVE", "ADD", "DELETE"]))
        value = None if section == "REMOVE" else draw(documents if section == "SET" else numbers_and_sets)
        if section == "DELETE" and "N" in value:
            value = {"NS": [value["N"]]}
        found.append((section, path, value))
    return found


def update_text(given_actions: list[tuple[str, tuple[str | int, ...], Any]]) -> tuple[str, dict[str, Any]]:
    sections: dict[str, list[str]] = {}
    values = {}
    for section, path, value in given_actions:
        text = path_text(path)
        if value is not None:
            placeholder = f":v{len(values)}"
            values[placeholder] = value
            text += f" = {placeholder}" if section == "SET" else f" {placeholder}"
        sections.setdefault(section, []).append(text)
    return " ".join(f"{section} {', '.join(texts)}" for section, texts in sections.items()), values


@settings(max_examples=200, deadline=None)
@given(actions(), items)
def test_updates_agree_with_the_reference(given_actions: Any, item: Any) -> None:
    text, values = update_text(given_actions)
    before = copy.deepcopy((item, values))
    clashes = any(clash(one[1], two[1]) for one, two in combinations(given_actions, 2))
    try:
        done = parse_update(text).bind(values).apply(item)
    except ValidationException as refused:
        if "Two document paths" in refused.message:
            assert clashes
        else:
            assert reference.update(item, given_actions) is None
        return
    finally:
        assert (item, values) == before
    assert not clashes
    expected = reference.update(item, given_actions)
    assert expected is not None
    assert reference.native({"M": done.item}) == reference.native({"M": expected})  # sets have no order
    assert_shows(done.updated_new(), done.item, given_actions)
    assert_shows(done.updated_old(), item, given_actions)


def assert_shows(shown: Any, item: Any, given_actions: Any) -> None:
    """Every path without an index leads to the same in what is shown and in the item, and nothing else is there."""
    for _, path, _ in given_actions:
        if not any(isinstance(step, int) for step in path):
            assert reference.lookup(shown, path) == reference.lookup(item, path)
    assert set(shown) <= {path[0] for _, path, _ in given_actions}


@given(items, st.lists(paths, min_size=1, max_size=4))
def test_projections_hold_what_the_paths_lead_to(item: Any, wanted: Any) -> None:
    clashes = any(clash(one, two) for one, two in combinations(wanted, 2))
    before = copy.deepcopy(item)
    try:
        projected = parse_projection(", ".join(map(path_text, wanted))).project(item)
    except ValidationException:
        assert clashes
        return
    assert not clashes
    assert item == before
    for path in wanted:
        if not any(isinstance(step, int) for step in path):
            assert reference.lookup(projected, path) == reference.lookup(item, path)
    present = {path[0] for path in wanted if reference.lookup(item, path) is not MISSING}
    assert set(projected) == present


# Any text at all

WORDS = """
a b.c #n #undefined :v :undefined [0] [ ] ( ) , . = <> < <= + - AND OR NOT BETWEEN IN SET REMOVE ADD DELETE size
size(a) attribute_exists(a) attribute_type(a,:v) begins_with(a,:v) contains(a,b) if_not_exists(a,:v)
list_append(:v,:v) nothing(a) status 12 _ $ " ü
"""
words = st.sampled_from(WORDS.split())
any_text = st.one_of(st.lists(words, max_size=25).map(" ".join), st.lists(words, max_size=25).map("".join), st.text())


@settings(max_examples=250, deadline=None)
@given(any_text, documents, items)
def test_no_text_breaks_a_parser(text: str, value: Any, item: Any) -> None:
    placeholders = {"#n": "n"}
    for ask in (
        lambda: parse_condition(text, "ConditionExpression", placeholders).bind({":v": value}).matches(item),
        lambda: parse_key_condition(text, placeholders).bind({":v": value}).tests(),
        lambda: parse_projection(text, placeholders).project(item),
        lambda: parse_update(text, placeholders).bind({":v": value}).apply(item),
    ):
        # A refusal is fine; anything else that is raised is not.
        with suppress(ValidationException):
            ask()
