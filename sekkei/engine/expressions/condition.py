"""ConditionExpression and FilterExpression: read, checked, bound, tested."""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.engine.expressions import condition_checks, evaluation, paths
from sekkei.engine.expressions.cache import Cache
from sekkei.engine.expressions.checks import Checks
from sekkei.engine.expressions.functions import Values
from sekkei.engine.expressions.grammar import ConditionReader
from sekkei.engine.expressions.nodes import Condition as Tree
from sekkei.engine.expressions.nodes import Path, Value, walk
from sekkei.engine.items.values import Item

NO_VALUES: Values = {}


class ConditionTemplate:
    """A condition whose syntax and words are good."""

    def __init__(self, parameter: str, text: str) -> None:
        reader = ConditionReader(parameter, text)
        tree = reader.read()
        reader.check_form()
        condition_checks.check_words(parameter, tree)
        self.parameter = parameter
        self.tree = tree
        self.paths = tuple(node for node in walk(tree) if isinstance(node, Path))
        self.placeholders = paths.placeholders(self.paths)
        self.values = frozenset(node.name for node in walk(tree) if isinstance(node, Value))


class CheckedCondition:
    """A condition with its names resolved, and what it says about itself."""

    __slots__ = ("_checks", "attributes", "is_complete", "names", "nested", "parameter", "resolved", "tree", "values")

    def __init__(self, template: ConditionTemplate, names: Mapping[str, str]) -> None:
        self.parameter = template.parameter
        self.tree: Tree = template.tree
        self.resolved = names
        self.names = frozenset(template.placeholders)
        """The #placeholders it uses."""
        self.values = template.values
        """The :placeholders it uses."""
        known = [paths.resolved(path, names) for path in template.paths if not paths.problem(path, names)]
        self.attributes = frozenset(str(elements[0]) for elements in known)
        """The attributes it speaks of."""
        self.nested = frozenset(str(elements[0]) for elements in known if len(elements) > 1)
        """Those whose inside it speaks of."""
        self._checks: Checks = condition_checks.checks(template.parameter, template.tree, names)
        self.is_complete = not self._checks.refuses


class Condition(CheckedCondition):
    """A condition or a filter; `bind` gives it its values."""

    __slots__ = ("_test",)

    def __init__(self, template: ConditionTemplate, names: Mapping[str, str]) -> None:
        super().__init__(template, names)
        self._test = evaluation.compiled(template.tree, names) if self.is_complete else None

    def bind(self, values: Values | None = None) -> BoundCondition:
        values = values or NO_VALUES
        checks = self._checks
        if checks.any:
            checks.run(values)
        assert self._test is not None, "its checks refuse a condition that cannot be tested"
        return BoundCondition(self._test, values, self)


class BoundCondition:
    """A condition ready to be tested."""

    __slots__ = ("_test", "_values", "condition")

    def __init__(self, test: evaluation.Test, values: Values, condition: Condition) -> None:
        self._test = test
        self._values = values
        self.condition = condition

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes it speaks of."""
        return self.condition.attributes

    @property
    def nested(self) -> frozenset[str]:
        """Those whose inside it speaks of."""
        return self.condition.nested

    def matches(self, item: Item) -> bool:
        """Whether the condition holds for the item; where there is none, give {}."""
        return self._test(item, self._values)


_CACHE: Cache[ConditionTemplate, Condition] = Cache(ConditionTemplate, Condition)


def parse_condition(
    text: str, parameter: str = "ConditionExpression", names: Mapping[str, str] | None = None
) -> Condition:
    return _CACHE.get(parameter, text, names)
