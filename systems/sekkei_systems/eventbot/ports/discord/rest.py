"""Discord's REST API v10, as far as the bot uses it: one method a route, errors typed, rate limits kept.

`send` is the way out: `over_http` for the real end, the local end otherwise. Neither knows of the other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import orjson

from sekkei.clock import Clock
from sekkei.errors import NoAnswer
from sekkei.kit.retries import retry_after
from sekkei.runtime.http import Http
from sekkei_systems.eventbot.ports.discord.errors import INVALID_TOKEN, RateLimited, Refused, Unauthorised, Unavailable
from sekkei_systems.eventbot.ports.discord.rates import WAIT_SECONDS_MAX, Rates, Sleep, route_of

API_URL = "https://discord.com/api/v10"
TRIES_MAX = 3
UNTOLD_SECONDS = 1.0
"""The pause after a 429 that names none."""
log = logging.getLogger("sekkei_systems.eventbot.ports.discord")

Payload = Mapping[str, Any]
Compose = Callable[[], Awaitable[Payload | None]]
"""Makes a message when its turn has come, of what is true by then; None where nothing is to be said any more."""


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Send = Callable[[str, str, Mapping[str, str], bytes], Awaitable[RestAnswer]]
"""Method, path below the API's address, headers, body."""


def over_http(http: Http, url: str = API_URL) -> Send:
    async def send(method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
        try:
            answer = await http.request(method, url + path, headers=headers, body=body)
        except NoAnswer as error:
            raise Unavailable(str(error)) from error
        fields = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers.items()}
        return RestAnswer(answer.status, fields, answer.body)

    return send


class Rest:
    """One bot's client. `application_id` stands in routes of commands and follow-ups; `url` says whose bot it is."""

    def __init__(
        self,
        send: Send,
        token: str,
        application_id: str,
        url: str,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        wait_max: float = WAIT_SECONDS_MAX,
    ) -> None:
        self.application_id = application_id
        self._send = send
        self.agent = f"DiscordBot ({url}, 0.1)"
        self._headers = {
            "Authorization": f"Bot {token}",
            "User-Agent": self.agent,
            "Accept": "application/json",
        }
        self._clock = clock
        self._rates = Rates(clock, sleep, wait_max)
        self._halted = False

    # Messages

    async def post(self, channel_id: str, message: Payload) -> str:
        """Post a message; returns its id."""
        made = await self.call("POST", f"/channels/{channel_id}/messages", message)
        return str(made["id"])

    async def post_composed(self, channel_id: str, compose: Compose) -> str | None:
        """The same with one that is made at the last moment, after every wait for its turn."""
        made = await self.call("POST", f"/channels/{channel_id}/messages", compose=compose)
        return None if made is None else str(made["id"])

    async def edit(self, channel_id: str, message_id: str, message: Payload) -> None:
        await self.call("PATCH", f"/channels/{channel_id}/messages/{message_id}", message)

    async def delete(self, channel_id: str, message_id: str) -> None:
        await self.call("DELETE", f"/channels/{channel_id}/messages/{message_id}")

    async def direct_channel(self, user_id: str) -> str:
        """The channel for a direct message."""
        return str((await self.call("POST", "/users/@me/channels", {"recipient_id": user_id}))["id"])

    # Answers to interactions, with the interaction's own token

    async def follow_up(self, token: str, message: Payload) -> str:
        path = f"/webhooks/{self.application_id}/{token}?wait=true"
        return str((await self.call("POST", path, message, exempt=True))["id"])

    async def edit_original(self, token: str, message: Payload) -> None:
        path = f"/webhooks/{self.application_id}/{token}/messages/@original"
        await self.call("PATCH", path, message, exempt=True)

    # What surrounds an event

    async def start_thread(self, channel_id: str, message_id: str, name: str) -> str:
        content = {"name": name[:100], "auto_archive_duration": 10080}
        made = await self.call("POST", f"/channels/{channel_id}/messages/{message_id}/threads", content)
        return str(made["id"])

    async def guild(self, guild_id: str) -> dict[str, Any]:
        """Its name, owner and roles."""
        found: dict[str, Any] = await self.call("GET", f"/guilds/{guild_id}")
        return found

    async def channels(self, guild_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self.call("GET", f"/guilds/{guild_id}/channels")
        return found

    async def member(self, guild_id: str, user_id: str) -> dict[str, Any]:
        found: dict[str, Any] = await self.call("GET", f"/guilds/{guild_id}/members/{user_id}")
        return found

    async def search_members(self, guild_id: str, text: str) -> list[dict[str, Any]]:
        """Those whose user name or nickname begins so."""
        path = f"/guilds/{guild_id}/members/search?query={quote(text[:100], safe='')}&limit=10"
        found: list[dict[str, Any]] = await self.call("GET", path)
        return found

    async def give_role(self, guild_id: str, user_id: str, role_id: str) -> None:
        await self.call("PUT", f"/guilds/{guild_id}/members/{user_id}/roles/{role_id}")

    async def take_role(self, guild_id: str, user_id: str, role_id: str) -> None:
        await self.call("DELETE", f"/guilds/{guild_id}/members/{user_id}/roles/{role_id}")

    async def scheduled_events(self, guild_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self.call("GET", f"/guilds/{guild_id}/scheduled-events")
        return found

    async def make_scheduled_event(self, guild_id: str, event: Payload) -> str:
        return str((await self.call("POST", f"/guilds/{guild_id}/scheduled-events", event))["id"])

    async def edit_scheduled_event(self, guild_id: str, id: str, event: Payload) -> None:
        await self.call("PATCH", f"/guilds/{guild_id}/scheduled-events/{id}", event)

    async def delete_scheduled_event(self, guild_id: str, id: str) -> None:
        await self.call("DELETE", f"/guilds/{guild_id}/scheduled-events/{id}")

    # Commands

    async def overwrite_commands(self, commands: Sequence[Payload], guild_id: str | None = None) -> list[Any]:
        """Replace all commands, everywhere or in one guild (where it takes effect at once)."""
        where = f"/guilds/{guild_id}" if guild_id else ""
        made: list[Any] = await self.call("PUT", f"/applications/{self.application_id}{where}/commands", commands)
        return made

    async def call(
        self, method: str, path: str, content: Any = None, *, exempt: bool = False, compose: Compose | None = None
    ) -> Any:
        """One request, in its turn. `exempt`: interactions are not under the limit for everything."""
        route, major = route_of(method, path)
        bucket = self._rates.bucket(route, major)
        for _ in range(TRIES_MAX):
            self._must_not_be_halted()
            turn = await self._rates.turn(bucket, exempt)
            try:
                if compose is not None and (content := await compose()) is None:
                    return None
                self._must_not_be_halted()
                self._rates.goes(turn)
                answer = await self._sent(method, path, content)
                if answer.status != 429:
                    self._rates.learn(route, major, turn, answer.headers, answer.status < 300)
                    return self._result(answer, exempt)
                limited = _limited(answer, self._clock.now())
                self._rates.limited(turn, limited.retry_after, limited.scope == "global")
            finally:
                self._rates.ends(turn)
            log.warning("rate limited by Discord", extra={"route": route, "retry_after": limited.retry_after})
        raise limited

    def _must_not_be_halted(self) -> None:
        if self._halted:
            raise Unauthorised("Discord refused the token before; nothing is sent until the bot is started anew")

    async def _sent(self, method: str, path: str, content: Any) -> RestAnswer:
        body = b"" if content is None else orjson.dumps(content)
        headers = {**self._headers, "Content-Type": "application/json"} if body else self._headers
        return await self._send(method, path, headers, body)

    def _result(self, answer: RestAnswer, for_interaction: bool) -> Any:
        if 200 <= answer.status < 300:
            return orjson.loads(answer.body) if answer.body else None
        if answer.status >= 500:
            raise Unavailable(f"Discord answered {answer.status}")
        found = _json(answer.body)
        if answer.status == 401 and for_interaction:
            # The interaction's own token is over; that says nothing of the bot's.
            raise Refused(401, INVALID_TOKEN, str(found.get("message", ""))[:300])
        if answer.status == 401:
            self._halted = True
            raise Unauthorised("Discord does not accept the token")
        raise Refused(answer.status, int(found.get("code") or 0), str(found.get("message", ""))[:300])


def _limited(answer: RestAnswer, now: float) -> RateLimited:
    found = _json(answer.body)
    asked = retry_after(found.get("retry_after", answer.headers.get("retry-after")), now)
    everything = found.get("global") is True or "x-ratelimit-global" in answer.headers
    return RateLimited(
        UNTOLD_SECONDS if asked is None else asked,
        "global" if everything else answer.headers.get("x-ratelimit-scope", "user"),
    )


def _json(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
