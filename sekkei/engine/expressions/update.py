"""UpdateExpression: read, checked, bound, applied.

Every operand is taken from the item as it was, whatever else the same update changes. The item given is never changed:
what differs is built anew, the rest is shared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sekkei.engine.expressions import changes, paths, update_checks
from sekkei.engine.expressions.cache import Cache
from sekkei.engine.expressions.condition import NO_VALUES
from sekkei.engine.expressions.functions import Values
from sekkei.engine.expressions.grammar import Action, UpdateReader
from sekkei.engine.expressions.nodes import Operation, Path, Value
from sekkei.engine.items.values import Item, type_of

PARAMETER = "UpdateExpression"


class UpdateTemplate:
    """An update whose syntax and words are good."""

    def __init__(self, parameter: str, text: str) -> None:
        reader = UpdateReader(parameter, text)
        self.parameter = parameter
        self.actions = reader.read()
        reader.check_form()
        update_checks.check_words(parameter, self.actions, reader.repeated_section)
        found = list(update_checks.nodes(self.actions))
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
        update_checks.check_names(template.parameter, template.actions, names)
        self.names = frozenset(template.placeholders)
        """The #placeholders it uses."""
        self.values = template.values
        """The :placeholders it uses."""
        known = [paths.resolved(path, names) for path in template.paths]
        self.attributes = frozenset(str(elements[0]) for elements in known)
        """The attributes it speaks of."""
        self.nested = frozenset(str(elements[0]) for elements in known if len(elements) > 1)
        """Those whose inside it speaks of."""
        self._checks = update_checks.checks(template.parameter, template.actions, names)
        self.plan = None if self._checks.refuses else changes.plan(template.actions, names)
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

    def __init__(self, update: Update, plan: changes.Plan, values: Values) -> None:
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
    return _CACHE.get(PARAMETER, text, names)
