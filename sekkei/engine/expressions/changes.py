"""An update as a plan: what to compute from the old item, and a tree of the places to change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from sekkei.engine.expressions import paths
from sekkei.engine.expressions.arithmetic import added, number_difference, number_sum, without
from sekkei.engine.expressions.evaluation import path_getter
from sekkei.engine.expressions.functions import Values
from sekkei.engine.expressions.grammar import Action
from sekkei.engine.expressions.nodes import Operand, Operation, Path, Value
from sekkei.engine.expressions.paths import Elements, PathTree
from sekkei.engine.items.values import ITEM_BYTES_MAX, AttributeValue, Item, normalised, size
from sekkei.errors import ValidationException

Producer = Callable[[Item, Values], AttributeValue]


def missing_attribute() -> ValidationException:
    return ValidationException("The provided expression refers to an attribute that does not exist in the item")


def wrong_type() -> ValidationException:
    return ValidationException("An operand in the update expression has an incorrect data type")


def too_large() -> ValidationException:
    return ValidationException("Item size to update has exceeded the maximum allowed size")


def wrong_path() -> ValidationException:
    return ValidationException("The document path provided in the update expression is invalid for update")


class PathChange(NamedTuple):
    """What happens at one path: SET has a producer, ADD and DELETE the name of a value, REMOVE neither."""

    section: str
    produce: Producer | None = None
    value: str = ""


class Plan:
    """All changes of an update. SETs of whole attributes, the commonest, need no walk through the tree of the rest."""

    __slots__ = ("_inner_sets", "_rest", "_whole_sets", "tree")

    def __init__(self, changes: list[tuple[Elements, PathChange]]) -> None:
        self.tree = PathTree.of((elements, None) for elements, _ in changes)
        sets = [(elements, change.produce) for elements, change in changes if change.produce is not None]
        self._whole_sets = tuple((str(elements[0]), produce) for elements, produce in sets if len(elements) == 1)
        self._inner_sets = tuple((elements, produce) for elements, produce in sets if len(elements) > 1)
        rest = [(elements, change) for elements, change in changes if change.produce is None or len(elements) > 1]
        self._rest = PathTree.of(rest) if rest else None

    def apply(self, item: Item, values: Values) -> Item:
        result = item.copy()
        for name, produce in self._whole_sets:
            result[name] = produce(item, values)
        if self._rest is not None:
            # All operands are computed before anything changes, so that their errors come first.
            produced = {elements: produce(item, values) for elements, produce in self._inner_sets}
            _check_sizes(produced.values())
            _Application(values, produced).change(item, result, self._rest, ())
        return result


def _check_sizes(documents: Iterable[AttributeValue]) -> None:
    """Before they are copied: one value of a request can be meant for hundreds of places."""
    room = ITEM_BYTES_MAX
    for value in documents:
        if "M" in value or "L" in value:
            room -= size(value)
            if room < 0:
                raise too_large()


class _Application:
    """One run of the changes that are not SETs of whole attributes."""

    __slots__ = ("_produced", "_values")

    def __init__(self, values: Values, produced: Mapping[Elements, AttributeValue]) -> None:
        self._values = values
        self._produced = produced

    def change(self, old: Item, new: Item, tree: PathTree, at: Elements) -> None:
        """Makes the changes to a map, or the item itself, in its copy `new`."""
        for name, branch in tree.names.items():
            value = self._value(old.get(name), branch, (*at, name))
            if value is not None:
                new[name] = value
            else:
                new.pop(name, None)

    def _value(self, old: AttributeValue | None, tree: PathTree, at: Elements) -> AttributeValue | None:
        """What stands at a place after the changes; None for nothing."""
        if tree.content is not None:
            return self._changed(old, tree.content, at)
        if old is None:
            raise wrong_path()
        if tree.names:
            entries = old.get("M")
            if entries is None:
                raise wrong_path()
            copy = entries.copy()
            self.change(entries, copy, tree, at)
            return {"M": copy}
        members = old.get("L")
        if members is None:
            raise wrong_path()
        return {"L": self._members(members, tree, at)}

    def _members(self, members: list[AttributeValue], tree: PathTree, at: Elements) -> list[AttributeValue]:
        """A list with the changes made: indexes are those of the old list, what lies beyond it is appended."""
        kept: list[AttributeValue | None] = list(members)
        beyond = []
        for index in sorted(tree.indexes):
            branch, place = tree.indexes[index], (*at, index)
            if index < len(members):
                kept[index] = self._value(members[index], branch, place)
            else:
                beyond.append(self._value(None, branch, place))
        return [member for member in (*kept, *beyond) if member is not None]

    def _changed(self, old: AttributeValue | None, change: PathChange, at: Elements) -> AttributeValue | None:
        section = change.section
        if section == "SET":
            return self._set(at)
        if section == "REMOVE":
            return None
        value = self._values[change.value]
        kind = next(iter(value))
        if section == "ADD":
            result = added(old, kind, value)
        elif old is None:
            return None
        else:
            result = without(old, kind, value)
        if result is None:
            raise wrong_type()
        return result if result[kind] else None

    def _set(self, at: Elements) -> AttributeValue:
        value = self._produced[at]
        if "M" in value or "L" in value:
            # Copied into itself, a document would grow a level with every update.
            return normalised(value, len(at))
        return value


def plan(actions: tuple[Action, ...], names: Mapping[str, str]) -> Plan:
    changes = []
    for action in actions:
        if action.operand is None:
            change = PathChange(action.section)
        elif action.section == "SET":
            change = PathChange(action.section, producer(action.operand, names))
        else:
            assert isinstance(action.operand, Value), "the grammar of ADD and DELETE takes values only"
            change = PathChange(action.section, None, action.operand.name)
        changes.append((paths.resolved(action.path, names), change))
    return Plan(changes)


def producer(node: Operand, names: Mapping[str, str]) -> Producer:
    """The right side of SET; raises where the item lacks what it needs."""
    if isinstance(node, Value):
        name = node.name
        return lambda item, values: values[name]
    if isinstance(node, Path):
        return _from_path(node, names)
    if node.operator == "if_not_exists":
        return _first_existing(node, names)
    left, right = (producer(operand, names) for operand in node.operands)
    if node.operator == "list_append":
        return lambda item, values: {"L": _content(left(item, values), "L") + _content(right(item, values), "L")}
    compute = number_sum if node.operator == "+" else number_difference
    return lambda item, values: {"N": compute(_content(left(item, values), "N"), _content(right(item, values), "N"))}


def _from_path(path: Path, names: Mapping[str, str]) -> Producer:
    found = path_getter(paths.resolved(path, names))

    def produce(item: Item, values: Values) -> AttributeValue:
        value = found(item, values)
        if value is None:
            raise missing_attribute()
        return value

    return produce


def _first_existing(node: Operation, names: Mapping[str, str]) -> Producer:
    """if_not_exists(a, if_not_exists(b, …)): the first path that leads somewhere, else the innermost operand."""
    getters = []
    fallback: Operand = node
    while isinstance(fallback, Operation) and fallback.operator == "if_not_exists":
        path, fallback = fallback.operands
        assert isinstance(path, Path), "the checks refuse anything else"
        getters.append(path_getter(paths.resolved(path, names)))
    otherwise = producer(fallback, names)

    def produce(item: Item, values: Values) -> AttributeValue:
        for found in getters:
            value = found(item, values)
            if value is not None:
                return value
        return otherwise(item, values)

    return produce


def _content(value: AttributeValue, kind: str) -> Any:
    content = value.get(kind)
    if content is None:
        raise wrong_type()
    return content
