"""Deliveries over HTTP: signed, tried again, given up, and never into a network of ours."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.kit.webhooks import signed
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.deployment import Deployment, assemble
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.transports.webhook import resolved
from sekkei.store import Embedded
from sekkei_systems.tasks.design import Delivered, Hook, HookDelivery, HookEvent
from sekkei_systems.tasks.ports.hooks import TRIED_FOR
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.hooks import BadHookUrl
from sekkei_systems.tasks.service import Admin, Service, Visitor
from sekkei_systems.tasks.system import SYSTEM
from tests.runtime.servers import http_server
from tests.systems.tasks.conftest import NOON

Canned = tuple[int, dict[str, str], Any]


@dataclass(frozen=True, slots=True)
class Desk:
    """A team with one address, on a machine that speaks to itself."""

    deployment: Deployment
    clock: ManualClock
    service: Service
    admin: Admin
    hook: Hook
    secret: bytes

    async def work(self, seconds: float = 0) -> HookDelivery:
        """The latest delivery, once everything that is due was tried."""
        self.clock.advance(seconds)
        await self.deployment.worker.run_until_idle()
        return (await self.service.hooks.log(self.admin, self.hook.hook_id)).items[0]

    async def as_it_is(self) -> Hook:
        return await self.service.hooks.get(self.admin, self.hook.hook_id)


@asynccontextmanager
async def desk(url: str, public_url: str = "http://127.0.0.1:8000") -> AsyncIterator[Desk]:
    clock = ManualClock(NOON)
    store = Embedded(clock=clock)
    deployment = assemble(
        [SYSTEM], store, Settings(secrets=Secrets(b"a secret of the tests"), public_url=public_url), clock
    )
    await deployment.make_tables()
    service: Service = deployment.systems["tasks"].parts.service
    await service.people.arrive(Visitor("aoi", "aoi@example.com", "Aoi"))
    admin = await service.access.admin("aoi", (await service.teams.create("aoi", "開発")).team_id)
    hook, secret = await service.hooks.add(admin, url, frozenset({HookEvent.TASK_CREATED}))
    yield Desk(deployment, clock, service, admin, hook, base64.b64decode(secret.removeprefix("whsec_")))
    await store.close()


async def test_a_delivery_is_signed_and_its_answer_written_down() -> None:
    async with http_server((204, {}, None)) as server, desk(f"{server.url}/in?x=1") as here:
        await here.service.tasks.create(here.admin, TaskDraft("見積もり"))
        found = await here.work()
        assert (found.state, found.code, found.attempts) == (Delivered.SENT, 204, 1)
        (request,) = server.received
        assert request.path == "/in?x=1"
        assert request.json["data"]["task"]["title"] == "見積もり"
        told = {name: request.headers[name] for name in ("webhook-id", "webhook-timestamp", "webhook-signature")}
        assert told == signed([here.secret], found.event_id, int(told["webhook-timestamp"]), request.body)


async def test_what_fails_is_tried_again_with_the_same_id_and_sent_again_by_hand() -> None:
    async with http_server((500, {}, None), (200, {}, None)) as server, desk(server.url) as here:
        await here.service.hooks.test(here.admin, here.hook.hook_id)
        waiting = await here.work()
        assert (waiting.state, waiting.code, waiting.attempts) == (Delivered.WAITING, 500, 1)
        assert (await here.as_it_is()).failing_since is not None
        found = await here.work(10)
        assert (found.state, found.attempts) == (Delivered.SENT, 2)
        assert (await here.as_it_is()).failing_since is None
        await here.service.hooks.again(here.admin, here.hook.hook_id, found.delivery_id)
        assert (await here.work()).again == 1
        assert len({request.headers["webhook-id"] for request in server.received}) == 1
        assert len(server.received) == 3


async def test_a_receiver_says_when_to_come_back_but_not_for_ever() -> None:
    async with http_server((429, {"Retry-After": "1800"}, None)) as server, desk(server.url) as here:
        await here.service.hooks.test(here.admin, here.hook.hook_id)
        await here.work()
        await here.work(1_700)
        assert len(server.received) == 1
        assert (await here.work(200)).state is Delivered.WAITING
        assert len(server.received) == 2
        assert (await here.work(TRIED_FOR.total_seconds())).state is Delivered.FAILED


@pytest.mark.parametrize(
    ("answers", "code", "stopped"),
    [([(302, {"Location": "http://169.254.169.254/"}, None)], 302, False), ([(410, {}, None)], 410, True)],
)
async def test_what_will_never_arrive_is_given_up_at_once(answers: Sequence[Canned], code: int, stopped: bool) -> None:
    async with http_server(*answers) as server, desk(server.url) as here:
        await here.service.hooks.test(here.admin, here.hook.hook_id)
        found = await here.work()
        assert (found.state, found.code, found.attempts) == (Delivered.FAILED, code, 1)
        assert ((await here.as_it_is()).stopped_at is not None) is stopped
        await here.work(10_000)
        assert len(server.received) == 1


async def test_after_twelve_tries_it_is_the_teams_business_and_rings_no_alarm() -> None:
    async with http_server((500, {}, None)) as server, desk(server.url) as here:
        await here.service.hooks.test(here.admin, here.hook.hook_id)
        for _ in range(30):
            found = await here.work(4_000)
        assert (found.state, found.code, found.attempts) == (Delivered.FAILED, 500, 12)
        assert len(server.received) == 12
        assert await Alarms(here.deployment.runtime, here.clock).all() == []


async def test_an_address_that_leads_inside_is_never_called() -> None:
    async with http_server((200, {}, None)) as server:
        port = server.url.rpartition(":")[2]
        async with desk(f"https://127.0.0.1.nip.example:{port}/", "https://tasks.example") as here:
            sender = here.deployment.systems["tasks"].parts.transports["tasks.webhook"]

            async def inside(host: str, port: int) -> list[str]:
                return ["93.184.216.34", "127.0.0.1"]

            sender._sender._resolve = inside  # type: ignore[attr-defined]
            await here.service.hooks.test(here.admin, here.hook.hook_id)
            found = await here.work()
        assert (found.state, found.code) == (Delivered.FAILED, None)
        assert "private network" in (found.error or "")
        assert server.received == []


async def test_nothing_is_sent_once_the_address_is_gone() -> None:
    async with http_server((200, {}, None)) as server, desk(server.url) as here:
        await here.service.hooks.test(here.admin, here.hook.hook_id)
        await here.service.hooks.delete(here.admin, here.hook.hook_id)
        await here.deployment.worker.run_until_idle()
        assert server.received == []


@pytest.mark.parametrize("public_url", ["https://tasks.example", "http://127.0.0.1:8000"])
@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.1/x", "https://169.254.169.254/latest", "https://[fe80::1]/", "https://[::ffff:10.0.0.1]/", "https://a..b/",
        "https://inside.example.com/", "https://0.0.0.0/", "https://10.1/",
    ],
)  # fmt: skip
async def test_an_address_that_leads_inside_is_refused_when_it_is_added(
    url: str, public_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names too; one that nobody answers for is taken, for it may be set up later."""

    async def resolve(host: str, port: int) -> list[str]:
        if host.endswith("example.com"):
            return ["10.0.0.7"] if host.startswith("inside") else []
        return await resolved(host, port)

    server = "https://hooks.example.com/" if public_url.startswith("https") else "http://127.0.0.1:9/"
    monkeypatch.setattr("sekkei_systems.tasks.service.hooks.resolved", resolve)
    async with desk(server, public_url) as here:
        for change in (
            here.service.hooks.add(here.admin, url, frozenset({HookEvent.TASK_DONE})),
            here.service.hooks.change(here.admin, here.hook.hook_id, url, frozenset({HookEvent.TASK_DONE})),
        ):
            with pytest.raises(BadHookUrl):
                await change
        assert [one.url for one in await here.service.hooks.all(here.admin)] == [server]
