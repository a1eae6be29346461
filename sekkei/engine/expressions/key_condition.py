"""KeyConditionExpression: one condition for each key attribute, turned into the range of keys a Query reads.

It is read and checked like any condition. What only a key condition may not have is refused by `tests`, and what does
not fit the key of a table or an index by `KeyTests.on`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from sekkei.engine.expressions.condition import NO_VALUES, CheckedCondition, ConditionTemplate
from sekkei.engine.expressions.evaluation import Values
from sekkei.engine.expressions.grammar import Cache, invalid
from sekkei.engine.expressions.nodes import And, Operand, Operation, Or, Path, Value
from sekkei.engine.expressions.nodes import ConditionTree as Tree
from sekkei.engine.expressions.paths import resolved
from sekkei.engine.items.values import AttributeValue
from sekkei.errors import ValidationException

_PARAMETER = "KeyConditionExpression"

_OPERATORS = frozenset({"=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"})
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class _Part(Protocol):
    """One attribute of a key."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...


class _Schema(Protocol):
    """The attributes of a key: partition parts, then sort parts."""

    @property
    def hash(self) -> tuple[_Part, ...]: ...
    @property
    def range(self) -> tuple[_Part, ...]: ...


class KeyTest(NamedTuple):
    """What one key attribute must be. `operator` is = < <= > >= BETWEEN or begins_with."""

    operator: str
    operands: tuple[AttributeValue, ...]


class KeyRange(NamedTuple):
    """The keys a Query reads: one partition; in it, sort parts that are fixed, and a test for the part after them."""

    hash: tuple[AttributeValue, ...]
    equal: tuple[AttributeValue, ...]
    test: KeyTest | None


class KeyTests(dict[str, KeyTest]):
    """Tests by attribute."""

    def on(self, schema: _Schema) -> KeyRange:
        """The range of keys, when the tests fit the key of a table or an index."""
        parts = len(schema.hash) + len(schema.range)
        if len(self) > parts:
            raise ValidationException(
                f"The number of query conditions ({len(self)}) exceeds the number of key attributes defined in the "
                f"schema ({parts})"
            )
        waiting = dict(self)
        if len(schema.hash) > 1:
            _check_many_hash_parts(schema, self)
        partition = []
        for part in schema.hash:
            test = _test_of(part, waiting)
            if test.operator != "=":
                raise ValidationException("Query key condition not supported")
            partition.append(test.operands[0])
        if len(schema.range) > 1:
            _check_many_range_parts(schema, waiting)
        equal: list[AttributeValue] = []
        last = None
        for part in schema.range:
            if not waiting:
                break
            test = _test_of(part, waiting)
            if test.operator == "=":
                equal.append(test.operands[0])
            else:
                last = test
        if waiting:
            raise ValidationException("Query key condition not supported")
        return KeyRange(tuple(partition), tuple(equal), last)


def _check_many_hash_parts(schema: _Schema, tests: Mapping[str, KeyTest]) -> None:
    """Every HASH attribute is tested for equality."""
    missing = [part.name for part in schema.hash if part.name not in tests or tests[part.name].operator != "="]
    if missing:
        raise ValidationException(
            f"HASH key attributes {', '.join(missing)} must have equality conditions specified in the query"
        )


def _check_many_range_parts(schema: _Schema, tests: Mapping[str, KeyTest]) -> None:
    """RANGE attributes are tested from the first on, and only the last one tested for more than equality."""
    tested = [place for place, part in enumerate(schema.range) if part.name in tests]
    for place, part in enumerate(schema.range[: tested[-1]] if tested else ()):
        if place not in tested or tests[part.name].operator != "=":
            later = schema.range[next(each for each in tested if each > place)].name
            raise ValidationException(
                f"RANGE key attributes {part.name} must have equality conditions specified in the query "
                f"because a condition is present on key attribute {later}"
            )


def _test_of(part: _Part, waiting: dict[str, KeyTest]) -> KeyTest:
    test = waiting.pop(part.name, None)
    if test is None:
        raise ValidationException(f"Query condition missed key schema element: {part.name}")
    if test.operator not in _OPERATORS:
        raise ValidationException("Attempted conditional constraint is not an indexable operation")
    if any(part.type not in operand for operand in test.operands):
        raise ValidationException(
            "One or more parameter values were invalid: Condition parameter type does not match schema type"
        )
    return test


class _Single(NamedTuple):
    """One condition on one key attribute, its values still open."""

    attribute: str
    operator: str
    values: tuple[str, ...]


class KeyCondition(CheckedCondition):
    """A key condition with its names resolved; `bind` gives it its values."""

    __slots__ = ("_refusal", "_singles")

    def __init__(self, template: ConditionTemplate, names: Mapping[str, str]) -> None:
        super().__init__(template, names)
        self._refusal = ""
        self._singles: list[_Single] = []
        try:
            if self.is_complete:
                self._singles = _singles(self.tree, names)
        except ValidationException as error:
            # It is reported later, when the other expressions of the request are known to be good.
            self._refusal = error.message

    def bind(self, values: Values | None = None) -> BoundKeyCondition:
        values = values or NO_VALUES
        self._checks.run(values)
        return BoundKeyCondition(self, values)

    def tests(self, values: Values) -> KeyTests:
        if self._refusal:
            raise ValidationException(self._refusal)
        return KeyTests(
            {
                attribute: KeyTest(operator, tuple([values[name] for name in names]))
                for attribute, operator, names in self._singles
            }
        )


class BoundKeyCondition:
    """A key condition ready to be laid over a key."""

    __slots__ = ("_values", "condition")

    def __init__(self, condition: KeyCondition, values: Values) -> None:
        self.condition = condition
        self._values = values

    def tests(self) -> KeyTests:
        """The test of each attribute; refuses what a key condition cannot say."""
        return self.condition.tests(self._values)


def _singles(tree: Tree, names: Mapping[str, str]) -> list[_Single]:
    found: dict[str, _Single] = {}
    for part in tree.parts if isinstance(tree, And) else (tree,):
        single = _single(part, names)
        if single.attribute in found:
            raise invalid(_PARAMETER, "KeyConditionExpressions must only contain one condition per key")
        found[single.attribute] = single
    return list(found.values())


def _single(node: Tree, names: Mapping[str, str]) -> _Single:
    if not isinstance(node, Operation) or node.operator not in _OPERATORS:
        operator = node.operator if isinstance(node, Operation) else "OR" if isinstance(node, Or) else "NOT"
        raise invalid(_PARAMETER, f"Invalid operator used in KeyConditionExpression: {operator}")
    operator, operands = node
    if operator in ("BETWEEN", "begins_with") and not isinstance(operands[0], Path):
        raise _wrong(f"{operator} operator must have the key attribute as its first operand")
    attribute = _attribute(operands, names)
    if isinstance(operands[0], Value):
        operator = _MIRRORED[operator]
    return _Single(attribute, operator, tuple(operand.name for operand in operands if isinstance(operand, Value)))


def _attribute(operands: tuple[Operand, ...], names: Mapping[str, str]) -> str:
    """The one attribute that a condition is about."""
    attribute = None
    for operand in operands:
        if isinstance(operand, Operation):
            raise invalid(_PARAMETER, "KeyConditionExpressions cannot contain nested operations")
        if isinstance(operand, Path):
            if attribute is not None:
                raise _wrong("Multiple attribute names used in one condition")
            if len(operand.elements) > 1:
                raise invalid(_PARAMETER, "KeyConditionExpressions cannot have conditions on nested attributes")
            attribute = str(resolved(operand, names)[0])
    if attribute is None:
        raise _wrong("No key attribute specified")
    return attribute


def _wrong(problem: str) -> ValidationException:
    return invalid(_PARAMETER, f"Invalid condition in KeyConditionExpression: {problem}")


_CACHE: Cache[ConditionTemplate, KeyCondition] = Cache(ConditionTemplate, KeyCondition)


def parse_key_condition(text: str, names: Mapping[str, str] | None = None) -> KeyCondition:
    return _CACHE.get(_PARAMETER, text, names)
