"""Signatures, signed tokens, and the codes of digits that prove an address.

Every key derives from the operator's secret and a purpose, so a token made for one purpose opens nothing else. While
the secret is being changed, the first key signs and every key verifies. Protocols of providers sign by themselves.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

import orjson

from sekkei.design import ConditionFailed, Database, Field, Update
from sekkei.kit.codes import DIGITS, read_code

_TOKEN_CHARACTERS_MAX = 8192
_MARK_BYTES = 16
E = TypeVar("E")


class BadToken(ValueError):
    """The token was not signed by this program for this purpose, or was changed."""


class TokenOver(BadToken):
    """The token is genuine, but its time is over."""


def derived(secret: bytes, purpose: str) -> bytes:
    """Return the key of 32 bytes that a secret has for one purpose."""
    return hmac.digest(secret, purpose.encode(), "sha256")


def same(left: str, right: str) -> bool:
    """Compare two texts in a time that does not tell where they differ."""
    return hmac.compare_digest(_bytes(left), _bytes(right))


class Signer:
    """Signs for one purpose: marks of values that both sides know, and tokens that carry their content.

    The first secret signs; the others are earlier secrets, whose signatures are still accepted.
    """

    def __init__(self, purpose: str, secrets: Sequence[bytes]) -> None:
        self._keys = [derived(secret, purpose) for secret in secrets]

    def digests(self, *parts: str) -> list[bytes]:
        """Return 32 bytes under each secret, the current one first, that only its holder can compute for `parts`."""
        return [_digest(key, parts) for key in self._keys]

    def mark(self, *parts: str) -> str:
        """Return a text of 32 hexadecimal digits that only a holder of the secret can compute for `parts`."""
        return self.marks(*parts)[0]

    def marks(self, *parts: str) -> list[str]:
        """Return the mark under each secret, the current one first: for values that are looked up by their marks."""
        return [digest[:_MARK_BYTES].hex() for digest in self.digests(*parts)]

    def matches(self, mark: str, *parts: str) -> bool:
        """Tell whether `mark` was made for exactly these parts."""
        good = [same(mark, made) for made in self.marks(*parts)]
        return any(good)

    def sign(self, content: Any, until: float = 0) -> str:
        """Return a token that carries `content` (as JSON) readably; `until` ends it, in seconds since the epoch."""
        body = orjson.dumps([until, content])
        return _token(_signature(self._keys[0], body), body)

    def read(self, token: str, now: float) -> Any:
        """Return the content of a token. Raises BadToken, and TokenOver for one that ended before or at `now`."""
        try:
            raw = urlsafe_b64decode(token[:_TOKEN_CHARACTERS_MAX].encode("ascii") + b"=" * (-len(token) % 4))
        except ValueError:
            raise BadToken from None
        signature, body = raw[:_MARK_BYTES], raw[_MARK_BYTES:]
        good = [hmac.compare_digest(signature, _signature(key, body)) for key in self._keys]
        # Several texts stand for the same bytes; only the one that was made is accepted.
        if not any(good) or _token(signature, body) != token:
            raise BadToken
        until, content = orjson.loads(body)
        if until and until <= now:
            raise TokenOver
        return content


def _bytes(text: str) -> bytes:
    """Encode any text, also one with half a surrogate pair, which JSON may contain."""
    return text.encode("utf-8", "surrogatepass")


def _digest(key: bytes, parts: Sequence[str]) -> bytes:
    """Lengths stand before the parts, so that ("ab", "c") and ("a", "bc") differ."""
    encoded = [_bytes(part) for part in parts]
    return hmac.digest(key, b"".join(b"%d:%b" % (len(part), part) for part in encoded), "sha256")


def _signature(key: bytes, body: bytes) -> bytes:
    return hmac.digest(key, b"token:" + body, "sha256")[:_MARK_BYTES]


def _token(signature: bytes, body: bytes) -> str:
    return urlsafe_b64encode(signature + body).decode().rstrip("=")


class OneTimeCode:
    """A code that is sent to an address and typed by the person who reads it there. The table holds its mark only."""

    LIFE = timedelta(minutes=10)
    TRIES_MAX = 5

    def __init__(self, signer: Signer, digits: int = DIGITS) -> None:
        self._signer, self._digits = signer, digits

    def make(self) -> str:
        """Return a new code."""
        return f"{secrets.randbelow(10**self._digits):0{self._digits}d}"

    def read(self, typed: str) -> str | None:
        """Return the code in what a person typed, or None where it has not the form of a code: that costs no try."""
        return read_code(typed, self._digits)

    def mark(self, code: str, *owner: str) -> str:
        """Return what the table holds of a code; it is good for its owner only."""
        return self._signer.mark(code, *owner)

    def matches(self, mark: str, code: str, *owner: str) -> bool:
        return self._signer.matches(mark, code, *owner)

    async def tried(
        self, db: Database, row: Update[E], tries: Field[E, int], expires: Field[E, datetime], now: datetime
    ) -> E | None:
        """Count a try and return the row, or None when its time or its tries are over.

        A try counts before it is compared, so that guesses at the same moment count too.
        """
        try:
            return await db.write(row.add(tries, 1).when(tries < self.TRIES_MAX, expires > now))
        except ConditionFailed:
            return None
