"""Signing in with an OpenID provider: discovery, the authorization code flow with PKCE, and a verified ID token.

Set `SEKKEI_SIGN_IN_ISSUER`, `SEKKEI_SIGN_IN_CLIENT_ID` and `SEKKEI_SIGN_IN_CLIENT_SECRET` together, and register
`{public address}/sign-in/openid/back` at the provider. `SEKKEI_SIGN_IN_NAME` is what the button calls it.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import orjson

from sekkei.clock import Clock
from sekkei.errors import NoAnswer
from sekkei.kit.signing import same
from sekkei.runtime.ends import OPENID, is_loopback
from sekkei.runtime.http import Http
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.settings import Settings
from sekkei.web.identity.bearer import BadBearer, Provider

SCOPE = "openid email profile"
BACK = "/sign-in/openid/back"
KNOWN_SECONDS = 3600.0
_IAT_SECONDS = 600.0
"""An ID token that was made longer ago than this is none of this sign-in."""
_SUBJECT_MAX = 255


class ProviderSilent(Refusal):
    """It does not answer, or not as it should."""

    status = 503


class BadOpenId(Refusal):
    """What came back is not what this browser was sent for."""

    status = 400


@dataclass(frozen=True, slots=True)
class Begun:
    """What the browser keeps while it is away, signed."""

    state: str
    nonce: str
    verifier: str
    next: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """Who came back."""

    issuer: str
    subject: str
    email: str | None
    """Only one that the provider has verified."""
    name: str


@dataclass(frozen=True, slots=True)
class Endpoints:
    authorize: str
    token: str
    keys: str
    in_body: bool
    """The client's secret goes into the body: the provider takes no other way."""
    names_itself: bool
    """Its answers always say whose they are."""


class OpenId:
    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.possible = OPENID.state(settings) == "real"
        """A provider is set up."""
        self.issuer = settings.get("sign_in_issuer")
        self.name = settings.get("sign_in_name") or urlsplit(self.issuer).hostname or ""
        self._client = settings.get("sign_in_client_id"), settings.get("sign_in_client_secret")
        self._back = settings.public_url + BACK
        self._clock, self._http = clock, Http()
        self._endpoints: Endpoints | None = None
        self._tokens: Provider | None = None
        self._read_at = 0.0

    async def begin(self, next: str) -> tuple[str, Begun]:
        """Where the browser is to go, and what it keeps meanwhile."""
        endpoints, _ = await self._discovered()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        begun = Begun(state, nonce, verifier, next)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(begun.verifier.encode()).digest()).decode().rstrip("=")
        asked = {
            "response_type": "code",
            "client_id": self._client[0],
            "redirect_uri": self._back,
            "scope": SCOPE,
            "state": begun.state,
            "nonce": begun.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        joint = "&" if urlsplit(endpoints.authorize).query else "?"
        return f"{endpoints.authorize}{joint}{urlencode(asked)}", begun

    async def arrive(self, begun: Begun, state: str, code: str, issuer: str | None) -> Arrival:
        """Who it is, once everything about it has been verified. Raises BadOpenId, ProviderSilent."""
        if not same(state, begun.state) or not code:
            raise BadOpenId()
        endpoints, tokens = await self._discovered()
        if issuer != self.issuer and (issuer is not None or endpoints.names_itself):
            raise BadOpenId()  # RFC 9207: the answer of another provider, or of nobody in particular
        claims = await self._claims(tokens, await self._exchanged(endpoints, code, begun.verifier))
        if not same(str(claims.get("nonce", "")), begun.nonce):
            raise BadOpenId()
        email = claims.get("email") if claims.get("email_verified") is True else None
        name = str(claims.get("name") or claims.get("preferred_username") or "")
        return Arrival(self.issuer, str(claims["sub"]), str(email).strip().lower() if email else None, name)

    async def _claims(self, tokens: Provider, token: str) -> Mapping[str, Any]:
        try:
            claims = await tokens.claims(token)
        except BadBearer:
            raise BadOpenId() from None
        several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if (several or "azp" in claims) and claims.get("azp") != self._client[0]:
            raise BadOpenId()
        made = claims.get("iat")
        if not isinstance(made, int | float) or abs(self._clock.now() - made) > _IAT_SECONDS:
            raise BadOpenId()
        if not 0 < len(str(claims["sub"])) <= _SUBJECT_MAX:
            raise BadOpenId()
        return claims

    async def _exchanged(self, endpoints: Endpoints, code: str, verifier: str) -> str:
        """The ID token for the code."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self._back, "code_verifier": verifier}
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        name, secret = self._client
        if endpoints.in_body:
            form |= {"client_id": name, "client_secret": secret}
        else:
            pair = f"{quote(name, safe='')}:{quote(secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        status, said = await self._asked("POST", endpoints.token, headers, urlencode(form).encode())
        if status == 400:
            raise BadOpenId()  # a code that was used, or is another's
        token = said.get("id_token")
        if status != 200 or not isinstance(token, str):
            raise ProviderSilent()
        return token

    async def _asked(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, dict[str, Any]]:
        try:
            answer = await self._http.request(method, url, headers=headers, body=body)
            said = orjson.loads(answer.body)
        except (NoAnswer, ValueError):
            raise ProviderSilent() from None
        return answer.status, said if isinstance(said, dict) else {}

    async def _discovered(self) -> tuple[Endpoints, Provider]:
        """What the provider says of itself, asked once an hour."""
        now = self._clock.now()
        if self._endpoints is None or self._tokens is None or now - self._read_at > KNOWN_SECONDS:
            status, said = await self._asked("GET", _discovery_url(self.issuer), {"Accept": "application/json"})
            self._endpoints = endpoints_of(self.issuer, said if status == 200 else {})
            self._tokens = Provider.of(self.issuer, self._client[0], self._endpoints.keys, self._clock)
            self._read_at = now
        return self._endpoints, self._tokens


def _discovery_url(issuer: str) -> str:
    return f"{issuer.rstrip('/')}/.well-known/openid-configuration"


def endpoints_of(issuer: str, said: Mapping[str, Any]) -> Endpoints:
    """Raises ProviderSilent unless it is this issuer's, whole, and over TLS (or on this machine)."""
    urls = [said.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    if said.get("issuer") != issuer or not all(isinstance(url, str) and _is_safe(url) for url in urls):
        raise ProviderSilent()
    ways = said.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    authorize, token, keys = map(str, urls)
    names_itself = said.get("authorization_response_iss_parameter_supported") is True
    return Endpoints(authorize, token, keys, "client_secret_basic" not in ways, names_itself)


def _is_safe(url: str) -> bool:
    return url.startswith("https://") or (url.startswith("http://") and is_loopback(url))
