"""The names in the old table. Its schema is not known for certain, so they are configuration: a JSON file.

    {"table": "waitlistTable", "studio": "studioName", "studios": {"銀座": "gnz"}, "statuses": {"waiting": "active"}}

Whatever the file leaves out keeps the default below. docs/lessons-migration.md explains every name.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import orjson

from sekkei_systems.lessons.design import Status
from sekkei_systems.lessons.refusals import BadSlot
from sekkei_systems.lessons.rules.slots import slot

PAUSED = "paused"
"""Not a status of the new table: it becomes active, with a moment until which nobody is told."""
STATUSES = (*(status.value for status in Status), PAUSED)
_NOT_ATTRIBUTES = ("table", "starts", "statuses", "studios", "account", "contacts")
_CONTACTS = ("table", "user", "name", "language", "mail", "line", "push", "webhook")
_TABLE_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")


class BadMapping(ValueError):
    """The file cannot be used; the text says everything that is wrong with it."""


@dataclass(frozen=True, slots=True)
class OldTable:
    """What is called what in the old table. Attributes that are not named here are carried over under `legacy`."""

    table: str = "waitlistTable"
    user: str = "userId"
    waitlist: str = "waitlistId"
    """An id of the form studio#date#time#name says what the attributes below do not."""
    studio: str = "studioCode"
    day: str = "lessonDate"
    start: str = "startTime"
    starts: str = "lessonDateTime"
    """Asked last for day and time; carried over as well."""
    name: str = "lessonName"
    instructor: str = "instructor"
    status: str = "status"
    created: str = "createdAt"
    updated: str = "updatedAt"
    told: str = "notificationSent"
    told_at: str = "lastNotifiedAt"
    resumes: str = "autoResumeAt"
    ttl: str = "ttl"
    """Left behind: it is computed from the lesson."""
    statuses: Mapping[str, str] = field(default_factory=dict)
    """Old status to active, paused, completed, cancelled or expired, where they differ."""
    studios: Mapping[str, str] = field(default_factory=dict)
    """Old studio name to code, where they differ."""
    account: str = "{user}"
    """How an old user id becomes the id of an account here: `{user}`, or with something before or after it."""
    contacts: Mapping[str, str] = field(default_factory=dict)
    """Where contacts come from: `table` and its key `user`; `name`, `language`, `mail`, `line`, `push`, `webhook` are
    attributes there. Without it people are told by what they have set up here."""
    attributes: frozenset[str] = field(init=False, repr=False, compare=False)
    """The old attributes whose values find a place of their own in the new table."""

    def __post_init__(self) -> None:
        named = [one.name for one in fields(self) if one.init and one.name not in _NOT_ATTRIBUTES]
        object.__setattr__(self, "attributes", frozenset(str(getattr(self, name)) for name in named))

    @classmethod
    def read(cls, text: bytes) -> OldTable:
        try:
            content = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise BadMapping(f"it is not JSON: {error}") from None
        if not isinstance(content, dict):
            raise BadMapping('it must be an object, such as {"table": "waitlistTable"}')
        known = [one.name for one in fields(cls) if one.init]
        problems = [problem for name, value in content.items() if (problem := _problem(name, value, known))]
        if problems:
            raise BadMapping("; ".join(problems))
        return cls(**content)

    def account_of(self, user: str) -> str:
        return self.account.replace("{user}", user)

    def user_of(self, account: str) -> str:
        """The inverse of `account_of`."""
        before, _, after = self.account.partition("{user}")
        return account.removeprefix(before).removesuffix(after)

    @property
    def fingerprint(self) -> str:
        """Changes when anything in the mapping does."""
        content = {one.name: getattr(self, one.name) for one in fields(self) if one.init}
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def _problem(name: str, value: Any, known: list[str]) -> str | None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f'did you mean "{near[0]}"?' if near else f"known are {', '.join(known)}"
        return f'"{name}" is not known; {hint}'
    if name == "contacts":
        return _contacts_problem(value)
    if name == "account" and (not isinstance(value, str) or value.count("{user}") != 1):
        return '"account" must have {user} in it once, such as "{user}" or "line-{user}"'
    if name in ("statuses", "studios"):
        if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
            return f'"{name}" must be an object of texts, such as {{"old": "new"}}'
        check = _status_problem if name == "statuses" else _studio_problem
        return "; ".join(problem for old, new in value.items() if (problem := check(old, new))) or None
    if not isinstance(value, str) or not value:
        return f'"{name}" must be a name, not {orjson.dumps(value).decode()}'
    if name == "table" and not _TABLE_NAME.fullmatch(value):
        return f'"table" is "{value}", which is no name of a table'
    return None


def _contacts_problem(value: Any) -> str | None:
    if not isinstance(value, dict) or not all(isinstance(one, str) and one for one in value.values()):
        return (
            '"contacts" must be an object of names, such as {"table": "usersTable", "user": "userId", "mail": "email"}'
        )
    unknown, missing = (
        [one for one in value if one not in _CONTACTS],
        [one for one in _CONTACTS[:2] if one not in value],
    )
    if unknown or missing:
        return f'"contacts" has {", ".join(_CONTACTS)}; {", ".join([*unknown, *missing])} cannot be or is missing'
    return None


def _status_problem(old: str, new: str) -> str | None:
    return None if new in STATUSES else f'"statuses" makes "{new}" of "{old}"; it must be one of {", ".join(STATUSES)}'


def _studio_problem(old: str, new: str) -> str | None:
    try:
        slot(new, "2025-01-01", "00:00")
    except BadSlot:
        return f'"studios" makes "{new}" of "{old}"; a code has lower-case letters, digits, - and _'
    return None
