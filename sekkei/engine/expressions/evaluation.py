"""Conditions as closures: compiled once, called for every item; and the functions that conditions and updates may call.

A closure takes the item and ExpressionAttributeValues, so that binding an expression costs nothing. An operand's
closure gives None where the item has no such attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sekkei.engine.expressions import paths
from sekkei.engine.expressions.nodes import And, ConditionTree, Not, Operand, Operation, Path, Value
from sekkei.engine.items.values import AttributeValue, Item, binary, compare, equal

Values = Mapping[str, AttributeValue]

CONDITION_FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
}
OPERAND_FUNCTIONS = {"size": 1}
"""They give a value that a condition compares."""
UPDATE_FUNCTIONS = {"if_not_exists": 2, "list_append": 2}
IN_OPERANDS_MAX = 100


def wrong_function(operator: str) -> str:
    return f"Invalid function name; function: {operator}"


def misplaced_function(operator: str) -> str:
    return f"The function is not allowed to be used this way in an expression; function: {operator}"


def wrong_count(operator: str, count: int) -> str:
    return (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {operator}, number of operands: {count}"
    )


def wrong_type(operator: str, kind: str) -> str:
    return f"Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}"


def path_required(operator: str) -> str:
    return f"Operator or function requires a document path; operator or function: {operator}"


def undefined_value(name: str) -> str:
    return f"An expression attribute value used in expression is not defined; attribute value: {name}"


def not_distinct(operator: str, path: str) -> str:
    return (
        "The first operand must be distinct from the remaining operands for this operator or function; "
        f"operator: {operator}, first operand: {path}"
    )


Test = Callable[[Item, Values], bool]
_Getter = Callable[[Item, Values], AttributeValue | None]

_MEMBER_KIND = {"SS": "S", "NS": "N", "BS": "B"}


def compiled(node: ConditionTree, names: Mapping[str, str]) -> Test:
    if isinstance(node, Operation):
        return _single(node, names)
    if isinstance(node, Not):
        part = compiled(node.part, names)
        return (lambda item, values: not part(item, values)) if node.negates else part
    parts = tuple([compiled(part, names) for part in node.parts])
    if isinstance(node, And):
        return _all_of(parts)
    return _any_of(parts)


def _all_of(parts: tuple[Test, ...]) -> Test:
    if len(parts) == 2:
        left, right = parts
        return lambda item, values: left(item, values) and right(item, values)

    def test(item: Item, values: Values) -> bool:
        for part in parts:  # noqa: SIM110  (a generator for all() would cost a frame for every item)
            if not part(item, values):
                return False
        return True

    return test


def _any_of(parts: tuple[Test, ...]) -> Test:
    if len(parts) == 2:
        left, right = parts
        return lambda item, values: left(item, values) or right(item, values)

    def test(item: Item, values: Values) -> bool:
        for part in parts:  # noqa: SIM110
            if part(item, values):
                return True
        return False

    return test


def _getter(node: Operand, names: Mapping[str, str]) -> _Getter:
    """An operand of a condition."""
    if isinstance(node, Value):
        name = node.name
        return lambda item, values: values[name]
    if isinstance(node, Path):
        return path_getter(paths.resolved(node, names))
    # In a condition, size is the only function that gives a value.
    inner = _getter(node.operands[0], names)
    return lambda item, values: _size_of(inner(item, values))


def path_getter(elements: paths.Elements) -> _Getter:
    name = elements[0]
    if len(elements) == 1 and isinstance(name, str):
        return lambda item, values: item.get(name)
    return lambda item, values: paths.find(item, elements)


def _single(node: Operation, names: Mapping[str, str]) -> Test:
    operator, operands = node
    if operator == "attribute_exists":
        return _exists(operands[0], names)
    if operator == "attribute_not_exists":
        there = _exists(operands[0], names)
        return lambda item, values: not there(item, values)
    getters = [_getter(operand, names) for operand in operands]
    if operator == "BETWEEN":
        return _between(*getters)
    if operator == "IN":
        return _in(getters[0], tuple(getters[1:]))
    relation = _RELATIONS[operator]
    first, second = operands
    if isinstance(first, Path) and len(first.elements) == 1 and isinstance(second, Value):
        # By far the commonest form: an attribute beside a value.
        name, value = str(paths.resolved(first, names)[0]), second.name
        return lambda item, values: relation(item.get(name), values[value])
    left, right = getters
    return lambda item, values: relation(left(item, values), right(item, values))


def _exists(operand: Operand, names: Mapping[str, str]) -> Test:
    found = _getter(operand, names)
    if isinstance(operand, Path) and len(operand.elements) == 1:
        name = paths.resolved(operand, names)[0]
        return lambda item, values: name in item
    return lambda item, values: found(item, values) is not None


def _between(operand: _Getter, low: _Getter, high: _Getter) -> Test:
    def test(item: Item, values: Values) -> bool:
        value = operand(item, values)
        return at_least(value, low(item, values)) and at_most(value, high(item, values))

    return test


def _in(operand: _Getter, options: tuple[_Getter, ...]) -> Test:
    def test(item: Item, values: Values) -> bool:
        value = operand(item, values)
        return value is not None and any(equals(value, option(item, values)) for option in options)

    return test


# Relations between two values, each of which may be missing


def equals(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is not None and right is not None and equal(left, right)


def differs(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    """What is missing differs from everything, even from what is missing too."""
    return left is None or right is None or not equal(left, right)


def below(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is not None and right is not None and compare(left, right) == -1


def above(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is not None and right is not None and compare(left, right) == 1


def at_most(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is not None and right is not None and compare(left, right) in (-1, 0)


def at_least(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is not None and right is not None and compare(left, right) in (0, 1)


def begins_with(value: AttributeValue | None, prefix: AttributeValue | None) -> bool:
    if value is None or prefix is None:
        return False
    if "S" in value and "S" in prefix:
        return value["S"].startswith(prefix["S"])  # type: ignore[no-any-return]
    if "B" in value and "B" in prefix:
        return binary(value["B"]).startswith(binary(prefix["B"]))
    return False


def contains(container: AttributeValue | None, element: AttributeValue | None) -> bool:
    """A part of a text or of bytes, a member of a set, an element of a list."""
    if container is None or element is None:
        return False
    kind, content = next(iter(container.items()))
    if kind == "S":
        return "S" in element and element["S"] in content
    if kind == "B":
        return "B" in element and binary(element["B"]) in binary(content)
    if kind == "L":
        return any(equal(member, element) for member in content)
    return kind in _MEMBER_KIND and element.get(_MEMBER_KIND[kind]) in content


def _has_type(value: AttributeValue | None, kind: AttributeValue | None) -> bool:
    return value is not None and kind is not None and kind.get("S") in value


_RELATIONS: dict[str, Callable[[AttributeValue | None, AttributeValue | None], bool]] = {
    "=": equals,
    "<>": differs,
    "<": below,
    "<=": at_most,
    ">": above,
    ">=": at_least,
    "begins_with": begins_with,
    "contains": contains,
    "attribute_type": _has_type,
}


def _size_of(value: AttributeValue | None) -> AttributeValue | None:
    """Characters of a text (as UTF-16 counts them), bytes of a binary, members of a collection."""
    if value is None:
        return None
    kind, content = next(iter(value.items()))
    if kind in ("N", "BOOL", "NULL"):
        return None
    if kind == "S" and not content.isascii():
        return {"N": str(len(content.encode("utf-16-le", "surrogatepass")) // 2)}
    if kind == "B":
        return {"N": str(len(binary(content)))}
    return {"N": str(len(content))}
