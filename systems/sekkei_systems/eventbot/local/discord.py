"""Our own end of Discord's REST API: it stores, checks Discord's limits, keeps its rates, and fails when told to.

The client cannot tell it from the real one. `send` answers requests; the simulator uses the rest.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, tables
from sekkei.runtime import days
from sekkei.runtime.live import Live
from sekkei.store.protocol import Store
from sekkei_systems.eventbot.local.design import (
    LocalMessage,
    LocalThing,
    LocalToken,
    design,
    local_messages,
    local_things,
    local_tokens,
    messages_of_channel,
    things_of_kind,
)
from sekkei_systems.eventbot.ports.discord import errors
from sekkei_systems.eventbot.ports.discord.rates import GLOBAL_PER_SECOND, route_of
from sekkei_systems.eventbot.ports.discord.rest import RestAnswer
from sekkei_systems.eventbot.rules import limits

PER_WINDOW, WINDOW_SECONDS = 5, 5.0
TOKEN_LIFE = timedelta(minutes=15)
TOPIC = "eventbot/simulator"
LOG_KEPT = 60
NONCE_LOOK_BACK = 50
CHANNEL_NAMES = re.compile(r"[0-9]{1,20}")


@dataclass(slots=True)
class Fault:
    """What the next requests get instead of an answer. `kind`: rate, global, error, forbidden, gone."""

    kind: str
    count: int
    seconds: float = 3.0


class _No(Exception):
    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


Answered = tuple[int, Any]
Route = Callable[["LocalDiscord", re.Match[str], Any], Awaitable[Answered]]
_ROUTES: list[tuple[str, re.Pattern[str], Route]] = []


def _route(method: str, path: str) -> Callable[[Route], Route]:
    pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))

    def declare(handler: Route) -> Route:
        _ROUTES.append((method, pattern, handler))
        return handler

    return declare


class LocalDiscord:
    """One of them for one store."""

    def __init__(
        self,
        store: Store,
        env: str,
        clock: Clock,
        live: Live,
        *,
        guild: Mapping[str, Any],
        members: dict[str, dict[str, Any]],
    ) -> None:
        self.guild, self.members = guild, members
        self.db: Database = design.open(store, env=env, clock=clock)
        self.clock, self._live = clock, live
        self.faults: list[Fault] = []
        self.log: deque[dict[str, Any]] = deque(maxlen=LOG_KEPT)
        self._made: asyncio.Lock = asyncio.Lock()
        self._ready = False
        self._windows: dict[tuple[str, str], tuple[float, int]] = {}
        self._second, self._sent = 0, 0
        self._serial = 0

    async def prepare(self) -> None:
        """The table is made on first use, so that a bot on the real Discord never has it."""
        async with self._made:
            if not self._ready:
                await tables.create(self.db.store, design, self.db.env, self.clock)
                self._ready = True

    def new_id(self) -> str:
        """A snowflake: milliseconds, then a counter."""
        self._serial = (self._serial + 1) & 0x3FFFFF
        return str((int(self.clock.now() * 1000) - 1_420_070_400_000) << 22 | self._serial)

    # The REST end

    async def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> RestAnswer:
        await self.prepare()
        bare = path.partition("?")[0]
        status, fields, content = await self._answer(method, bare, headers, body)
        self.log.appendleft({"at": self.clock.now(), "method": method, "path": bare, "status": status})
        payload = b"" if content is None else orjson.dumps(content)
        self._live.publish(TOPIC, "changed")
        return RestAnswer(status, fields, payload)

    async def _answer(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], Any]:
        if not headers.get("Authorization", "").startswith("Bot "):
            return 401, {}, {"message": "401: Unauthorized", "code": 0}
        if "DiscordBot" not in headers.get("User-Agent", ""):
            return 403, {}, {"message": "blocked", "code": 0}
        fault = self._fault()
        if fault is not None and fault.kind != "gone":
            return _faulty(fault)
        limited, fields = self._limit(method, path)
        if limited is not None:
            return 429, fields, limited
        try:
            if fault is not None:
                raise _No(404, errors.UNKNOWN_MESSAGE, "Unknown Message")
            content = orjson.loads(body) if body else None
            for wanted, pattern, handler in _ROUTES:
                found = pattern.fullmatch(path)
                if wanted == method and found is not None:
                    status, answer = await handler(self, found, content)
                    return status, fields, answer
            raise _No(404, 0, "404: Not Found")
        except _No as no:
            return no.status, fields, {"message": no.message, "code": no.code}

    def _fault(self) -> Fault | None:
        if not self.faults:
            return None
        fault = self.faults[0]
        fault.count -= 1
        if fault.count <= 0:
            self.faults.pop(0)
        return fault

    def _limit(self, method: str, path: str) -> tuple[dict[str, Any] | None, dict[str, str]]:
        """Five requests in five seconds for each bucket, fifty a second for all; interactions are exempt from that."""
        now = self.clock.now()
        route, major = route_of(method, path)
        if not path.startswith(("/webhooks/", "/interactions/")):
            if int(now) != self._second:
                self._second, self._sent = int(now), 0
            self._sent += 1
            if self._sent > GLOBAL_PER_SECOND:
                after = self._second + 1 - now
                fields = {"x-ratelimit-global": "true", "x-ratelimit-scope": "global", "retry-after": str(after)}
                return {"message": "You are being rate limited.", "retry_after": after, "global": True}, fields
        started, used = self._windows.get((route, major), (now, 0))
        if now - started >= WINDOW_SECONDS or now < started:
            started, used = now, 0
        after = max(0.001, started + WINDOW_SECONDS - now)
        fields = {
            "x-ratelimit-limit": str(PER_WINDOW),
            "x-ratelimit-remaining": str(max(0, PER_WINDOW - used - 1)),
            "x-ratelimit-reset-after": f"{after:.3f}",
            "x-ratelimit-bucket": f"b{abs(hash(route)) % 10**8}",
        }
        if used >= PER_WINDOW:
            fields |= {"retry-after": f"{after:.3f}", "x-ratelimit-scope": "user"}
            return {"message": "You are being rate limited.", "retry_after": round(after, 3), "global": False}, fields
        self._windows[(route, major)] = (started, used + 1)
        return None, fields

    # What is there

    async def message(self, channel_id: str, message_id: str) -> LocalMessage:
        found = await self.db.get(local_messages(channel_id, message_id).consistent())
        if found is None:
            raise _No(404, errors.UNKNOWN_MESSAGE, "Unknown Message")
        return found

    async def post(
        self, channel_id: str, body: Mapping[str, Any], *, author: str = "bot", seen_by: str | None = None,
        thinking: bool = False,
    ) -> LocalMessage:  # fmt: skip
        nonce = body.get("nonce")
        if nonce and body.get("enforce_nonce"):
            page = await self.db.page(messages_of_channel(channel_id).consistent(), size=NONCE_LOOK_BACK)
            for earlier in page:
                if earlier.nonce == nonce:
                    return earlier
        stored = {name: value for name, value in body.items() if name not in ("nonce", "enforce_nonce")}
        message = LocalMessage(
            channel_id=channel_id,
            message_id=self.new_id(),
            author=author,
            body=orjson.dumps(stored).decode(),
            seen_by=seen_by,
            nonce=str(nonce) if nonce else None,
            thinking=thinking,
            at=days.now(self.clock),
        )
        return await self.db.write(local_messages.put(message))

    async def edit(self, message: LocalMessage, body: Mapping[str, Any]) -> None:
        merged = {**orjson.loads(message.body), **{k: v for k, v in body.items() if k != "flags"}}
        update = local_messages.update(message.channel_id, message.message_id).set(LocalMessage.thinking, False)
        update = update.set(LocalMessage.body, orjson.dumps(merged).decode())
        await self.db.write(update.set(LocalMessage.edited_at, days.now(self.clock)))

    async def messages(self, channel_id: str, viewer: str, size: int = 60) -> list[LocalMessage]:
        """The last messages of a channel as one user sees them, oldest first."""
        await self.prepare()
        page = await self.db.page(messages_of_channel(channel_id).consistent(), size=size)
        return [one for one in reversed(list(page)) if one.seen_by in (None, viewer)]

    async def things(self, kind: str) -> list[tuple[str, Any]]:
        await self.prepare()
        return [(one.id, orjson.loads(one.body)) for one in await self.db.all(things_of_kind(kind))]

    async def keep(self, kind: str, id: str, body: Any) -> None:
        await self.db.write(local_things.put(LocalThing(kind=kind, id=id, body=orjson.dumps(body).decode())))

    async def forget(self, kind: str, id: str) -> None:
        try:
            await self.db.write(local_things.delete(kind, id).must_exist())
        except ConditionFailed:
            raise _No(404, 10070 if kind == "scheduled-event" else 0, "Unknown") from None

    async def open_token(self, token: str, channel_id: str, user_id: str, message_id: str | None) -> None:
        await self.prepare()
        kept = LocalToken(
            token=token, channel_id=channel_id, user_id=user_id, message_id=message_id, at=days.now(self.clock)
        )
        await self.db.write(local_tokens.put(kept))

    async def token(self, token: str) -> LocalToken:
        found = await self.db.get(local_tokens(token).consistent())
        if found is None:
            raise _No(404, errors.UNKNOWN_WEBHOOK, "Unknown Webhook")
        if days.now(self.clock) - found.at > TOKEN_LIFE:
            raise _No(401, errors.INVALID_TOKEN, "Invalid Webhook Token")
        return found

    async def point(self, token: str, message_id: str) -> None:
        await self.db.write(local_tokens.update(token).set(LocalToken.message_id, message_id))


def _faulty(fault: Fault) -> tuple[int, dict[str, str], Any]:
    if fault.kind in ("rate", "global"):
        everything = fault.kind == "global"
        fields = {"retry-after": str(fault.seconds), "x-ratelimit-scope": "global" if everything else "user"}
        if everything:
            fields["x-ratelimit-global"] = "true"
        body = {"message": "You are being rate limited.", "retry_after": fault.seconds, "global": everything}
        return 429, fields, body
    if fault.kind == "forbidden":
        return 403, {}, {"message": "Missing Permissions", "code": errors.MISSING_PERMISSION}
    return 502, {}, {"message": "502: Bad Gateway", "code": 0}


def _checked(problems: list[str]) -> None:
    if problems:
        code = errors.EMPTY_MESSAGE if problems == ["the message is empty"] else errors.INVALID_FORM
        raise _No(400, code, "Invalid Form Body: " + "; ".join(problems))


def _shown(message: LocalMessage) -> dict[str, Any]:
    return {"id": message.message_id, "channel_id": message.channel_id, **orjson.loads(message.body)}


@_route("POST", "/channels/{channel}/messages")
async def _post(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _checked(limits.problems_of_message(body))
    if not CHANNEL_NAMES.fullmatch(path["channel"]):
        raise _No(404, errors.UNKNOWN_CHANNEL, "Unknown Channel")
    return 200, _shown(await discord.post(path["channel"], body))


@_route("PATCH", "/channels/{channel}/messages/{message}")
async def _edit(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _checked(limits.problems_of_message(body, editing=True))
    message = await discord.message(path["channel"], path["message"])
    if message.author != "bot":
        raise _No(403, errors.NOT_OUR_MESSAGE, "Cannot edit a message authored by another user")
    await discord.edit(message, body)
    return 200, _shown(message)


@_route("DELETE", "/channels/{channel}/messages/{message}")
async def _delete(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.message(path["channel"], path["message"])
    await discord.db.write(local_messages.delete(path["channel"], path["message"]))
    return 204, None


@_route("POST", "/webhooks/{application}/{token}")
async def _follow_up(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _checked(limits.problems_of_message(body))
    token = await discord.token(path["token"])
    private = token.user_id if body.get("flags", 0) & limits.EPHEMERAL else None
    return 200, _shown(await discord.post(token.channel_id, body, seen_by=private))


@_route("PATCH", "/webhooks/{application}/{token}/messages/@original")
async def _edit_original(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    token = await discord.token(path["token"])
    if token.message_id is None:
        raise _No(404, errors.UNKNOWN_MESSAGE, "Unknown Message")
    _checked(limits.problems_of_message(body, editing=True))
    message = await discord.message(token.channel_id, token.message_id)
    await discord.edit(message, body)
    return 200, _shown(message)


@_route("POST", "/channels/{channel}/messages/{message}/threads")
async def _thread(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.message(path["channel"], path["message"])
    if not 1 <= len(str(body.get("name", ""))) <= 100:
        raise _No(400, errors.INVALID_FORM, "Invalid Form Body: name")
    await discord.keep("thread", path["message"], {"name": body["name"], "parent": path["channel"]})
    return 201, {"id": path["message"], "name": body["name"], "type": 11}


@_route("GET", "/guilds/{guild}")
async def _guild(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    if path["guild"] != discord.guild["id"]:
        raise _No(404, errors.UNKNOWN_GUILD, "Unknown Guild")
    return 200, discord.guild


@_route("GET", "/guilds/{guild}/members/{user}")
async def _member(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    found = discord.members.get(path["user"])
    if path["guild"] != discord.guild["id"] or found is None:
        raise _No(404, errors.UNKNOWN_MEMBER, "Unknown Member")
    given = [id.partition("/")[2] for id, _ in await discord.things("role") if id.startswith(f"{path['user']}/")]
    return 200, {**found, "roles": [*found["roles"], *given]}


@_route("PUT", "/guilds/{guild}/members/{user}/roles/{role}")
async def _give_role(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.keep("role", f"{path['user']}/{path['role']}", {})
    return 204, None


@_route("DELETE", "/guilds/{guild}/members/{user}/roles/{role}")
async def _take_role(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.forget("role", f"{path['user']}/{path['role']}")
    return 204, None


@_route("POST", "/guilds/{guild}/scheduled-events")
async def _scheduled_event(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    place = (body.get("entity_metadata") or {}).get("location", "")
    if body.get("entity_type") != 3 or not 1 <= len(place) <= 100 or not body.get("scheduled_end_time"):
        raise _No(400, errors.INVALID_FORM, "Invalid Form Body: an external event needs a place and an end")
    id = discord.new_id()
    await discord.keep("scheduled-event", id, body)
    return 200, {"id": id, **body}


@_route("PATCH", "/guilds/{guild}/scheduled-events/{id}")
async def _edit_scheduled_event(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.keep("scheduled-event", path["id"], body)
    return 200, {"id": path["id"], **body}


@_route("DELETE", "/guilds/{guild}/scheduled-events/{id}")
async def _delete_scheduled_event(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    await discord.forget("scheduled-event", path["id"])
    return 204, None


@_route("PUT", "/applications/{application}/commands")
async def _commands(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    _checked(limits.problems_of_commands(body))
    await discord.keep("commands", path["application"], body)
    return 200, [{"id": discord.new_id(), **command} for command in body]


@_route("PUT", "/applications/{application}/guilds/{guild}/commands")
async def _guild_commands(discord: LocalDiscord, path: re.Match[str], body: Any) -> Answered:
    return await _commands(discord, path, body)
