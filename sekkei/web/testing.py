"""For tests of pages and APIs: a client that talks to the application in this process, like a browser without a window.

async with opened(sekkei_systems.tasks.SYSTEM) as client:
    await client.sign_in("demo-aoi")
    answer = await client.get("/tasks/")
    answer = await client.post("/tasks/teams", {"name": "x"})            # a form, with the token of the page
    answer = await client.json("POST", "/tasks/api/teams", {"name": "x"})
    await client.work()                # all that is due: streams, schedules, outbox, jobs
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import orjson
from argon2 import PasswordHasher
from starlette.applications import Starlette

from sekkei.clock import SYSTEM, Clock
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.system import System
from sekkei.store import Embedded, Store
from sekkei.web import csrf
from sekkei.web.application import application
from sekkei.web.console.target import Looked
from sekkei.web.demo import load
from sekkei.web.identity.accounts import Passwords
from sekkei.web.middleware import HOST_SESSION_COOKIE, SESSION_COOKIE
from sekkei.web.shell import Shell

_WHO = {SESSION_COOKIE, HOST_SESSION_COOKIE, csrf.ANONYMOUS_COOKIE}
_TOKEN = re.compile(r'name="csrf-token" content="([0-9a-f]+)"')
QUICK_PASSWORDS = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@dataclass(slots=True)
class Reply:
    """What came back."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return orjson.loads(self.body)

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name.lower()), None)

    @property
    def location(self) -> str:
        return self.header("location") or ""


@dataclass
class Client:
    """One browser. Cookies are kept; redirects are not followed unless asked."""

    app: Starlette
    address: str = "127.0.0.1"
    host: str = "127.0.0.1:8000"
    language: str = "ja"
    cookies: dict[str, str] = field(default_factory=dict)
    bearer: str | None = None
    _token: tuple[frozenset[tuple[str, str]], str] | None = field(default=None, init=False, repr=False)
    """The last one, and the cookies that it is for."""

    @property
    def shell(self) -> Shell:
        shell: Shell = self.app.state.shell
        return shell

    def another(self, **changes: Any) -> Client:
        """A second browser, with no cookies."""
        return Client(self.app, **{"address": self.address, "host": self.host, "language": self.language, **changes})

    async def work(self) -> None:
        """Do everything that is due: streams, schedules, outbox, jobs."""
        await self.shell.deployment.worker.run_until_idle()

    async def sign_in(self, person: str = "demo-aoi") -> None:
        """As somebody of the demo data, by a session of their own."""
        found = next(one for one in DEMO_PEOPLE if one.id == person)
        account = await self.shell.accounts.ensure(found)
        self.sign_out()
        self.cookies[SESSION_COOKIE] = await self.shell.accounts.begin_session(account, "test")

    async def sign_in_by_email(self, email: str, name: str = "Somebody") -> str:
        """As anybody; the account is made when there is none. Returns its id."""
        account = await self.shell.accounts.by_email(email) or await self.shell.accounts.create(email, name)
        self.sign_out()
        self.cookies[SESSION_COOKIE] = await self.shell.accounts.begin_session(account, "test")
        return account.id

    def sign_out(self) -> None:
        for name in (SESSION_COOKIE, HOST_SESSION_COOKIE):
            self.cookies.pop(name, None)

    async def token(self) -> str:
        """The token for unsafe requests, as a page of ours carries it; as that page stays open, it is used again."""
        if self._token is None or self._token[0] != self._who():
            token = await self.new_token()
            self._token = self._who(), token
        return self._token[1]

    def _who(self) -> frozenset[tuple[str, str]]:
        return frozenset((name, value) for name, value in self.cookies.items() if name in _WHO)

    async def new_token(self) -> str:
        """Of a page that is opened now."""
        signed_in = {SESSION_COOKIE, HOST_SESSION_COOKIE} & self.cookies.keys()
        page = await self.get("/account" if signed_in else "/sign-in")
        if page.status == 303:  # signed out meanwhile, by somebody else
            page = await self.get("/sign-in")
        found = _TOKEN.search(page.text)
        assert found is not None, f"no token in the page: {page.status}"
        return found[1]

    async def get(self, path: str, *, follow: bool = False, headers: Mapping[str, str] | None = None) -> Reply:
        reply = await self.request("GET", path, headers={"Accept": "text/html", **(headers or {})})
        while follow and reply.status in (301, 302, 303, 307, 308):
            reply = await self.request("GET", reply.location, headers={"Accept": "text/html"})
        return reply

    async def post(
        self, path: str, form: Mapping[str, Any] | None = None, *, follow: bool = False, token: str | None = None
    ) -> Reply:
        """Send a form, with the right token unless another one is given."""
        fields = {**(form or {}), csrf.FIELD: await self.token() if token is None else token}
        body = urlencode(fields, doseq=True).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
        reply = await self.request("POST", path, body, headers)
        return await self.get(reply.location, follow=True) if follow and reply.status == 303 else reply

    async def json(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> Reply:
        """A request to an API, as a script on one of our pages (or, with `bearer`, a program) would send it."""
        sent = {"Accept": "application/json", "Content-Type": "application/json", **(headers or {})}
        if method not in csrf.SAFE and self.bearer is None:
            sent["X-CSRF-Token"] = await self.token() if token is None else token
        return await self.request(method, path, b"" if body is None else orjson.dumps(body), sent)

    async def events(self, path: str, count: int, *, headers: Mapping[str, str] | None = None) -> Reply:
        """Listen to server-sent events until `count` pieces have come, then hang up."""
        return await self.request("GET", path, headers={"Accept": "text/event-stream", **(headers or {})}, pieces=count)

    async def request(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        *,
        pieces: int = 0,
    ) -> Reply:
        """Any request. An endless answer is cut off after so many pieces."""
        reply = Reply(0, [], b"")
        sent = False
        enough = asyncio.Event()
        left = pieces

        async def receive() -> dict[str, Any]:
            nonlocal sent
            if sent:
                await enough.wait()  # the connection stays open until the answer is there
                return {"type": "http.disconnect"}
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            nonlocal left
            if message["type"] == "http.response.start":
                reply.status = message["status"]
                reply.headers = [(name.decode(), value.decode("latin-1")) for name, value in message["headers"]]
            elif not enough.is_set():
                reply.body += message.get("body", b"")
                left -= 1
            if left <= 0 and (reply.header("content-type") or "").startswith("text/event-stream"):
                enough.set()

        await self.app(self._scope(method, path, body, headers or {}), receive, send)
        self._keep_cookies(reply)
        return reply

    def _scope(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
        bare, _, query = path.partition("?")
        sent = {"host": self.host, "accept-language": self.language}
        if body or method not in csrf.SAFE:
            sent["content-length"] = str(len(body))
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if self.bearer is not None:
            sent["authorization"] = f"Bearer {self.bearer}"
        sent.update({name.lower(): value for name, value in headers.items()})
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(bare),
            "raw_path": bare.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent.items()],
            "client": (self.address, 50_000),
            "server": ("127.0.0.1", 8000),
        }

    def _keep_cookies(self, reply: Reply) -> None:
        for name, value in reply.headers:
            if name != "set-cookie":
                continue
            for key, morsel in SimpleCookie(value).items():
                if morsel["max-age"] == "0":
                    self.cookies.pop(key, None)
                else:
                    self.cookies[key] = morsel.value


def test_settings(**changes: Any) -> Settings:
    """Settings of a test: a demo on one's own machine, without a rate limit."""
    values = {"rate_limit": "off", **changes.pop("values", {})}
    given = {
        "data": Path(tempfile.gettempdir()) / f"sekkei-test-{os.getpid()}",
        "env": "test",
        "demo": True,
        "secrets": Secrets(b"a secret for tests"),
        **changes,
    }
    return Settings(values=values, **given)


test_settings.__test__ = False  # type: ignore[attr-defined]


@asynccontextmanager
async def opened(
    *systems: System,
    store: Store | None = None,
    clock: Clock = SYSTEM,
    settings: Settings | None = None,
    loopback: bool = True,
    demo: bool = False,
    share_live: bool = False,
    looked: Looked | None = None,
) -> AsyncIterator[Client]:
    """Systems on a store of their own (or the one given), and a client. `demo` loads their sample data.

    `share_live` is for several of them on one store: what happens in one is heard in the others. `looked` is what the
    console shows, when it is another store."""
    own = Embedded(clock=clock) if store is None else None
    chosen = settings or test_settings(demo=True)
    app = application(
        list(systems),
        store or own or Embedded(),
        chosen,
        clock,
        loopback=loopback,
        share_live=share_live,
        passwords=Passwords(QUICK_PASSWORDS),
        looked=looked,
    )
    app.state.shell.load_demo = False
    try:
        async with app.router.lifespan_context(app):
            if demo:
                await load(app.state.shell, strict=True)
            yield Client(app)
    finally:
        if own is not None:
            await own.close()
