"""How LINE says no."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Accepted:
    """A request that was taken before, under the same retry key."""

    request_id: str
    answer: dict[str, Any]


class Refused(Exception):
    def __init__(self, status: int, message: str, *details: tuple[str, str], accepted: Accepted | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.details, self.accepted = status, message, details, accepted

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = {"message": self.message}
        if self.details:
            found["details"] = [{"property": name, "message": text} for name, text in self.details]
        return found | (self.accepted.answer if self.accepted else {})


def faulty(*details: tuple[str, str]) -> Refused:
    """A request body, and what is wrong with its properties."""
    return Refused(400, f"The request body has {len(details)} error(s)", *details)


def units(words: object) -> int:
    """Length as LINE counts it: UTF-16 units."""
    return len(words.encode("utf-16-le", "surrogatepass")) // 2 if isinstance(words, str) else 0
