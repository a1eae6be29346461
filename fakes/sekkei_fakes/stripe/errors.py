"""How Stripe says no."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """An answer of Stripe's with an error in it."""

    def __init__(self, code: str, message: str, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.code, self.message, self.status, self.kind = code, message, status, kind
        self.replayed = False
        """It was said before, to the first request with this key."""

    @property
    def was_tried(self) -> bool:
        """Nothing was wrong with the request itself: Stripe repeats such an answer under the same key."""
        return self.code.startswith("charge_")

    @property
    def body(self) -> dict[str, Any]:
        code = {"code": self.code} if self.code else {}
        return {"error": {**code, "message": self.message, "type": self.kind}}
