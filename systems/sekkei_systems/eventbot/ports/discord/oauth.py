"""Sign-in by Discord (OAuth2, code grant with state and PKCE): who somebody is, and which servers they are in.

The access token is used for two questions and then given back; nothing of it is kept.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import orjson

from sekkei_systems.eventbot.ports.discord.rest import Refused, RestAnswer, Send, Unavailable

SCOPES = "identify guilds"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Identified:
    """Somebody, as Discord says."""

    user_id: str
    name: str
    guild_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OAuth:
    """One application. `authorise` is the page where Discord asks people; they come back to `redirect`."""

    send: Send
    client_id: str
    secret: str
    authorise: str
    redirect: str
    agent: str

    def address(self, state: str, verifier: str) -> str:
        asked = {
            "client_id": self.client_id,
            "response_type": "code",
            "redirect_uri": self.redirect,
            "scope": SCOPES,
            "state": state,
            "code_challenge": challenge(verifier),
            "code_challenge_method": "S256",
        }
        return f"{self.authorise}?{urlencode(asked)}"

    async def identify(self, code: str, verifier: str) -> Identified:
        """Raises Refused for a code that is not good, Unavailable when nobody answers."""
        given = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect}
        token = str((await self._post("/oauth2/token", {**given, "code_verifier": verifier}))["access_token"])
        try:
            user = await self._ask("/users/@me", token)
            guilds = await self._ask("/users/@me/guilds", token)
        finally:
            await self._give_back(token)
        name = str(user.get("global_name") or user.get("username") or "?")[:100]
        return Identified(str(user["id"]), name, tuple(str(one["id"]) for one in guilds))

    async def _give_back(self, token: str) -> None:
        try:
            await self._post("/oauth2/token/revoke", {"token": token, "token_type_hint": "access_token"})
        except (Refused, Unavailable):
            pass  # it ends by itself

    async def _post(self, path: str, values: dict[str, str]) -> Any:
        body = urlencode({**values, "client_id": self.client_id, "client_secret": self.secret}).encode()
        headers = {"Content-Type": FORM, "User-Agent": self.agent, "Accept": "application/json"}
        return _result(await self.send("POST", path, headers, body))

    async def _ask(self, path: str, token: str) -> Any:
        headers = {"Authorization": f"Bearer {token}", "User-Agent": self.agent, "Accept": "application/json"}
        return _result(await self.send("GET", path, headers, b""))


def new_secret() -> str:
    """For a state, or a verifier."""
    return secrets.token_urlsafe(48)


def challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _result(answer: RestAnswer) -> Any:
    if answer.status >= 500 or answer.status == 429:
        raise Unavailable(f"Discord answered {answer.status}")
    try:
        found = orjson.loads(answer.body) if answer.body else {}
    except orjson.JSONDecodeError:
        raise Unavailable("Discord answered something else than JSON") from None
    if answer.status >= 400:
        problem = found.get("error") or found.get("message") if isinstance(found, dict) else ""
        raise Refused(answer.status, 0, str(problem)[:200])
    return found
