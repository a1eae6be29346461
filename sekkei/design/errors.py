"""Every error of this floor has a number, a sentence that says what to do, and an anchor in docs/errors.md.

SekkeiError
├── DesignError          SK1xx  the design itself is wrong; it does not load
├── ValueRefused         SK2xx  a value, a call or an argument cannot be used as it is; nothing was sent
├── Failed               SK3xx  the store was asked, and the answer is no
│   ├── NotFound                a needed item is not there
│   ├── ConditionFailed         one write's condition did not hold; `.old(action)` is the item that is there
│   ├── TransactionFailed       `.failed(action)`, `.reason(action)`, `.old(action)`
│   └── Contended               others kept changing the item; trying again later may help
├── CursorRefused        SK4xx  a cursor that is damaged, forged or from another query
├── ItemRefused          SK5xx  an item in the table fits no entity of the design
└── TablesDiffer         SK6xx  live tables are not what the design says
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .actions import Action

M = TypeVar("M")


class SekkeiError(Exception):
    """Carries `number`, such as "SK101", and `anchor`, where the documentation explains it."""

    def __init__(self, number: str, message: str) -> None:
        super().__init__(f"{number}: {message}")
        self.number = number
        self.message = message

    @property
    def anchor(self) -> str:
        return f"docs/errors.md#{self.number.lower()}"


class DesignError(SekkeiError):
    """The design does not load."""


class ValueRefused(SekkeiError, ValueError):
    """Refused before anything was sent."""


class CursorRefused(SekkeiError, ValueError):
    """The cursor is not one this query gave out."""


class ItemRefused(SekkeiError):
    """An item in the table that the design cannot read."""

    def __init__(self, number: str, message: str, item: Mapping[str, Any]) -> None:
        super().__init__(number, message)
        self.item = item


class TablesDiffer(SekkeiError):
    """A change to a live table that cannot be made, or was not allowed."""


class Failed(SekkeiError):
    """The store answered, and the answer is no."""


class NotFound(Failed):
    """`Database.need` found nothing."""


class Contended(Failed):
    """Others kept changing the same items; the bounded number of tries is used up."""


class ConditionFailed(Failed):
    """The condition of one write did not hold; nothing was changed, as far as is known: see `unsure`."""

    def __init__(
        self,
        number: str,
        message: str,
        action: Action[Any, Any],
        old: Any,
        taken: str | None = None,
        unsure: bool = False,
    ) -> None:
        super().__init__(number, message)
        self.action = action
        self.taken = taken  # the template of the uniqueness that another item holds, if that is the reason
        self.unsure = unsure  # an answer was lost before: what stands in its way may be its own work
        self._old = old

    def old(self, action: Action[M, Any]) -> M | None:
        """The item as it stands in the table, typed; None when there is none."""
        found: M | None = self._old if action is self.action else None
        return found


class Reason:
    """Why one action of a transaction did not go through."""

    __slots__ = ("code", "old", "taken", "text")

    def __init__(self, code: str, text: str, old: Any = None, taken: str | None = None) -> None:
        self.code = code  # DynamoDB's own code, such as "ConditionalCheckFailed"
        self.text = text  # in words
        self.old = old  # the typed item that stands in the table
        self.taken = taken  # the template of the uniqueness that is already taken, if that is the reason

    def __repr__(self) -> str:
        return f"Reason({self.code}: {self.text})"


class TransactionFailed(Failed):
    """Nothing of the transaction was done. Ask with the very actions that were passed in."""

    def __init__(self, number: str, message: str, reasons: list[tuple[Action[Any, Any], Reason]]) -> None:
        super().__init__(number, message)
        self.reasons = reasons

    def reason(self, action: Action[Any, Any]) -> Reason | None:
        """Why this action failed, or None when it was not the one."""
        return next((reason for failed, reason in self.reasons if failed is action), None)

    def failed(self, action: Action[Any, Any]) -> bool:
        return self.reason(action) is not None

    def old(self, action: Action[M, Any]) -> M | None:
        """The typed item that made the action's condition fail."""
        reason = self.reason(action)
        found: M | None = reason.old if reason else None
        return found
