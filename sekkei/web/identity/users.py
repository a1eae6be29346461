"""Who is asking. A system maps this to whatever it knows of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request

from sekkei.runtime.refusals import SignInNeeded

Via = Literal["session", "app", "token", "bearer"]


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who is signed in."""

    id: str
    email: str
    """In lower case; empty for somebody known by a provider only."""
    name: str
    verified: bool
    """The e-mail address has been shown to be theirs."""
    via: Via = "session"
    has_authenticator: bool = False
    """An authenticator app gives codes for this account."""


def current_user(request: Request) -> User | None:
    """Whoever is signed in, or None."""
    found: User | None = request.state.user
    return found


def require_user(request: Request) -> User:
    """Whoever is signed in. Otherwise a page goes to the sign-in, and an API answers 401."""
    found = current_user(request)
    if found is None:
        raise SignInNeeded()
    return found
