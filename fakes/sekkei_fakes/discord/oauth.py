"""Sign-in by the local Discord: codes for registered addresses, once, with PKCE; bearer tokens for two questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from sekkei.kit.signing import same
from sekkei_fakes.discord import objects
from sekkei_systems.eventbot.ports.discord.oauth import FORM, SCOPES, challenge

if TYPE_CHECKING:
    from sekkei_fakes.discord.discord import LocalDiscord

CODE_SECONDS = 60
TOKEN_SECONDS = 600
Reply = tuple[int, dict[str, str], Any]


async def grant(discord: LocalDiscord, asked: Mapping[str, str], user_id: str) -> str | None:
    """Where the browser goes once somebody has said yes; None where Discord shows an error instead."""
    whole = asked.get("client_id") == discord.application_id and asked.get("response_type") == "code"
    scopes = set(asked.get("scope", "").split())
    if not whole or asked.get("redirect_uri") not in discord.redirects or not scopes or user_id not in discord.people:
        return None
    if not scopes <= set(SCOPES.split()) or asked.get("code_challenge_method", "S256") != "S256":
        return None
    code = discord.clock.uuid()
    kept = {"user": user_id, "redirect": asked["redirect_uri"], "at": discord.clock.now()}
    await discord.keep("code", code, {**kept, "challenge": asked.get("code_challenge", ""), "scopes": sorted(scopes)})
    state = {"state": asked["state"]} if "state" in asked else {}
    return f"{asked['redirect_uri']}?{urlencode({'code': code, **state})}"


async def exchange(discord: LocalDiscord, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
    """POST /oauth2/token, and /oauth2/token/revoke."""
    given = {name.lower(): value for name, value in headers.items()}
    form = dict(parse_qsl(body.decode(errors="replace")))
    if given.get("content-type") != FORM:
        return 400, {}, {"error": "invalid_request"}
    secret = form.get("client_secret", "")
    if form.get("client_id") != discord.application_id or not same(secret, discord.client_secret):
        return 401, {}, {"error": "invalid_client"}
    if path == "/oauth2/token/revoke":
        await discord.forget("bearer", form.get("token", "-") or "-")
        return 200, {}, {}
    return await _token(discord, form)


async def _token(discord: LocalDiscord, form: Mapping[str, str]) -> Reply:
    code = form.get("code") or "-"
    found = await discord.thing("code", code)
    used = found is not None and not await discord.forget("code", code)
    if form.get("grant_type") != "authorization_code" or found is None or used:
        return 400, {}, {"error": "invalid_grant"}
    late = discord.clock.now() - found["at"] > CODE_SECONDS
    wrong = found["challenge"] and found["challenge"] != challenge(form.get("code_verifier", ""))
    if late or wrong or form.get("redirect_uri") != found["redirect"]:
        return 400, {}, {"error": "invalid_grant"}
    token = discord.clock.uuid()
    await discord.keep("bearer", token, {"user": found["user"], "scopes": found["scopes"], "at": discord.clock.now()})
    scope = " ".join(found["scopes"])
    return 200, {}, {"access_token": token, "token_type": "Bearer", "expires_in": TOKEN_SECONDS, "scope": scope}


async def identity(discord: LocalDiscord, path: str, token: str) -> Reply:
    """What a bearer may ask: who they are, and where."""
    found = await discord.thing("bearer", token or "-")
    if found is None or discord.clock.now() - found["at"] > TOKEN_SECONDS:
        return 401, {}, {"message": "401: Unauthorized", "code": 0}
    if path == "/users/@me" and "identify" in found["scopes"]:
        return 200, {}, objects.user(discord.server, found["user"])
    if path == "/users/@me/guilds" and "guilds" in found["scopes"]:
        there = found["user"] in discord.server.members
        guild = {"id": discord.server.id, "name": discord.server.guild["name"], "owner": False, "permissions": "0"}
        return 200, {}, [guild] if there else []
    return 401, {}, {"message": "401: Unauthorized", "code": 0}
