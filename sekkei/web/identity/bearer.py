"""Bearer tokens: personal ones of our own, and signed ones (JWT) of the OpenID provider that the operator trusts.

Set `SEKKEI_OIDC_ISSUER`, `SEKKEI_OIDC_AUDIENCE` and `SEKKEI_OIDC_JWKS_URL` (or `SEKKEI_OIDC_JWKS`, the key set itself).
Only RS256 and ES256 count, whatever the token says of itself; issuer, audience and expiry are demanded.
`jwt` is imported where a token is read: with all that it needs it is a tenth of what a function loads to start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.request import Request as UrlRequest
from urllib.request import urlopen

import orjson

from sekkei.clock import Clock
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.settings import Settings

if TYPE_CHECKING:
    import jwt

_ALGORITHMS = ("RS256", "ES256")
_KEYS_FRESH_SECONDS = 3600
_KEYS_RETRY_SECONDS = 60
_LEEWAY_SECONDS = 30
_FETCH_SECONDS = 5
_KEYS_BYTES_MAX = 1_000_000

log = logging.getLogger("sekkei.web.identity.bearer")


class BadBearer(Refusal):
    status = 401


def fetch(url: str) -> bytes:
    """The provider's key set."""
    if not url.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise ValueError("SEKKEI_OIDC_JWKS_URL must be an https:// URL.")
    with urlopen(UrlRequest(url, headers={"Accept": "application/json"}), timeout=_FETCH_SECONDS) as answer:
        body: bytes = answer.read(_KEYS_BYTES_MAX)
        return body


class Provider:
    """The keys of the provider, fetched when one is needed that is not there, but not more than once a minute."""

    def __init__(self, settings: Settings, clock: Clock, fetch: Callable[[str], bytes] = fetch) -> None:
        self.issuer = settings.get("oidc_issuer")
        self.audience = settings.get("oidc_audience")
        self._url = settings.get("oidc_jwks_url")
        self._clock = clock
        self._fetch = fetch
        given = settings.get("oidc_jwks").encode()
        self._keys: dict[str, jwt.PyJWK] = _parse(given) if given else {}
        self._fetched = -1e12
        self._turn = asyncio.Lock()
        if self.issuer and not (self.audience and (self._url or self._keys)):
            raise ValueError("SEKKEI_OIDC_ISSUER needs SEKKEI_OIDC_AUDIENCE and SEKKEI_OIDC_JWKS_URL beside it.")

    @classmethod
    def of(cls, issuer: str, audience: str, keys_url: str, clock: Clock) -> Provider:
        """One that is known otherwise than by the settings of bearer tokens."""
        values = {"oidc_issuer": issuer, "oidc_audience": audience, "oidc_jwks_url": keys_url}
        return cls(Settings(values=values), clock)

    async def claims(self, token: str) -> dict[str, Any]:
        """What a token says, once everything about it has been verified."""
        if not self.issuer:
            raise BadBearer()
        import jwt

        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in _ALGORITHMS:
                raise BadBearer()
            key = await self._key(str(header.get("kid", "")))
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(_ALGORITHMS),
                audience=self.audience,
                issuer=self.issuer,
                options={
                    "require": ["exp", "iss", "aud", "sub"],
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
            self._check_times(claims)
        except jwt.PyJWTError:
            raise BadBearer() from None
        return claims

    def _check_times(self, claims: Mapping[str, Any]) -> None:
        """By our own clock, which a test can hold still."""
        now = self._clock.now()
        expires, begins = claims["exp"], claims.get("nbf", 0)
        if not isinstance(expires, int | float) or not isinstance(begins, int | float):
            raise BadBearer()
        if now >= expires + _LEEWAY_SECONDS or now < begins - _LEEWAY_SECONDS:
            raise BadBearer()

    async def _key(self, kid: str) -> jwt.PyJWK:
        async with self._turn:
            age = self._clock.now() - self._fetched
            if self._url and (age > _KEYS_FRESH_SECONDS or (kid not in self._keys and age > _KEYS_RETRY_SECONDS)):
                await self._refresh()
        found = self._keys.get(kid)
        if found is None:
            raise BadBearer()
        return found

    async def _refresh(self) -> None:
        import jwt

        self._fetched = self._clock.now()
        try:
            self._keys = _parse(await asyncio.to_thread(self._fetch, self._url))
        except (OSError, ValueError, jwt.PyJWTError) as error:
            log.warning("the provider's keys could not be fetched", extra={"url": self._url, "error": repr(error)})


def _parse(body: bytes) -> dict[str, jwt.PyJWK]:
    import jwt

    found = {}
    for key in orjson.loads(body).get("keys", []):
        try:
            one = jwt.PyJWK(key)
        except jwt.PyJWTError:
            continue  # a kind of key that we have no use for
        found[one.key_id or ""] = one
    return found
