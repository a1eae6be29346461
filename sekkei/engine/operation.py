"""What an operation is: the shape of its request, its rules, and its work.

Each file in `operations/` declares its own. `rules` are all that DynamoDB checks before it looks at a table, in its
order; they give a `Checked`, with all that the work needs parsed and normalised. A read gets a `Snapshot` and runs in
the caller's thread; a write gets the `Transaction` of the batch it is part of.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from sekkei.engine import expressions
from sekkei.engine.expressions import legacy
from sekkei.engine.items.values import Item
from sekkei.engine.storage.snapshot import Snapshot, Stored
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.storage.writer import WritePath
from sekkei.engine.validation import shapes
from sekkei.errors import ConditionalCheckFailedException, ValidationException

Render = Callable[[bytes], Any]
"""Makes an item of a response out of its stored bytes."""
Response = dict[str, Any]
Slices = Generator[None, None, Response]
"""Long work in slices: between any two of them the event loop serves other requests."""

Condition = expressions.BoundCondition | legacy.Conditions
Update = expressions.BoundUpdate | legacy.AttributeUpdates


class Checked:
    """A request that broke no rule.

    `request` is the request as DynamoDB reads it (nulls and unknown members gone), `table` the name of its table and
    `reference` what a batch calls it, which may be its ARN.
    Values in `item`, `key`, `keys` and `start_key` are normalised, and expressions bound to their values;
    a legacy parameter takes the place of the expression it came before. `size` is that of `item`, or in a transaction
    that of `key`, in the bytes that DynamoDB counts. What a request does not have is None. The actions of a batch or a
    transaction are `parts`, each a Checked of its own whose `action` says what it is: Get, Put, Update, Delete or
    ConditionCheck.
    """

    # Of the class, so that an instance takes no time over what its request does not have.
    keys: Sequence[Item] = ()
    start_key: Item | None = None
    update: Update | None = None
    key_condition: expressions.KeyTests | None = None
    filter: Condition | None = None
    parts: Sequence[Checked] = ()

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
        self.reference = reference
        self.action = action
        self.item = item
        self.size = size
        self.key = key
        self.condition = condition
        self.projection = projection


LARGE_ELEMENTS = 5_000


def is_large(request: Mapping[str, Any]) -> bool:
    """Whether a request holds so many values that to check it takes a while."""
    try:  # to count takes eight times as long
        if len(orjson.dumps(request)) < 2 * LARGE_ELEMENTS:  # each takes a character and a comma
            return False
    except TypeError:  # not JSON: there are bytes in it
        pass
    room = LARGE_ELEMENTS
    holders: list[Any] = [request]
    for holder in holders:
        for value in holder.values() if type(holder) is dict else holder:
            kind = type(value)
            if kind is dict or kind is list:
                room -= len(value)
                if room < 0:
                    return True
                holders.append(value)
    return False


_Rules = Callable[[dict[str, Any]], Checked]
Reading = Callable[[Snapshot, Checked, Render], Response | Slices]
_Writing = Callable[[Transaction, Checked, Render], Response]
FastAnswer = Callable[[Snapshot, Mapping[str, Any], Render], Response | None]
"""Answers a request of the simplest form without checking all rules; None for every other request."""

_FastCheck = Callable[[Mapping[str, Any]], Checked | None]
"""The same for a write: what `check` would give, or None."""


class Plan(NamedTuple):
    """How a request is carried out: one of the two."""

    read: Reading | None = None
    write: _Writing | None = None
    fastest: WritePath = WritePath.THREAD
    """The fastest path it may take: a write of some items and nothing else is done in a moment."""


class Operation:
    """One of DynamoDB's operations."""

    fast_answer: FastAnswer | None = None
    fast_check: _FastCheck | None = None

    def __init__(self, name: str, shape: shapes.Structure, rules: _Rules, unanswered: str = "") -> None:
        """`unanswered` are members that DynamoDB has and we have not. They are refused; unknown ones are ignored."""
        self.name = name
        self._unanswered = unanswered.split()
        self.shape = shape
        self._fine = shape.fine
        self._rules = rules

    def check(self, request: Mapping[str, Any]) -> Checked:
        """The request parsed and normalised; raises what DynamoDB answers when it breaks a rule."""
        if self._fine(request):
            return self._rules(request)  # type: ignore[arg-type]
        for path in self._unanswered:
            _refuse(request, path)
        return self._rules(shapes.explain(self.shape, request))

    def plan(self, checked: Checked) -> Plan:
        raise NotImplementedError


def _refuse(request: Any, path: str) -> None:
    """Raise if a member is there that would change what is asked for."""
    value = request
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if value is not None:
        raise ValidationException(f"One or more parameter values were invalid: {path} is not supported by this store")


class Read(Operation):
    """An operation that only reads."""

    def __init__(
        self, name: str, shape: shapes.Structure, rules: _Rules, work: Reading, fast_answer: FastAnswer | None = None
    ) -> None:
        super().__init__(name, shape, rules)
        self._plan = Plan(read=work)
        self.fast_answer = fast_answer

    def plan(self, checked: Checked) -> Plan:
        return self._plan


class Write(Operation):
    """An operation that writes."""

    def __init__(
        self,
        name: str,
        shape: shapes.Structure,
        rules: _Rules,
        work: _Writing,
        *,
        fastest: WritePath = WritePath.THREAD,
        fast_check: _FastCheck | None = None,
        unanswered: str = "",
    ) -> None:
        super().__init__(name, shape, rules, unanswered)
        self._plan = Plan(write=work, fastest=fastest)
        self.fast_check = fast_check

    def plan(self, checked: Checked) -> Plan:
        return self._plan


class Statements(Operation):
    """An operation that reads or writes, depending on what its statements say."""

    def __init__(self, name: str, shape: shapes.Structure, rules: _Rules, plan: Callable[[Checked], Plan]) -> None:
        super().__init__(name, shape, rules)
        self._plan_of = plan

    def plan(self, checked: Checked) -> Plan:
        return self._plan_of(checked)


def begun(slices: Slices) -> Response | Slices:
    """The first slice done; nearly always that is all of it."""
    try:
        next(slices)
    except StopIteration as done:
        response: Response = done.value
        return response
    return slices


def check_condition(checked: Checked, old: Stored | None) -> None:
    """Raise if the item that is there does not meet the request's condition."""
    if checked.condition is None or checked.condition.matches(old.item if old else {}):
        return
    wants_item = checked.request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    raise ConditionalCheckFailedException(item=old.item if old and wants_item else None)
