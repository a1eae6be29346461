"""How LINE says no."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    def __init__(self, status: int, message: str, *details: tuple[str, str], accepted: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.details, self.accepted = status, message, details, accepted

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = {"message": self.message}
        if self.details:
            found["details"] = [{"property": name, "message": text} for name, text in self.details]
        return found


def faulty(*details: tuple[str, str]) -> Refused:
    """A request body, and what is wrong with its properties."""
    return Refused(400, f"The request body has {len(details)} error(s)", *details)


def units(words: object) -> int:
    """Length as LINE counts it: UTF-16 units."""
    return len(words.encode("utf-16-le", "surrogatepass")) // 2 if isinstance(words, str) else 0
