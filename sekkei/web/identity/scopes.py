"""What a personal token may do: reading or writing, in some systems or in all.

A scope is words such as `tasks:read`, `q:write` or `*:read`. Writing includes reading; a token of before scopes has
None and may do whatever its owner may.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sekkei.runtime.refusals import NotAllowed
from sekkei.web.csrf import SAFE

Access = Literal["read", "write"]
ALL = "*"


class OutOfScope(NotAllowed):
    """The token was made for less than this."""


def scope_of(access: Access, systems: Iterable[str] = ()) -> str:
    """`systems` empty: all of them, those that come later included."""
    return " ".join(f"{name}:{access}" for name in sorted(set(systems)) or [ALL])


def allows(scope: str | None, method: str, path: str) -> bool:
    if scope is None:
        return True
    system = path.partition("/")[2].partition("/")[0]
    words = {f"{name}:write" for name in (ALL, system)}
    if method in SAFE:
        words |= {f"{name}:read" for name in (ALL, system)}
    return not words.isdisjoint(scope.split())


def check(scope: str | None, method: str, path: str) -> None:
    if not allows(scope, method, path):
        raise OutOfScope(scope=scope)
