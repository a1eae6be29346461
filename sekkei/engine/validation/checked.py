"""What the validation of a request leaves for its operation: everything parsed, bound and normalised, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sekkei.engine.values import Item


class Checked:
    """A request that broke no rule.

    `request` is the request as DynamoDB reads it (nulls and unknown members gone), `table` the name of its table.
    Values in `item`, `key`, `keys` and `start_key` are normalised; the expressions are bound to their values. What a
    request does not have is None. The actions of a batch or a transaction are `parts`, each a Checked of its own whose
    `action` says what it is: Get, Put, Update, Delete or ConditionCheck.
    """

    __slots__ = (
        "action",
        "condition",
        "filter",
        "item",
        "key",
        "key_condition",
        "keys",
        "parts",
        "projection",
        "request",
        "start_key",
        "table",
        "update",
    )

    def __init__(
        self,
        request: dict[str, Any],
        table: str = "",
        *,
        key: Item | None = None,
        item: Item | None = None,
        condition: Any = None,
        update: Any = None,
        projection: Any = None,
        action: str = "",
    ) -> None:
        self.request = request
        self.table = table
        self.action = action
        self.item = item
        self.key = key
        self.keys: Sequence[Item] = ()
        self.start_key: Item | None = None
        self.condition = condition
        self.update = update
        self.key_condition: Any = None
        self.filter: Any = None
        self.projection = projection
        self.parts: Sequence[Checked] = ()
