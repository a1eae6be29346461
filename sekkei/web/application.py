"""One application out of systems: their pages and APIs under their names, and around them what all of them need."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from sekkei.clock import SYSTEM, Clock
from sekkei.runtime.deployment import assemble
from sekkei.runtime.design import once
from sekkei.runtime.live import LiveLog
from sekkei.runtime.outbox import Transport
from sekkei.runtime.settings import Settings
from sekkei.runtime.system import System
from sekkei.runtime.worker import Worker
from sekkei.store.protocol import Store
from sekkei.web import csrf, demo, home, live, metrics, problems
from sekkei.web.console import pages as console_pages
from sekkei.web.console import target as console_looked
from sekkei.web.identity import account, address, exporting, leaving, passkeys, proof, provider_pages, sign_in
from sekkei.web.identity.accounts import Passwords
from sekkei.web.middleware import Gate
from sekkei.web.routing import Addresses
from sekkei.web.shell import Shell

_READY_SECONDS = 3.0
log = logging.getLogger("sekkei.web")


def application(
    systems: Sequence[System],
    store: Store,
    settings: Settings,
    clock: Clock = SYSTEM,
    *,
    loopback: bool = False,
    work: bool = False,
    share_live: bool = False,
    transports: Mapping[str, Transport] | None = None,
    passwords: Passwords | None = None,
    looked: console_looked.Looked | None = None,
    process: str | None = None,
) -> Starlette:
    """All systems as one ASGI application.

    `loopback`  the server is bound to this machine only, so a demo may offer its one-click sign-in
    `work`      run pumps, schedules, outbox and jobs in this process as long as the application lives
    `share_live`  pages open in other processes on this store hear what happens in this one, and the reverse
    `looked`    what the console shows, when it is not the store that the systems run on
    `process`   a name of this process among those on the store; made up unless given
    """
    deployment = assemble(systems, store, settings, clock, transports=transports, process=process)
    shell = Shell(deployment, settings, clock, loopback=loopback, passwords=passwords, looked=looked)
    deployment.worker.add(leaving.running(shell))
    app = Starlette(
        routes=_routes(shell),
        middleware=[Middleware(Gate, shell=shell)],
        exception_handlers=dict(problems.HANDLERS),
        lifespan=_lifespan(shell, work, share_live and shell.live_on),
    )
    app.state.shell = shell
    return app


def _lifespan(shell: Shell, work: bool, share_live: bool):  # type: ignore[no-untyped-def]
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        deployment = shell.deployment
        await shell.prepare()
        if shell.load_demo:
            await demo.load(shell)
        log = LiveLog(deployment.runtime, shell.clock, deployment.live)
        if share_live:
            await log.start()
        if work:
            await deployment.worker.start()
        else:
            await deployment.worker.only_tell()
        stopping = shell.connections.stopping
        worker_ends = asyncio.create_task(_stop(deployment.worker, stopping))
        try:
            yield
        finally:
            stopping.set()
            await worker_ends
            if share_live:
                await log.stop()

    return lifespan


async def _stop(worker: Worker, stopping: asyncio.Event) -> None:
    """The worker ends while requests that are under way are still answered, so that both have the time there is."""
    await stopping.wait()
    await worker.stop()


def _routes(shell: Shell) -> list[BaseRoute]:
    routes: list[BaseRoute] = [
        Route("/", home.show, methods=["GET"], name="home"),
        Route("/healthz", healthy, methods=["GET"]),
        Route("/readyz", ready, methods=["GET"]),
        Route(metrics.PATH, metrics.show, methods=["GET"]),
        Route("/favicon.ico", home.icon, methods=["GET"]),
        Route("/live", live.listen, methods=["GET"]),
        Route("/static/{version}/{name:path}", shell.static.serve, methods=["GET"]),
        *sign_in.routes(),
        *account.routes(),
        *address.routes(),
        *exporting.routes(),
        *leaving.routes(),
        *passkeys.routes(),
        *provider_pages.routes(),
        *proof.routes(),
        *console_pages.routes(),
    ]
    taken = {route.path.split("/")[1] for route in routes if isinstance(route, Route)}
    mounts: list[BaseRoute] = []
    for name, opened in shell.deployment.systems.items():
        if name in taken:
            raise ValueError(f"A system cannot be named {name}: /{name} is a page of the shell.")
        mounts.append(Mount(f"/{name}", routes=list(opened.parts.routes), name=name))
    # Systems first: routes are tried in their order, and these are asked for most.
    routes = [*mounts, *routes]
    csrf.guard(routes)
    shell.addresses = Addresses(routes)
    shell.webhooks = csrf.webhook_paths(routes)
    return routes


async def healthy(request: Request) -> Response:
    """The process lives; whoever watches it need not start it anew."""
    return PlainTextResponse("ok")


async def ready(request: Request) -> Response:
    """The store answers too, so that requests may be sent here."""
    runtime = request.app.state.shell.deployment.runtime
    try:
        async with asyncio.timeout(_READY_SECONDS):
            await runtime.get(once("readyz"))
    except Exception as error:
        log.warning("the store does not answer", extra={"error": repr(error)})
        return PlainTextResponse("the store does not answer", 503)
    return PlainTextResponse("ok")
