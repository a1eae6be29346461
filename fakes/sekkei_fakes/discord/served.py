"""The local Discord over HTTP, in a process of its own: the bot reaches it as it reaches the real one.

/api/v10/…           Discord's REST API
POST /act            somebody does something: {"person", "channel", "kind": "command", "words": "event list", …}
GET /state           a channel as one person sees it: ?channel=…&person=…
POST /redirects      {"url": …}: an address that people may come back to after signing in
GET /oauth2/authorize   the page where they say yes; &person=… says it for somebody
POST /interactions   {"url": …}: where the bot takes interactions; a PING and a forgery try it first, as Discord does
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import urlencode

import msgspec
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from sekkei.clock import SYSTEM, Clock
from sekkei.errors import NoAnswer
from sekkei.runtime.http import Http
from sekkei.runtime.live import Live
from sekkei.runtime.refusals import Refusal
from sekkei.runtime.settings import from_environment
from sekkei.store import Embedded
from sekkei_fakes.discord import demo, oauth
from sekkei_fakes.discord.client import AppClient
from sekkei_fakes.discord.discord import LocalDiscord
from sekkei_fakes.discord.simulator import Act, act_json, performed, shown
from sekkei_systems.eventbot.demo import guild
from sekkei_systems.eventbot.ports.discord.rest import Unavailable
from sekkei_systems.eventbot.ports.discord.signature import Signer

API = "/api/v10"
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


@dataclass(slots=True)
class Served:
    """One local Discord and the bot that it sends interactions to."""

    local: LocalDiscord
    signer: Signer
    clock: Clock
    http: Http
    interactions: str = ""

    def application(self) -> Starlette:
        self.local.public_key = self.signer.public_key
        return Starlette(
            routes=[
                Route(API + "/{path:path}", self.rest, methods=METHODS),
                Route("/act", self.act, methods=["POST"]),
                Route("/state", self.state, methods=["GET"]),
                Route("/interactions", self.connect, methods=["POST"]),
                Route("/redirects", self.register, methods=["POST"]),
                Route("/oauth2/authorize", self.authorise, methods=["GET"]),
            ]
        )

    async def rest(self, request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        path = request.url.path.removeprefix(API) + query
        try:
            answer = await self.local.send(request.method, path, request.headers, await request.body())
        except Unavailable:
            return Response(status_code=504)
        kind = "application/json" if answer.body else None
        return Response(answer.body, answer.status, dict(answer.headers), kind)

    async def act(self, request: Request) -> Response:
        try:
            wanted = msgspec.json.decode(await request.body(), type=Act)
            person = guild.PEOPLE[wanted.person]
        except (msgspec.DecodeError, KeyError) as wrong:
            return _json({"ok": False, "reason": f"nobody can do that: {wrong}"}, 400)
        client = AppClient(self.local, self.signer, self.deliver, self.local.application_id, self.clock)
        try:
            outcome = await performed(self.local, client, person, wanted)
        except Refusal as refusal:
            return _json({"ok": False, "reason": str(refusal)}, refusal.status)
        return _json({**act_json(outcome), "response": outcome.response})

    async def deliver(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        try:
            answer = await self.http.request("POST", self.interactions, headers=headers, body=body)
        except NoAnswer as error:
            return 599, str(error).encode()
        return answer.status, answer.body

    async def state(self, request: Request) -> Response:
        query = request.query_params
        messages = await self.local.messages(query["channel"], query["person"])
        return _json({"messages": [shown(one) for one in messages], "log": list(self.local.log)})

    async def connect(self, request: Request) -> Response:
        """Discord keeps an address only if it answers a PING and refuses a forged one."""
        self.interactions = str(orjson.loads(await request.body())["url"])
        ping = orjson.dumps({"type": 1})
        signed = {**self.signer.headers(ping, self.clock.now()), "content-type": "application/json"}
        forged = {**signed, "x-signature-ed25519": "0" * 128}
        good, bad = await self.deliver(ping, signed), await self.deliver(ping, forged)
        ok = good[0] == 200 and orjson.loads(good[1]) == {"type": 1} and bad[0] == 401
        self.local.endpoint = self.interactions if ok else ""
        return _json({"ok": ok, "ping": good[0], "forged": bad[0]}, 200 if ok else 400)

    async def register(self, request: Request) -> Response:
        self.local.redirects.add(str(orjson.loads(await request.body())["url"]))
        return _json({"ok": True})

    async def authorise(self, request: Request) -> Response:
        await self.local.prepare()
        asked = dict(request.query_params)
        person = asked.pop("person", "")
        if not person:
            links = [
                f'<li><a href="?{escape(urlencode({**asked, "person": id}))}">{escape(guild.PEOPLE[id].name)}</a></li>'
                for id in self.local.people
                if id in guild.PEOPLE
            ]
            return HTMLResponse(f"<!doctype html><title>Discord</title><ul>{''.join(links)}</ul>")
        to = await oauth.grant(self.local, asked, person)
        return RedirectResponse(to, 302) if to else _json({"error": "invalid_request"}, 400)


def _json(content: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(content), status, media_type="application/json")


def run(port: int) -> None:
    """In the foreground, until it is stopped; what was posted is forgotten then."""
    secrets = from_environment().secrets
    signer, token = Signer(secrets.key("eventbot-discord")), secrets.key("eventbot-discord-token").hex()
    local = LocalDiscord(Embedded(), "local", SYSTEM, Live(), demo.server(), guild.BOT_ID, token)
    local.client_secret = secrets.key("eventbot-discord-client").hex()
    listening = socket.create_server(("127.0.0.1", port))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    print(f"A Discord of your own: {url}{API}\nThe bot's settings:")
    for name, value in (
        ("APPLICATION_ID", guild.BOT_ID),
        ("PUBLIC_KEY", signer.public_key),
        ("BOT_TOKEN", token),
        ("CLIENT_SECRET", local.client_secret),
        ("API_URL", f"{url}{API}"),
    ):
        print(f"export SEKKEI_DISCORD_{name}={value}")
    print("Stop it with Ctrl-C.", flush=True)
    app = Served(local, signer, SYSTEM, Http()).application()
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
