"""Ends to the outside: what must be set up together, and when a local end may stand in for a real one.

    LINE = End("line", ("line_channel_secret", "line_channel_token"), "messages stay in the chat of this machine")

A system names its ends (`System.ends`). Half an end never starts, and neither does a system that people reach from
elsewhere while one of its ends is local, unless `--allow-local NAME` (or SEKKEI_ALLOW_LOCAL) says so: what should be
sent would stay here, and nobody would know.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from sekkei.runtime import probes
from sekkei.runtime.probes import Probe
from sekkei.runtime.settings import Settings

State = Literal["real", "local", "half"]


@dataclass(frozen=True, slots=True)
class End:
    """One service outside, by the settings of its real end."""

    name: str
    settings: tuple[str, ...]
    """All of them are needed."""
    otherwise: str
    """What happens while it is local."""
    one_of: tuple[str, ...] = ()
    """And one of these, when there are any."""
    probe: Probe | None = None
    """Asks the real end whether it knows us; nothing is changed or sent."""
    optional: bool = False
    """People may be let in without it."""

    def state(self, settings: Settings) -> State:
        given = [name for name in (*self.settings, *self.one_of) if settings.get(name)]
        if not given:
            return "local"
        return "half" if self.missing(settings) else "real"

    def missing(self, settings: Settings) -> list[str]:
        """What to set, as the environment names it."""
        lacking = [_variable(name) for name in self.settings if not settings.get(name)]
        if self.one_of and not any(settings.get(name) for name in self.one_of):
            lacking.append(" or ".join(_variable(name) for name in self.one_of))
        return lacking


MAIL = End(
    "mail", ("mail_from",), "mails stay in the outbox, sign-in codes too", ("smtp_url", "ses_region"), probes.mail
)
"""Everybody's: accounts sign in by mail."""


OPENID = End(
    "openid",
    ("sign_in_issuer", "sign_in_client_id", "sign_in_client_secret"),
    "people sign in by mail, password or passkey",
    probe=probes.openid,
)
"""Nobody needs it; but half of one does not start."""


def problems(ends: Iterable[End], settings: Settings, allowed: Collection[str]) -> list[str]:
    """Why a program must not start with these ends, a sentence each; none when it may."""
    found = []
    public = not is_loopback(settings.public_url)
    for end in dict.fromkeys(ends):
        state = end.state(settings)
        missing = " and ".join(end.missing(settings))
        if state == "half":
            found.append(f"{end.name} is half set up: {missing} is missing. Set it, or none of its settings.")
        elif state == "local" and public and not end.optional and end.name not in allowed:
            found.append(
                f"{end.name} is not set up, and {settings.public_url} is open to others: {end.otherwise}. "
                f"Set {missing}, or start with --allow-local {end.name} if that is meant."
            )
    return found + _openid_problems(settings) + _alarm_problems(settings)


def _openid_problems(settings: Settings) -> list[str]:
    issuer, found = settings.get("sign_in_issuer"), []
    if OPENID.state(settings) == "half":
        missing = " and ".join(OPENID.missing(settings))
        found.append(f"openid is half set up: {missing} is missing. Set it, or none of its settings.")
    if issuer and not issuer.startswith("https://") and not is_loopback(issuer):
        found.append("SEKKEI_SIGN_IN_ISSUER must be an https:// address.")
    return found


def _alarm_problems(settings: Settings) -> list[str]:
    """Alarms that nobody would ever get."""
    given = [one.strip() for one in settings.get("alarm_to").split(",") if one.strip()]
    webhooks = [one for one in given if one.startswith("https://")]
    found = []
    if len(webhooks) < len(given) and MAIL.state(settings) != "real":
        found.append(f"SEKKEI_ALARM_TO names a mail address: {' and '.join(MAIL.missing(settings))} is missing.")
    if webhooks and not settings.get("webhook_secret"):
        found.append("SEKKEI_ALARM_TO names a webhook: SEKKEI_WEBHOOK_SECRET, which signs what it gets, is missing.")
    return found


def allowed_local(settings: Settings) -> set[str]:
    """The ends that SEKKEI_ALLOW_LOCAL names."""
    return {name.strip() for name in settings.get("allow_local").split(",") if name.strip()}


def local_names(ends: Iterable[End], settings: Settings) -> list[str]:
    return [end.name for end in dict.fromkeys(ends) if end.state(settings) == "local"]


def is_loopback(url: str) -> bool:
    """Is it an address that only this machine can open?"""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _variable(name: str) -> str:
    return f"SEKKEI_{name.upper()}"
