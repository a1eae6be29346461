"""An OpenID provider as far as signing in needs one, and as strict: authorization code with PKCE, codes good once.

    provider = OpenIdCounterpart(clock, issuer, "client", "secret", ["https://site.example/sign-in/openid/back"])
    provider.person = {"sub": "1", "email": "hana@example.com", "email_verified": True, "name": "花"}
    back = provider.approve(url)        # where the browser goes after they said yes
    provider.lies = {"nonce": "other"}  # claims that the next ID token has wrong

What it does not know it refuses, with the errors of RFC 6749: a client, a redirect, a code that was used, a verifier.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import jwt
import orjson
from cryptography.hazmat.primitives.asymmetric import rsa

from sekkei.clock import Clock
from sekkei.kit.signing import same
from sekkei.store.http import Answer

CODE_SECONDS = 60.0
TOKEN_SECONDS = 300
KEY_ID = "k1"


class Refused(Exception):
    def __init__(self, error: str, status: int = 400) -> None:
        super().__init__(error)
        self.error, self.status = error, status


class OpenIdCounterpart:
    def __init__(self, clock: Clock, issuer: str, client_id: str, client_secret: str, redirects: list[str]) -> None:
        self._clock, self.issuer = clock, issuer
        self._client, self._redirects = (client_id, client_secret), redirects
        self._key = rsa.generate_private_key(65537, 2048)
        self._codes: dict[str, tuple[float, dict[str, str], dict[str, Any]]] = {}
        self.person: dict[str, Any] = {}
        self.lies: dict[str, Any] = {}
        """Claims of the next ID tokens that are wrong on purpose; `alg` changes how they are signed."""

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        path = urlsplit(target).path
        try:
            if (method, path) == ("GET", "/.well-known/openid-configuration"):
                return _json(self._configuration())
            if (method, path) == ("GET", "/keys"):
                return _json(self._keys())
            if (method, path) == ("GET", "/authorize"):
                return Answer(302, {b"location": self.approve(target).encode()}, b"")
            if (method, path) == ("POST", "/token"):
                return _json(self._token(headers, body))
        except Refused as refused:
            return _json({"error": refused.error}, refused.status)
        return _json({"error": "not_found"}, 404)

    def _configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def _keys(self) -> dict[str, Any]:
        public = orjson.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return {"keys": [{**public, "kid": KEY_ID, "use": "sig", "alg": "RS256"}]}

    def approve(self, url: str) -> str:
        """Where the browser is sent with a code; raises Refused where the provider shows an error of its own."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        if asked.get("client_id") != self._client[0] or asked.get("redirect_uri") not in self._redirects:
            raise Refused("invalid_request")
        wanted = asked.get("response_type") == "code" and "openid" in asked.get("scope", "").split()
        if not wanted or asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            return self._back(asked, error="invalid_request")
        code = secrets.token_urlsafe(24)
        self._codes[code] = (self._clock.now() + CODE_SECONDS, asked, dict(self.person))
        return self._back(asked, code=code)

    def _back(self, asked: Mapping[str, str], **said: str) -> str:
        found = {**said, "state": asked.get("state", ""), "iss": self.issuer}
        return f"{asked['redirect_uri']}?{urlencode(found)}"

    def _token(self, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        self._check_client(headers.get("authorization", ""))
        given = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        if given.get("grant_type") != "authorization_code":
            raise Refused("unsupported_grant_type")
        until, asked, person = self._codes.pop(given.get("code", ""), (0.0, {}, {}))
        if self._clock.now() >= until or given.get("redirect_uri") != asked["redirect_uri"]:
            raise Refused("invalid_grant")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(given.get("code_verifier", "").encode()).digest())
        if not same(challenge.decode().rstrip("="), asked["code_challenge"]):
            raise Refused("invalid_grant")
        token = self._id_token(person, asked.get("nonce"))
        return {"access_token": secrets.token_urlsafe(16), "token_type": "Bearer", "id_token": token}

    def _check_client(self, authorization: str) -> None:
        kind, _, text = authorization.partition(" ")
        try:
            name, _, secret = base64.b64decode(text, validate=True).decode().partition(":")
        except ValueError:
            raise Refused("invalid_client", 401) from None
        if kind.lower() != "basic" or (unquote(name), unquote(secret)) != self._client:
            raise Refused("invalid_client", 401)

    def _id_token(self, person: Mapping[str, Any], nonce: str | None) -> str:
        now = int(self._clock.now())
        claims = {"iss": self.issuer, "aud": self._client[0], "iat": now, "exp": now + TOKEN_SECONDS, "nonce": nonce}
        lies = dict(self.lies)
        algorithm = lies.pop("alg", "RS256")
        claims = {name: value for name, value in {**claims, **person, **lies}.items() if value is not None}
        key = {"none": None, "HS256": self._client[1].ljust(32)}.get(algorithm, self._key)
        return jwt.encode(claims, key, algorithm, headers={"kid": KEY_ID})  # type: ignore[arg-type]


def _json(content: Mapping[str, Any], status: int = 200) -> Answer:
    return Answer(status, {b"content-type": b"application/json"}, orjson.dumps(content))
