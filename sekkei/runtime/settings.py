"""What an operator sets, all of it from `SEKKEI_*` variables, and the keys derived from the one secret."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from sekkei import private
from sekkei.kit.signing import Signer, derived
from sekkei.runtime.retention import Kept

_TOKEN_LENGTH_MIN = 16


class Secrets:
    """Keys for different purposes out of one secret. Nothing of it shows in a log or a repr."""

    def __init__(self, master: bytes, *previous: bytes) -> None:
        """`previous` are earlier secrets: nothing is signed with them any more, and their signatures are accepted."""
        self._all = (master, *previous)
        if min(map(len, self._all)) < 16:
            raise ValueError("SEKKEI_SECRET is too short to be safe; give at least 16 characters.")

    def key(self, purpose: str) -> bytes:
        """Return the 32 bytes that are always the same for one purpose."""
        return self.keys(purpose)[0]

    def keys(self, purpose: str) -> list[bytes]:
        """Return the key to seal with, then those under which earlier values open."""
        return [derived(secret, purpose) for secret in self._all]

    def signer(self, purpose: str) -> Signer:
        return Signer(purpose, self._all)

    def __repr__(self) -> str:
        return "<Secrets>"


@dataclass(frozen=True, slots=True)
class Settings:
    """One process's settings."""

    data: Path = Path("data")
    store: str = ""
    """A store as `open_store` reads it; the embedded one under `data` when empty."""
    env: str = "dev"
    """The environment in table names such as `dev-q-Users`."""
    public_url: str = "http://127.0.0.1:8000"
    demo: bool = False
    """Sample data and one-click sign-in; only ever on loopback."""
    secrets: Secrets = field(default_factory=lambda: Secrets(secrets.token_bytes(32)))
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Everything else, by its name without `SEKKEI_`, in lower case: `values.get("smtp_url")`."""

    def get(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)


def from_environment(environment: Mapping[str, str] | None = None, **overrides: object) -> Settings:
    """Settings from `SEKKEI_*`, and from arguments that were given on the command line. What is empty is not set."""
    environment = os.environ if environment is None else environment
    values = {name[7:].lower(): text for name, text in environment.items() if name.startswith("SEKKEI_") and text}
    data = Path(str(overrides.pop("data", None) or values.get("data") or "data"))
    for switch in ("live", "rate_limit"):
        _switch(values, switch)
    Kept(values.get("sent_days", ""))
    if not re.fullmatch(r"[a-zA-Z0-9_.-]{0,100}", values.get("shared", "")):
        raise ValueError(
            f"SEKKEI_SHARED is part of table names: letters, digits, - _ and . only; it is {values['shared']!r}."
        )
    if 0 < len(values.get("metrics_token", "x" * _TOKEN_LENGTH_MIN)) < _TOKEN_LENGTH_MIN:
        raise ValueError(f"SEKKEI_METRICS_TOKEN is too short to be safe; give at least {_TOKEN_LENGTH_MIN} characters.")
    known: dict[str, object] = {
        "data": data,
        "store": values.get("store", ""),
        "env": _env(values.get("env", "dev")),
        "public_url": _public_url(values.get("public_url", "http://127.0.0.1:8000")),
        "demo": values.get("demo", "") in ("1", "true", "yes"),
        "values": {name: text for name, text in values.items() if name not in ("secret", "secret_previous")},
    }
    if "secrets" not in overrides:
        previous = [values["secret_previous"].encode()] if "secret_previous" in values else []
        known["secrets"] = Secrets(_master(values.get("secret", ""), data), *previous)
    return Settings(**{**known, **overrides})  # type: ignore[arg-type]


def shared() -> str:
    """What stands in front of the names of the tables that every deployment has (`sekkei-runtime`, `sekkei-web`), so
    that several may live in one account and region. Whatever opens a design has to know it, so it is asked as they are
    declared; `from_environment` says when it is no part of a name."""
    return os.environ.get("SEKKEI_SHARED", "")


def _public_url(given: str) -> str:
    try:
        parts = urlsplit(given)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(
            f"SEKKEI_PUBLIC_URL must look like https://tasks.example.com, without a path; it is {given!r}."
        )
    return given.rstrip("/")


def _env(given: str) -> str:
    if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,100}", given):
        raise ValueError(f"SEKKEI_ENV is part of table names: letters, digits, - _ and . only; it is {given!r}.")
    return given


def _switch(values: Mapping[str, str], name: str) -> None:
    if values.get(name, "on") not in ("on", "off"):
        raise ValueError(f"SEKKEI_{name.upper()} is on or off; it is {values[name]!r}.")


def _master(given: str, data: Path) -> bytes:
    """The operator's secret; on a laptop one that is made once and kept beside the data."""
    if given:
        return given.encode()
    path = data / "secret"
    try:
        return path.read_bytes()
    except FileNotFoundError:
        pass
    private.make_folder(data)
    made = secrets.token_hex(32).encode()
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(descriptor, "wb") as file:
        file.write(made)
    return made
