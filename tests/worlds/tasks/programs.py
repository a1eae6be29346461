"""Other programs that are told what happens in a team: their receiver, and what admins do with their addresses."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from sekkei.store.http import Answer
from sekkei.worlds import Person, World
from sekkei.worlds.chance import dice_of
from sekkei_systems.tasks.design import Delivered, Hook, HookEvent
from tests.worlds.tasks.people import TABLE, WORLD, api

HOST = "9.9.9.9"
"""An address, and no name: nobody is asked where it leads."""
SOME = 2
"""Addresses of a team: everything is told to each of them."""
ARRIVING_SECONDS = 3.0
"""In which something arrives, unless a fault is in its way."""
GONE = 0.05
"""So often a receiver says that it is gone for good, which stops its address."""


@dataclass(frozen=True, slots=True)
class Received:
    at: float
    path: str
    headers: Mapping[str, str]
    body: bytes

    def is_signed_with(self, secret: str) -> bool:
        """As Standard Webhooks has it, by somebody who knows nothing of our way to sign."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        told = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + self.body
        signature = base64.b64encode(hmac.digest(key, told, hashlib.sha256)).decode()
        return self.headers["webhook-signature"] == f"v1,{signature}"


@dataclass(slots=True)
class Receiver:
    """A server of somebody's; the path says for which address."""

    world: World
    received: list[Received] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)
    """By path, of those who heard theirs."""
    is_known: bool = False
    """Somebody wanted to give its address."""
    closed: set[str] = field(default_factory=set)
    """Paths whose owner has taken them away."""
    answers: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """What each event was answered with, by its id."""

    async def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        one = Received(self.world.loop.time(), urlsplit(target).path, dict(headers), body)
        self.received.append(one)
        gone = self.world.faulty and dice_of(self.world.seed, HOST, len(self.received)).chance(GONE)
        code = 410 if gone or one.path in self.closed else 204
        self.answers[one.headers["webhook-id"]].add(code)
        return Answer(code, {}, b"")


@WORLD.prepares
def open_receiver(world: World) -> None:
    world.given["receiver"] = receiver = Receiver(world)
    world.internet.services[HOST] = receiver


def receiver_of(world: World) -> Receiver:
    found: Receiver = world.given["receiver"]
    return found


def _events(me: Person) -> list[str]:
    some = [HookEvent.TASK_CREATED, *me.dice.sample([*HookEvent], 3)]
    return sorted({each.value for each in some})


async def _add(me: Person) -> tuple[int, str | None]:
    receiver_of(me.world).is_known = True
    path = f"/hooks/{me.asker.name.replace('#', '-')}"
    body = {"url": f"https://{HOST}{path}", "events": _events(me)}
    reply = await me.json("POST", api(me, "/webhooks"), body)
    if reply.status != 201:
        return reply.status, None
    receiver_of(me.world).secrets[path] = reply.json()["secret"]
    return reply.status, reply.json()["id"]


async def _hooks(me: Person) -> list[dict[str, Any]]:
    """With a new one, if there is none."""
    reply = await me.json("GET", api(me, "/webhooks"))
    found: list[dict[str, Any]] = reply.json()["items"] if reply.status == 200 else []
    if found or reply.status != 200:
        return found
    await _add(me)
    again = await me.json("GET", api(me, "/webhooks"))
    return again.json()["items"] if again.status == 200 else []


async def _some_hook(me: Person) -> dict[str, Any] | None:
    found = await _hooks(me)
    return me.dice.choice(found) if found else None


def _path(me: Person, hook: Mapping[str, Any], more: str = "") -> str:
    return api(me, f"/webhooks/{hook['id']}{more}")


@WORLD.does("member", 0.8)
async def adds_a_webhook(me: Person) -> str | None:
    reply = await me.json("GET", api(me, "/webhooks"))
    if reply.status == 200 and len(reply.json()["items"]) >= SOME:
        return None
    return f"adds a webhook: {(await _add(me))[0]}"


@WORLD.does("member", 0.4)
async def tests_a_webhook(me: Person) -> str | None:
    hook = await _some_hook(me)
    if hook is None:
        return None
    reply = await me.json("POST", _path(me, hook, "/test"))
    return f"tests a webhook: {reply.status}"


@WORLD.does("member", 0.4)
async def resumes_a_webhook(me: Person) -> str | None:
    """One that was stopped; if none was, they take one away for a while, which stops it."""
    found = await _hooks(me)
    stopped = [each for each in found if each["stoppedAt"]]
    if not found:
        return None
    hook = me.dice.choice(stopped or found)
    closed, path = receiver_of(me.world).closed, urlsplit(hook["url"]).path
    if not stopped:
        closed.add(path)
        await me.json("POST", _path(me, hook, "/test"))
        await asyncio.sleep(ARRIVING_SECONDS)
    state = "stopped" if _is_stopped(me, hook["id"]) else "running"
    closed.discard(path)
    reply = await me.json("POST", _path(me, hook, "/resume"))
    return f"resumes a {state} webhook: {reply.status}"


def _is_stopped(me: Person, hook_id: str) -> bool:
    rows = (each for each in me.world.decoded(TABLE) if isinstance(each, Hook))
    return any(each.hook_id == hook_id and each.stopped_at is not None for each in rows)


@WORLD.does("member", 0.4)
async def changes_a_webhook(me: Person) -> str | None:
    hook = await _some_hook(me)
    if hook is None:
        return None
    url = f"https://{HOST}{urlsplit(hook['url']).path}?{me.dice.randint(1, 9)}"
    body = {"url": url, "events": _events(me)}
    reply = await me.json("PUT", _path(me, hook), body)
    return f"changes a webhook: {reply.status}"


@WORLD.does("member", 0.4)
async def deletes_a_webhook(me: Person) -> str | None:
    hook = await _some_hook(me)
    if hook is None:
        return None
    reply = await me.json("DELETE", _path(me, hook))
    return f"deletes a webhook: {reply.status}"


@WORLD.does("member", 0.4)
async def has_it_sent_again(me: Person) -> str | None:
    """Out of the log of an address; a test, if nothing was sent yet."""
    hook = await _some_hook(me)
    if hook is None:
        return None
    log = await me.json("GET", _path(me, hook, "/deliveries"))
    found = log.json()["items"] if log.status == 200 else []
    if log.status == 200 and not found:
        made = await me.json("POST", _path(me, hook, "/test"))
        found = [made.json()] if made.status == 202 else []
        await asyncio.sleep(ARRIVING_SECONDS)
    if not found:
        return None
    ended = [each for each in found if each["state"] != Delivered.WAITING.value] or found
    path = _path(me, hook, f"/deliveries/{me.dice.choice(ended)['id']}/again")
    return f"has something sent again: {(await me.json('POST', path)).status}"
