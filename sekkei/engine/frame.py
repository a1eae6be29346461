"""What every operation's file uses: the types of its arguments, and the condition check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sekkei.engine.snapshot import Stored
from sekkei.engine.validation.checked import Checked
from sekkei.errors import ConditionalCheckFailedException

Render = Callable[[bytes], Any]
"""Makes an item of a response out of its stored bytes."""
Response = dict[str, Any]


def check_condition(checked: Checked, old: Stored | None) -> None:
    """Raise if the item that is there does not meet the request's condition."""
    if checked.condition is None or checked.condition.matches(old.item if old else {}):
        return
    wants_item = checked.request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    raise ConditionalCheckFailedException(item=old.item if old and wants_item else None)


__all__ = ["Checked", "Render", "Response", "check_condition"]
