"""What the validation of a request leaves for its operation: everything parsed, bound and normalised, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sekkei.engine import expressions
from sekkei.engine.expressions import legacy
from sekkei.engine.values import Item

Condition = expressions.BoundCondition | legacy.Conditions
Update = expressions.BoundUpdate | legacy.AttributeUpdates


class Checked:
    """A request that broke no rule.

    `request` is the request as DynamoDB reads it (nulls and unknown members gone), `table` the name of its table and
    `reference` what the request calls it, which may be its ARN.
    Values in `item`, `key`, `keys` and `start_key` are normalised, and expressions bound to their values;
    a legacy parameter takes the place of the expression it came before. `size` is that of `item`, or in a transaction
    that of `key`, in the bytes that DynamoDB counts. What a request does not have is None. The actions of a batch or a
    transaction are `parts`, each a Checked of its own whose `action` says what it is: Get, Put, Update, Delete or
    ConditionCheck.
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
        "reference",
        "request",
        "size",
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
        size: int = 0,
        condition: Condition | None = None,
        projection: expressions.Projection | None = None,
        action: str = "",
        reference: str = "",
    ) -> None:
        self.request = request
        self.table = table
        self.reference: str = reference or request.get("TableName", table)
        self.action = action
        self.item = item
        self.size = size
        self.key = key
        self.keys: Sequence[Item] = ()
        self.start_key: Item | None = None
        self.condition = condition
        self.update: Update | None = None
        self.key_condition: expressions.KeyTests | None = None
        self.filter: Condition | None = None
        self.projection = projection
        self.parts: Sequence[Checked] = ()
