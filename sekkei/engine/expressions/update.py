"""UpdateExpression: read, checked, bound, applied.

A check looks for its problem in the whole text before the next check begins; that is DynamoDB's order. An update
becomes a plan: what to compute from the old item, and a tree of the places to change. Every operand is taken from the
item as it was, whatever else the same update changes. The old item is never changed: what differs is built anew, the
rest is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sekkei.engine.expressions import paths
from sekkei.engine.expressions.condition import NO_VALUES, Checks, Problem, operand_type
from sekkei.engine.expressions.evaluation import (
    CONDITION_FUNCTIONS,
    OPERAND_FUNCTIONS,
    UPDATE_FUNCTIONS,
    Values,
    misplaced_function,
    not_distinct,
    path_getter,
    path_required,
    wrong_count,
    wrong_function,
    wrong_type,
)
from sekkei.engine.expressions.grammar import Action, Cache, UpdateReader, invalid
from sekkei.engine.expressions.nodes import Node, Operand, Operation, Path, Value, inside_out, shown, walk
from sekkei.engine.expressions.paths import Elements, PathTree
from sekkei.engine.items import numbers
from sekkei.engine.items.values import ITEM_BYTES_MAX, AttributeValue, Item, in_order, normalised, size, type_of
from sekkei.errors import ValidationException

_SMALL = 37
"""Digits of whole numbers that Python may add directly: their sum still has at most 38."""


def _number_sum(left: str, right: str) -> str:
    if left.isdigit() and right.isdigit() and len(left) <= _SMALL and len(right) <= _SMALL:
        return str(int(left) + int(right))
    return _exact(numbers.add, left, right)


def _number_difference(left: str, right: str) -> str:
    if left.isdigit() and right.isdigit() and len(left) <= _SMALL and len(right) <= _SMALL:
        return str(int(left) - int(right))
    return _exact(numbers.subtract, left, right)


def _exact(operation: Callable[[str, str], str], left: str, right: str) -> str:
    try:
        return operation(left, right)
    except ValidationException as error:
        # A result with too many digits is an overflow to DynamoDB, whatever its magnitude.
        if "significant digits" in error.message:
            raise ValidationException(
                "Number overflow. Attempting to store a number with magnitude larger than supported range"
            ) from None
        raise


def added(existing: AttributeValue | None, kind: str, value: AttributeValue) -> AttributeValue | None:
    """A number or set with `value` added to it; None when `existing` is of another kind."""
    if existing is None:
        return value
    content = existing.get(kind)
    if content is None:
        return None
    if kind == "N":
        return {"N": _number_sum(content, value["N"])}
    members = set(content)
    return {kind: in_order(kind, content + [member for member in value[kind] if member not in members])}


def without(existing: AttributeValue, kind: str, value: AttributeValue) -> AttributeValue | None:
    """A set without the members of `value`; empty when none are left, None when `existing` is of another kind."""
    content = existing.get(kind)
    if content is None:
        return None
    gone = set(value[kind])
    return {kind: [member for member in content if member not in gone]}


_Producer = Callable[[Item, Values], AttributeValue]


def _missing_attribute() -> ValidationException:
    return ValidationException("The provided expression refers to an attribute that does not exist in the item")


def _wrong_operand() -> ValidationException:
    return ValidationException("An operand in the update expression has an incorrect data type")


def too_large() -> ValidationException:
    return ValidationException("Item size to update has exceeded the maximum allowed size")


def _wrong_path() -> ValidationException:
    return ValidationException("The document path provided in the update expression is invalid for update")


class _PathChange(NamedTuple):
    """What happens at one path: SET has a producer, ADD and DELETE the name of a value, REMOVE neither."""

    section: str
    produce: _Producer | None = None
    value: str = ""


class _Plan:
    """All changes of an update. SETs of whole attributes, the commonest, need no walk through the tree of the rest."""

    __slots__ = ("_inner_sets", "_rest", "_whole_sets", "tree")

    def __init__(self, changes: list[tuple[Elements, _PathChange]]) -> None:
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
            raise _wrong_path()
        if tree.names:
            entries = old.get("M")
            if entries is None:
                raise _wrong_path()
            copy = entries.copy()
            self.change(entries, copy, tree, at)
            return {"M": copy}
        members = old.get("L")
        if members is None:
            raise _wrong_path()
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

    def _changed(self, old: AttributeValue | None, change: _PathChange, at: Elements) -> AttributeValue | None:
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
            raise _wrong_operand()
        return result if result[kind] else None

    def _set(self, at: Elements) -> AttributeValue:
        value = self._produced[at]
        if "M" in value or "L" in value:
            # Copied into itself, a document would grow a level with every update.
            return normalised(value, len(at))
        return value


def _plan(actions: tuple[Action, ...], names: Mapping[str, str]) -> _Plan:
    changes = []
    for action in actions:
        if action.operand is None:
            change = _PathChange(action.section)
        elif action.section == "SET":
            change = _PathChange(action.section, _producer(action.operand, names))
        else:
            assert isinstance(action.operand, Value), "the grammar of ADD and DELETE takes values only"
            change = _PathChange(action.section, None, action.operand.name)
        changes.append((paths.resolved(action.path, names), change))
    return _Plan(changes)


def _producer(node: Operand, names: Mapping[str, str]) -> _Producer:
    """The right side of SET; raises where the item lacks what it needs."""
    if isinstance(node, Value):
        name = node.name
        return lambda item, values: values[name]
    if isinstance(node, Path):
        return _from_path(node, names)
    if node.operator == "if_not_exists":
        return _first_existing(node, names)
    left, right = (_producer(operand, names) for operand in node.operands)
    if node.operator == "list_append":
        return lambda item, values: {"L": _content(left(item, values), "L") + _content(right(item, values), "L")}
    compute = _number_sum if node.operator == "+" else _number_difference
    return lambda item, values: {"N": compute(_content(left(item, values), "N"), _content(right(item, values), "N"))}


def _from_path(path: Path, names: Mapping[str, str]) -> _Producer:
    found = path_getter(paths.resolved(path, names))

    def produce(item: Item, values: Values) -> AttributeValue:
        value = found(item, values)
        if value is None:
            raise _missing_attribute()
        return value

    return produce


def _first_existing(node: Operation, names: Mapping[str, str]) -> _Producer:
    """if_not_exists(a, if_not_exists(b, …)): the first path that leads somewhere, else the innermost operand."""
    getters = []
    fallback: Operand = node
    while isinstance(fallback, Operation) and fallback.operator == "if_not_exists":
        path, fallback = fallback.operands
        assert isinstance(path, Path), "the checks refuse anything else"
        getters.append(path_getter(paths.resolved(path, names)))
    otherwise = _producer(fallback, names)

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
        raise _wrong_operand()
    return content


_ALLOWED = {"ADD": ("N", "SS", "NS", "BS"), "DELETE": ("SS", "NS", "BS")}
_LONG_TYPES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}
_OPERAND_TYPES = {"+": "N", "-": "N", "list_append": "L"}


def nodes(actions: tuple[Action, ...]) -> Iterator[Node]:
    """Every path, value and function, as they are read."""
    for action in actions:
        yield action.path
        if action.operand is not None:
            yield from walk(action.operand)


def check_words(parameter: str, actions: tuple[Action, ...], repeated_section: str) -> None:
    paths.check_words(parameter, (node for node in nodes(actions) if isinstance(node, Path)))
    operations = [node for node in nodes(actions) if isinstance(node, Operation) and node.operator not in ("+", "-")]
    for operation in operations:
        operator = operation.operator
        if operator in CONDITION_FUNCTIONS or operator in OPERAND_FUNCTIONS:
            raise invalid(parameter, f"The function is not allowed in an update expression; function: {operator}")
        if operator not in UPDATE_FUNCTIONS:
            raise invalid(parameter, wrong_function(operator))
    for operation in operations:
        for operand in operation.operands:
            # Only if_not_exists may stand inside another function.
            if isinstance(operand, Operation) and operand.operator != "if_not_exists":
                raise invalid(parameter, misplaced_function(operand.operator))
    if repeated_section:
        raise invalid(parameter, f'The "{repeated_section}" section can only be used once in an update expression;')


def _check_names(parameter: str, actions: tuple[Action, ...], names: Mapping[str, str]) -> None:
    for node in nodes(actions):
        problem = paths.problem(node, names) if isinstance(node, Path) else ""
        if problem:
            raise invalid(parameter, problem)


def _checks(parameter: str, actions: tuple[Action, ...], names: Mapping[str, str]) -> Checks:
    """The checks that need values; names are good already."""
    found = Checks(parameter)
    for node in nodes(actions):
        if isinstance(node, Value):
            found.require(node.name)
    problem = paths.clash([paths.resolved(action.path, names) for action in actions])
    if problem:
        return found.refuse(problem)
    for action in actions:
        if isinstance(action.operand, Value) and action.section != "SET":
            found.add(_set_problem(action.section, action.operand.name))
    for action in actions:
        for operation in inside_out(action.operand) if action.operand is not None else ():
            problem = _form_problem(operation, names)
            if problem:
                return found.refuse(problem)
            if operation.operator in _OPERAND_TYPES and any(isinstance(o, Value) for o in operation.operands):
                found.add(_type_problem(operation))
    return found


def _set_problem(section: str, name: str) -> Problem:
    def problem(values: Values) -> str:
        kind = next(iter(values[name]))
        if kind in _ALLOWED[section]:
            return ""
        return (
            f"Incorrect operand type for operator or function; operator: {section}, "
            f"operand type: {_LONG_TYPES[kind]}, typeSet: ALLOWED_FOR_{section}_OPERAND"
        )

    return problem


def _form_problem(operation: Operation, names: Mapping[str, str]) -> str:
    operator, operands = operation
    if operator in UPDATE_FUNCTIONS and len(operands) != UPDATE_FUNCTIONS[operator]:
        return wrong_count(operator, len(operands))
    if operator == "if_not_exists":
        first, second = operands
        if not isinstance(first, Path):
            return path_required(operator)
        if isinstance(second, Path) and paths.resolved(first, names) == paths.resolved(second, names):
            return not_distinct(operator, shown(paths.resolved(first, names)))
    return ""


def _type_problem(operation: Operation) -> Problem:
    operator, operands = operation
    wanted = _OPERAND_TYPES[operator]

    def problem(values: Values) -> str:
        for operand in operands:
            kind = operand_type(operand, values)
            if kind is not None and kind != wanted:
                return wrong_type(operator, kind)
        return ""

    return problem


_PARAMETER = "UpdateExpression"


class UpdateTemplate:
    """An update whose syntax and words are good."""

    def __init__(self, parameter: str, text: str) -> None:
        reader = UpdateReader(parameter, text)
        self.parameter = parameter
        self.actions = reader.read()
        reader.check_form()
        check_words(parameter, self.actions, reader.repeated_section)
        found = list(nodes(self.actions))
        self.paths = tuple(node for node in found if isinstance(node, Path))
        self.placeholders = paths.placeholders(self.paths)
        self.values = frozenset(node.name for node in found if isinstance(node, Value))


class Updated:
    """An item after an update. `item` is None when there was none and the update creates none."""

    __slots__ = ("_old", "_tree", "item")

    def __init__(self, item: Item | None, old: Item | None, tree: paths.PathTree) -> None:
        self.item = item
        self._old = old
        self._tree = tree

    def updated_old(self) -> Item:
        """ReturnValues UPDATED_OLD: what stood at the paths before."""
        return {} if self._old is None else self._tree.project(self._old)

    def updated_new(self) -> Item:
        """ReturnValues UPDATED_NEW: what stands at the paths now, even where a list has moved under them."""
        return {} if self.item is None else self._tree.project(self.item)


class Update:
    """An update with its names resolved; `bind` gives it its values."""

    __slots__ = ("_checks", "attributes", "changed", "creates", "kinds", "names", "nested", "plan", "values")

    def __init__(self, template: UpdateTemplate, names: Mapping[str, str]) -> None:
        _check_names(template.parameter, template.actions, names)
        self.names = frozenset(template.placeholders)
        """The #placeholders it uses."""
        self.values = template.values
        """The :placeholders it uses."""
        known = [paths.resolved(path, names) for path in template.paths]
        self.attributes = frozenset(str(elements[0]) for elements in known)
        """The attributes it speaks of."""
        self.nested = frozenset(str(elements[0]) for elements in known if len(elements) > 1)
        """Those whose inside it speaks of."""
        self._checks = _checks(template.parameter, template.actions, names)
        self.plan = None if self._checks.refuses else _plan(template.actions, names)
        self.changed = tuple(dict.fromkeys(str(paths.resolved(a.path, names)[0]) for a in template.actions))
        """The attributes it changes, in order."""
        self.kinds = tuple(_kinds(template.actions, names))
        """Attributes whose new type is plain to see: their name, and a type or the :placeholder that has it."""
        self.creates = any(action.section in ("SET", "ADD") for action in template.actions)
        """Whether it makes an item where there is none."""

    def bind(self, values: Values | None = None) -> BoundUpdate:
        values = values or NO_VALUES
        if self._checks.any:
            self._checks.run(values)
        assert self.plan is not None, "its checks refuse an update that cannot be applied"
        return BoundUpdate(self, self.plan, values)


class BoundUpdate:
    """An update ready to be applied."""

    __slots__ = ("_plan", "_values", "update")

    def __init__(self, update: Update, plan: _Plan, values: Values) -> None:
        self.update = update
        self._plan = plan
        self._values = values

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes it speaks of."""
        return self.update.attributes

    @property
    def changed(self) -> tuple[str, ...]:
        """The attributes it changes, in order."""
        return self.update.changed

    @property
    def nested(self) -> frozenset[str]:
        """The attributes whose inside it speaks of."""
        return self.update.nested

    def kinds(self) -> dict[str, str]:
        """The types of attributes that the update alone decides, whatever the item holds."""
        return {name: type_of(self._values[kind]) if kind.startswith(":") else kind for name, kind in self.update.kinds}

    def apply(self, item: Item, exists: bool = True) -> Updated:
        """The item with the changes made. Where there is no item, give its key and exists=False."""
        if not exists and not self.update.creates:
            return Updated(None, None, self._plan.tree)
        return Updated(self._plan.apply(item, self._values), item if exists else None, self._plan.tree)


def _kinds(actions: Sequence[Action], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for action in actions:
        if len(action.path.elements) > 1:
            continue
        attribute = str(paths.resolved(action.path, names)[0])
        if isinstance(action.operand, Value):
            yield attribute, action.operand.name
        elif isinstance(action.operand, Operation) and action.operand.operator in _RESULTS:
            yield attribute, _RESULTS[action.operand.operator]


_RESULTS = {"+": "N", "-": "N", "list_append": "L"}
_CACHE: Cache[UpdateTemplate, Update] = Cache(UpdateTemplate, Update)


def parse_update(text: str, names: Mapping[str, str] | None = None) -> Update:
    return _CACHE.get(_PARAMETER, text, names)
