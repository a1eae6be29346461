"""Credentials, and a keyring that renews them before they expire.

Sources are plain functions that may block (a file, a process, a metadata server): the keyring runs them in a thread,
once at a time, so that a call on the event loop never waits for a renewal while the old credentials still hold.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sekkei.clock import SYSTEM, Clock
from sekkei.errors import CredentialsError

log = logging.getLogger("sekkei.store")

RENEW_SECONDS = 15 * 60
"""Left of their life when credentials are renewed in the background."""
HOLD_SECONDS = 60
"""Left of their life when they are no longer used."""
PAUSE_SECONDS = 60
"""Between two renewals in the background: a source may go on handing out the old ones for a while."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key with its secret; its repr tells neither the secret nor the token."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    expires_at: float | None = None
    """Seconds since the epoch; None for keys that do not expire."""

    def __post_init__(self) -> None:
        for text in (self.access_key, self.secret_key, self.token or "-"):
            if not text or not text.isascii() or not text.isprintable() or " " in text:
                raise CredentialsError("an access key, secret or token is empty or has characters that cannot be sent")

    @classmethod
    def from_json(cls, answer: object, source: str) -> Credentials:
        """From the form that metadata servers and credential processes use."""
        if not isinstance(answer, dict):
            raise CredentialsError(f"{source} answered without credentials")
        key, secret = answer.get("AccessKeyId"), answer.get("SecretAccessKey")
        if not isinstance(key, str) or not isinstance(secret, str):
            raise CredentialsError(f"{source} answered without AccessKeyId and SecretAccessKey")
        token = answer.get("SessionToken") or answer.get("Token") or None
        expiration = answer.get("Expiration")
        return cls(key, secret, token, None if expiration is None else seconds_of(expiration, source))


def seconds_of(moment: object, source: str) -> float:
    """An ISO 8601 time as seconds since the epoch."""
    try:
        parsed = datetime.fromisoformat(str(moment))
    except ValueError:
        raise CredentialsError(f"{source} gave credentials an expiry that is not a time") from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


class Keyring:
    """The credentials in use, and where new ones come from. Serves any number of event loops and threads."""

    def __init__(self, source: Callable[[], Credentials], clock: Clock = SYSTEM) -> None:
        self._source = source
        self._clock = clock
        self._lock = threading.Lock()
        self._current: Credentials | None = None
        self._pause_until = 0.0
        self._renewals: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[Credentials]] = (
            weakref.WeakKeyDictionary()
        )

    async def credentials(self) -> Credentials:
        current = self._current
        if current is not None:
            if current.expires_at is None:
                return current
            left = current.expires_at - self._clock.now()
            if left > RENEW_SECONDS:
                return current
            if left > HOLD_SECONDS:
                if self._clock.now() >= self._pause_until:
                    self._start_renewal(current).add_done_callback(_log_failure)
                return current
        return await self.renewed(current)

    async def renewed(self, unwanted: Credentials | None) -> Credentials:
        """Other credentials than `unwanted`, if their source has others. Everybody who asks waits for one renewal."""
        return await asyncio.shield(self._start_renewal(unwanted))

    def _start_renewal(self, unwanted: Credentials | None) -> asyncio.Task[Credentials]:
        loop = asyncio.get_running_loop()
        renewal = self._renewals.get(loop)
        if renewal is None or renewal.done():
            self._pause_until = self._clock.now() + PAUSE_SECONDS
            renewal = loop.create_task(asyncio.to_thread(self._renew, unwanted))
            self._renewals[loop] = renewal
        return renewal

    def _renew(self, unwanted: Credentials | None) -> Credentials:
        with self._lock:
            if self._current is not None and self._current is not unwanted:
                return self._current  # another thread's event loop was faster
            self._current = self._source()
            return self._current


def _log_failure(renewal: asyncio.Task[Credentials]) -> None:
    if not renewal.cancelled() and renewal.exception() is not None:
        log.warning("AWS credentials could not be renewed, the old ones stay in use: %s", renewal.exception())
