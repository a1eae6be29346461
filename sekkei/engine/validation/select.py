"""Select and what may stand beside it, for Query and Scan."""

from __future__ import annotations

from typing import Any

from sekkei.errors import ValidationException


def check_select(request: dict[str, Any], prefix: str = "") -> None:
    """`prefix` is how Query begins the texts and Scan does not."""
    select = request["Select"]
    chosen = next((name for name in ("ProjectionExpression", "AttributesToGet") if name in request), None)
    if select == "SPECIFIC_ATTRIBUTES":
        if chosen is None:
            raise ValidationException(
                f"{prefix}Must specify the AttributesToGet or ProjectionExpression "
                "when choosing to get SPECIFIC_ATTRIBUTES"
            )
    elif chosen is not None:
        what = "only the Count" if select == "COUNT" else select
        raise ValidationException(f"{prefix}Cannot specify the {chosen} when choosing to get {what}")
    if select == "ALL_PROJECTED_ATTRIBUTES" and "IndexName" not in request:
        raise ValidationException(f"{prefix}ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
