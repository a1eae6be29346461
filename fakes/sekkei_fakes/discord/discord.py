"""Our own end of Discord's REST API, as strict as the real one: what it refuses, Discord refuses, with the same code.

It stores what is posted, keeps rates and limits, knows roles and permissions, and fails when told to. `send` answers
requests, in process or over HTTP (`discord/served.py`); the simulator and the tests use the rest.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl
from zlib import crc32

import orjson

from sekkei.clock import Clock
from sekkei.design import ConditionFailed, Database, tables
from sekkei.runtime import days
from sekkei.runtime.live import Live
from sekkei.store.protocol import Store
from sekkei_fakes.discord import oauth
from sekkei_fakes.discord.design import (
    LocalMessage,
    LocalThing,
    design,
    local_messages,
    local_things,
    messages_of_channel,
    things_of_kind,
)
from sekkei_fakes.discord.pings import pinged
from sekkei_fakes.discord.server import Server
from sekkei_systems.eventbot.ports.discord import permissions, rest
from sekkei_systems.eventbot.ports.discord.rest import GLOBAL_PER_SECOND, RestAnswer, Unavailable, route_of

PER_WINDOW, WINDOW_SECONDS = 5, 5.0
TOKEN_LIFE = timedelta(minutes=15)
NONCE_LIFE = timedelta(minutes=5)
TOPIC = "eventbot/simulator"
LOG_KEPT = 60
VIA = "1.1 google"
"""By this libraries tell Discord's own 429 from one of the wall before it."""


@dataclass(slots=True)
class Fault:
    """What the next requests get instead of an answer.

    rate, global    429 for so many seconds            forbidden   403 (50013)
    error           502, nothing done                  gone        404 (10008)
    lost            done, but no answer comes back     old-edits   400 (30046)
    refused         400 with the code that is said
    """

    kind: str
    count: int
    seconds: float = 3.0
    on: str = ""
    """Only requests whose method and path match this: `POST .*/threads`."""
    code: int = 0


class No(Exception):
    """Discord's refusal."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class LocalDiscord:
    """One of them for one store."""

    def __init__(
        self, store: Store, env: str, clock: Clock, live: Live, server: Server, application_id: str, token: str
    ) -> None:
        self.server, self.application_id, self._token = server, application_id, token
        self.public_key, self.endpoint = "", ""
        self.client_secret, self.redirects = "", set[str]()
        """Of sign-in: the application's secret, and the addresses that it has registered."""
        self.db: Database = design.open(store, env=env, clock=clock)
        self.clock, self._live = clock, live
        self.faults: list[Fault] = []
        self.log: deque[dict[str, Any]] = deque(maxlen=LOG_KEPT)
        self._made: asyncio.Lock = asyncio.Lock()
        self._ready = False
        self._windows: dict[tuple[str, str], tuple[float, int]] = {}
        self._second, self._sent = 0, 0
        self._serial = 0

    @property
    def people(self) -> list[str]:
        """Whoever can sign in: members who are no bots."""
        return [id for id, one in self.server.members.items() if not one["user"].get("bot")]

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
        """Raises Unavailable where an answer is lost."""
        await self.prepare()
        bare, _, query = path.partition("?")
        fault = self._fault(f"{method} {bare}")
        if method == "GET":
            body = orjson.dumps(dict(parse_qsl(query))) if query else b""
        status, fields, content = await self._answer(method, bare, headers, body, fault)
        shown = "lost" if fault and fault.kind == "lost" else status
        self.log.appendleft({"at": self.clock.now(), "method": method, "path": bare, "status": shown})
        self._live.publish(TOPIC, "changed")
        if shown == "lost":
            raise Unavailable("the answer was lost")
        return RestAnswer(status, fields, b"" if content is None else orjson.dumps(content))

    async def _answer(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes, fault: Fault | None
    ) -> tuple[int, dict[str, str], Any]:
        bearer = headers.get("Authorization", headers.get("authorization", "")).partition("Bearer ")[2]
        if path in ("/oauth2/token", "/oauth2/token/revoke") and method == "POST":
            return await oauth.exchange(self, path, headers, body)
        if bearer and method == "GET":
            return await oauth.identity(self, path, bearer)
        refused = self._refused_at_the_door(headers, body, reading=method == "GET")
        if refused is not None:
            return refused
        if fault is not None and fault.kind != "lost":
            return _faulty(fault)
        limited, fields = self._limit(method, path)
        if limited is not None:
            return 429, {"via": VIA, **fields}, limited
        try:
            status, answer = await self._route(method, path, body)
        except No as no:
            return no.status, fields, {"message": no.message, "code": no.code}
        return status, fields, answer

    def _refused_at_the_door(
        self, headers: Mapping[str, str], body: bytes, *, reading: bool
    ) -> tuple[int, dict[str, str], dict[str, Any]] | None:
        given = {name.lower(): value for name, value in headers.items()}
        if given.get("authorization") != f"Bot {self._token}":
            return 401, {}, {"message": "401: Unauthorized", "code": 0}
        if not given.get("user-agent", "").startswith("DiscordBot ("):
            return 403, {}, {"message": "blocked", "code": 0}
        if body and not reading and given.get("content-type") != "application/json":
            return 400, {}, {"message": "Invalid Form Body", "code": rest.Code.INVALID_FORM}
        return None

    async def _route(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        from sekkei_fakes.discord.routes import ROUTES

        try:
            content = orjson.loads(body) if body else None
        except orjson.JSONDecodeError:
            raise No(400, rest.Code.INVALID_JSON, "The request body contains invalid JSON.") from None
        for wanted, pattern, handler in ROUTES:
            found = pattern.fullmatch(path)
            if wanted == method and found is not None:
                return await handler(self, found, content)
        raise No(404, 0, "404: Not Found")

    def _fault(self, request: str) -> Fault | None:
        fault = next((one for one in self.faults if re.search(one.on, request)), None)
        if fault is None:
            return None
        fault.count -= 1
        if fault.count <= 0:
            self.faults.remove(fault)
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
            "x-ratelimit-bucket": f"b{crc32(route.encode()):08x}",
        }
        if used >= PER_WINDOW:
            fields |= {"retry-after": f"{after:.3f}", "x-ratelimit-scope": "user"}
            return {"message": "You are being rate limited.", "retry_after": round(after, 3), "global": False}, fields
        self._windows[(route, major)] = (started, used + 1)
        return None, fields

    # What is there

    async def may(self, channel_id: str, needed: int) -> None:
        """Raises No unless the bot may do something in a channel; a thread has the permissions of its parent."""
        thread = await self.thing("thread", channel_id)
        where = thread["parent_id"] if thread else channel_id
        if where in self.server.channels:
            rights = self.server.bot_may(where)
            if not rights & permissions.Permission.VIEW_CHANNEL:
                raise No(403, rest.Code.MISSING_ACCESS, "Missing Access")
            if thread and needed & permissions.Permission.SEND_MESSAGES:
                needed = (
                    needed & ~permissions.Permission.SEND_MESSAGES | permissions.Permission.SEND_MESSAGES_IN_THREADS
                )
            if rights & needed != needed:
                raise No(403, rest.Code.MISSING_PERMISSION, "Missing Permissions")
        elif await self.thing("direct", where) is None:
            raise No(404, rest.Code.UNKNOWN_CHANNEL, "Unknown Channel")

    async def message(self, channel_id: str, message_id: str) -> LocalMessage:
        found = await self.db.get(local_messages(channel_id, message_id).consistent())
        if found is None:
            raise No(404, rest.Code.UNKNOWN_MESSAGE, "Unknown Message")
        return found

    async def post(
        self, channel_id: str, body: Mapping[str, Any], *, author: str = "bot", seen_by: str | None = None,
        thinking: bool = False,
    ) -> LocalMessage:  # fmt: skip
        nonce = str(body["nonce"]) if body.get("nonce") and body.get("enforce_nonce") else None
        known = await self._known(channel_id, nonce) if nonce else None
        if known is not None:
            return known
        stored = {name: value for name, value in body.items() if name not in ("nonce", "enforce_nonce")}
        message = LocalMessage(
            channel_id=channel_id,
            message_id=self.new_id(),
            author=author,
            body=orjson.dumps(stored).decode(),
            seen_by=seen_by,
            nonce=nonce,
            thinking=thinking,
            at=days.now(self.clock),
            pinged=pinged(body, everyone=bool(self.server.bot_may() & permissions.Permission.MENTION_EVERYONE)),
        )
        if nonce:
            await self.keep("nonce", f"{channel_id}/{nonce}", {"id": message.message_id, "at": self.clock.now()})
        return await self.db.write(local_messages.put(message))

    async def _known(self, channel_id: str, nonce: str) -> LocalMessage | None:
        """The message that this nonce made some minutes ago, even one that was deleted since."""
        made = await self.thing("nonce", f"{channel_id}/{nonce}")
        if made is None or self.clock.now() - made["at"] > NONCE_LIFE.total_seconds():
            return None
        found = await self.db.get(local_messages(channel_id, made["id"]).consistent())
        return found or LocalMessage(
            channel_id=channel_id, message_id=made["id"], author="bot", body="{}", at=days.now(self.clock)
        )

    async def edit(self, message: LocalMessage, body: Mapping[str, Any]) -> LocalMessage:
        merged = {**orjson.loads(message.body), **{k: v for k, v in body.items() if k != "flags"}}
        update = local_messages.update(message.channel_id, message.message_id).set(LocalMessage.thinking, False)
        update = update.set(LocalMessage.body, orjson.dumps(merged).decode())
        return await self.db.write(update.set(LocalMessage.edited_at, days.now(self.clock)))

    async def delete(self, channel_id: str, message_id: str) -> None:
        await self.prepare()
        await self.db.write(local_messages.delete(channel_id, message_id))

    async def messages(self, channel_id: str, viewer: str, size: int = 60) -> list[LocalMessage]:
        """The last messages of a channel as one user sees them, oldest first."""
        await self.prepare()
        page = await self.db.page(messages_of_channel(channel_id).consistent(), size=size)
        return [one for one in reversed(list(page)) if one.seen_by in (None, viewer)]

    async def things(self, kind: str) -> list[tuple[str, Any]]:
        await self.prepare()
        return [(one.id, orjson.loads(one.body)) for one in await self.db.all(things_of_kind(kind).consistent())]

    async def thing(self, kind: str, id: str) -> dict[str, Any] | None:
        found = await self.db.get(local_things(kind, id).consistent())
        return None if found is None else dict(orjson.loads(found.body))

    async def keep(self, kind: str, id: str, body: Any) -> None:
        await self.db.write(local_things.put(LocalThing(kind=kind, id=id, body=orjson.dumps(body).decode())))

    async def forget(self, kind: str, id: str) -> bool:
        await self.prepare()
        try:
            await self.db.write(local_things.delete(kind, id).must_exist())
        except ConditionFailed:
            return False
        return True

    async def holders(self, role_id: str) -> set[str]:
        """Who has a role, by hand or from the bot."""
        given = {id.partition("/")[0] for id, _ in await self.things("role") if id.endswith(f"/{role_id}")}
        return given | {id for id, member in self.server.members.items() if role_id in member["roles"]}

    # Interactions

    async def answered(self, interaction: Mapping[str, Any], at: float, original: str | None) -> None:
        """In time, and well. Only now its token is good, and what @original means is known."""
        kept = {"interaction": interaction["id"], "at": at, "original": original}
        kept |= {"channel": interaction["channel_id"], "user": interaction["member"]["user"]["id"]}
        await self.keep("token", interaction["token"], kept)

    async def token(self, token: str) -> dict[str, Any]:
        found = await self.thing("token", token)
        if found is None:
            raise No(404, rest.Code.UNKNOWN_WEBHOOK, "Unknown Webhook")
        if self.clock.now() - found["at"] > TOKEN_LIFE.total_seconds():
            raise No(401, rest.Code.INVALID_TOKEN, "Invalid Webhook Token")
        return found


def _faulty(fault: Fault) -> tuple[int, dict[str, str], Any]:
    if fault.kind in ("rate", "global"):
        everything = fault.kind == "global"
        fields = {"retry-after": str(fault.seconds), "x-ratelimit-scope": "global" if everything else "user"}
        if everything:
            fields["x-ratelimit-global"] = "true"
        body = {"message": "You are being rate limited.", "retry_after": fault.seconds, "global": everything}
        return 429, {"via": VIA, **fields}, body
    if fault.kind == "forbidden":
        return 403, {}, {"message": "Missing Permissions", "code": rest.Code.MISSING_PERMISSION}
    if fault.kind == "gone":
        return 404, {}, {"message": "Unknown Message", "code": rest.Code.UNKNOWN_MESSAGE}
    if fault.kind == "old-edits":
        return 400, {}, {"message": "Maximum number of edits reached", "code": rest.Code.TOO_MANY_OLD_EDITS}
    if fault.kind == "refused":
        return 400, {}, {"message": "Refused", "code": fault.code}
    return 502, {}, {"message": "502: Bad Gateway", "code": 0}
