"""Who is asking. A system maps this to whatever it knows of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request

from sekkei.runtime.data_subjects import Person
from sekkei.runtime.refusals import NotAllowed, SignInNeeded

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
    recovery_codes: int = 0
    """How many are left that stand in for the app."""
    scope: str | None = None
    """What a personal token may do (sekkei.web.identity.scopes); None: whatever its owner may."""
    sign_in: str | None = None
    """The session, app or token that they came with, as `Accounts.has_session` knows it; None for a provider's."""


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


def in_person(request: Request) -> User:
    """Whoever signed in here. A token is for the APIs: who finds one must not get the whole account for it."""
    user = require_user(request)
    if user.via != "session":
        raise NotAllowed()
    return user


def person_of(user: User) -> Person:
    """Whose data it is."""
    return Person(user.id, user.email, user.name)
