"""What the operator sets: the terms and privacy notice, and what is seen before it was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from sekkei.runtime.settings import Settings
from sekkei_systems.q.design.models import User

NAMES = ("q_terms_version", "q_terms_url", "q_privacy_url")
_VERSION_MAX = 50


@dataclass(frozen=True, slots=True)
class Terms:
    version: str
    terms_url: str
    privacy_url: str

    def needed(self, user: User) -> bool:
        """Whoever agreed to an earlier version is asked again."""
        return user.terms_version != self.version


def terms_of(settings: Settings) -> Terms | None:
    """SEKKEI_Q_TERMS_VERSION, SEKKEI_Q_TERMS_URL and SEKKEI_Q_PRIVACY_URL: all, or none, and nobody is asked."""
    given = {name: settings.get(name) for name in NAMES}
    if not any(given.values()):
        return None
    missing = [f"SEKKEI_{name.upper()}" for name, value in given.items() if not value]
    if missing:
        raise ValueError(f"Terms are half set up: {' and '.join(missing)} is missing. Set it, or none of them.")
    for name in NAMES[1:]:
        if urlsplit(given[name]).scheme not in ("https", "http") and not given[name].startswith("/"):
            raise ValueError(f"SEKKEI_{name.upper()} is where people read it: an https address, or a path.")
    if len(given["q_terms_version"]) > _VERSION_MAX:
        raise ValueError("SEKKEI_Q_TERMS_VERSION is short, such as 2026-11-15.")
    return Terms(*given.values())


def is_first(settings: Settings, name: str, first: str, other: str) -> bool:
    """Return whether a setting of two words has the first of them, which is so unless the operator says otherwise."""
    wanted = settings.get(name) or first
    if wanted not in (first, other):
        raise ValueError(f"SEKKEI_{name.upper()} is {first} or {other}, not {wanted!r}.")
    return wanted == first
