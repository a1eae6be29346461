"""DynamoDB's request validation, in its order and with its texts.

`check(operation, request)` is everything DynamoDB checks before it looks at a table; it returns a `Checked`, with all
that the operation needs parsed and normalised. Checks that need the table's schema are in `against_table`.

An operation's module is named as the operation in snake case. Its SHAPE describes the request; its `rules` hold the
further checks, in the order in which DynamoDB makes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from sekkei.engine.errors import UnknownOperationException
from sekkei.engine.validation import (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    put_item,
    query,
    scan,
    shapes,
    transact_get_items,
    transact_write_items,
    update_item,
)
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.table_name import table_name

__all__ = ["OPERATIONS", "Checked", "check", "table_name"]

Rules = Callable[[dict[str, Any]], Checked]

_MODULES: tuple[ModuleType, ...] = (
    batch_get_item,
    batch_write_item,
    delete_item,
    get_item,
    put_item,
    query,
    scan,
    transact_get_items,
    transact_write_items,
    update_item,
)


def _operation(module: ModuleType) -> str:
    return "".join(word.capitalize() for word in module.__name__.rpartition(".")[2].split("_"))


_CHECKS: dict[str, tuple[shapes.Structure, shapes.Predicate, Rules]] = {
    _operation(module): (module.SHAPE, module.SHAPE.fine, module.rules) for module in _MODULES
}
OPERATIONS = frozenset(_CHECKS)
"""Every operation whose requests can be checked."""


def check(operation: str, request: Mapping[str, Any]) -> Checked:
    """The request parsed and normalised; raises what DynamoDB answers when it breaks a rule."""
    try:
        shape, fine, rules = _CHECKS[operation]
    except KeyError:
        raise UnknownOperationException("") from None
    return rules(request if fine(request) else shapes.explain(shape, request))  # type: ignore[arg-type]
