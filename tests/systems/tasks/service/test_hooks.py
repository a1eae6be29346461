"""Webhooks: who is told what, once; what is sealed, limited and taken along."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.kit.webhooks import signed
from sekkei.runtime.alarms import Alarms
from sekkei.runtime.data_subjects import Person
from sekkei.runtime.deployment import Deployment, assemble
from sekkei.runtime.settings import Secrets, Settings
from sekkei.runtime.transports.webhook import resolved
from sekkei.store import Embedded
from sekkei_systems.tasks.design import (
    Delivered,
    Hook,
    HookDelivery,
    HookEvent,
    NoteKind,
    deliveries_in,
    hooks,
    hooks_of,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.refusals import NotAdmin, TooLarge
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.hooks import BadHookUrl, of_task
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.hooks import (
    HOOKS_MAX,
    KIND,
    STOPPED_AFTER,
    TRIED_FOR,
    HookSender,
    HookStopped,
    NoEvents,
    NoSuchDelivery,
    NoSuchHook,
)
from sekkei_systems.tasks.service.people import Visitor
from sekkei_systems.tasks.system import SYSTEM
from tests.runtime.servers import http_server
from tests.systems.leaving import leave
from tests.systems.tasks.conftest import NOON, World

URL = "https://hooks.example.com/in"
ALL = frozenset(HookEvent)


@pytest.fixture(autouse=True)
def no_network(world: World) -> None:
    """Names are looked up nowhere: nothing arrives."""

    async def nowhere(host: str, port: int) -> list[str]:
        return []

    sender = world.opened.parts.transports[KIND]
    assert isinstance(sender, HookSender)
    sender._resolve = nowhere


async def told(world: World, team_id: str) -> list[HookDelivery]:
    await world.settle()
    found = await world.opened.context.db.all(deliveries_in(team_id).consistent())
    return sorted(found, key=lambda one: one.delivery_id)


async def test_every_event_is_told_once_to_whoever_asked(world: World) -> None:
    team = await world.team("ren")
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    await world.settle()
    await world.service.hooks.add(aoi, URL, ALL)
    quiet, _ = await world.service.hooks.add(aoi, URL, frozenset({HookEvent.TASK_MOVED}))
    task = await world.service.tasks.create(aoi, TaskDraft("見積もり"))
    await world.settle()
    await world.service.tasks.change(ren, task.task_id, TaskChanges(status=Status.DONE))
    await world.service.comments.add(ren, task.task_id, "よし")
    await world.settle()
    await world.service.trash.put(aoi, task.task_id)
    await world.settle()
    await world.service.teams.remove(aoi, "ren")
    found = await told(world, team.team_id)
    loud = sorted(one.event for one in found if one.hook_id != quiet.hook_id)
    assert loud == ["comment.created", "member.left", "task.created", "task.deleted", "task.done"]
    assert [one.event for one in found if one.hook_id == quiet.hook_id] == ["task.moved"]
    (done,) = (one for one in found if one.event == "task.done")
    assert done.event_id == f"msg_{task.task_id}_2"
    assert '"name":"Ren"' in done.body


async def test_what_a_task_is_part_of_is_told(world: World) -> None:
    """It stands beside the task, so nothing of the task itself has changed."""
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    parent, task = [await world.service.tasks.create(aoi, TaskDraft(name)) for name in ("全体", "一部")]
    await world.settle()
    await world.service.hooks.add(aoi, URL, frozenset({HookEvent.TASK_CHANGED}))
    for wanted in (parent.task_id, None):
        await world.service.tasks.change(aoi, task.task_id, TaskChanges(), parent=wanted)
        await world.settle()
    bodies = [json.loads(one.body)["data"] for one in await told(world, team.team_id)]
    assert sorted((one["task"]["parent"] or "", one["changes"]["parent"][1]) for one in bodies) == [
        ("", ""),
        (parent.task_id, f"#{parent.number}"),
    ]


async def test_a_record_that_comes_again_is_told_once(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    await world.settle()
    await world.service.hooks.add(aoi, URL, ALL)
    task = await world.service.tasks.create(aoi, TaskDraft("一度"))
    await world.settle()
    await world.service.hooks.tell(team.team_id, of_task(None, task))
    assert [one.event for one in await told(world, team.team_id)] == ["task.created"]


async def test_the_secret_is_sealed_and_belongs_to_its_address(world: World) -> None:
    team = await world.team()
    aoi = await world.admin("aoi", team.team_id)
    first, secret = await world.service.hooks.add(aoi, URL, ALL)
    second, _ = await world.service.hooks.add(aoi, URL, ALL)
    assert secret.startswith("whsec_")
    assert secret.removeprefix("whsec_") not in first.secret
    log = world.service.hook_log
    assert log.secret(first) != log.secret(second)
    await world.opened.context.db.write(hooks.update(team.team_id, second.hook_id).set(Hook.secret, first.secret))
    assert log.secret(await world.service.hooks.get(aoi, second.hook_id)) is None


async def test_what_is_refused(world: World) -> None:
    team = await world.team("ren")
    aoi = await world.admin("aoi", team.team_id)
    with pytest.raises(NotAdmin):
        await world.admin("ren", team.team_id)
    with pytest.raises(BadHookUrl):
        await world.service.hooks.add(aoi, "http://hooks.example.com", ALL)
    with pytest.raises(NoEvents):
        await world.service.hooks.add(aoi, URL, frozenset())
    with pytest.raises(NoSuchHook):
        await world.service.hooks.change(aoi, "none", URL, ALL)
    with pytest.raises(NoSuchHook):
        await world.service.hooks.delete(aoi, "none")
    for _ in range(HOOKS_MAX):
        made, _ = await world.service.hooks.add(aoi, URL, ALL)
    with pytest.raises(TooLarge):
        await world.service.hooks.add(aoi, URL, ALL)
    with pytest.raises(NoSuchDelivery):
        await world.service.hooks.again(aoi, made.hook_id, "none")
    await world.service.hook_log.missed(made, gone=True)
    with pytest.raises(HookStopped):
        await world.service.hooks.test(aoi, made.hook_id)
    assert (await world.service.hooks.resume(aoi, made.hook_id)).stopped_at is None


async def test_an_address_goes_with_its_log_and_with_its_team(world: World) -> None:
    team = await world.team()
    await world.settle()
    db, aoi = world.opened.context.db, await world.admin("aoi", team.team_id)
    made, _ = await world.service.hooks.add(aoi, URL, ALL)
    await world.service.hooks.add(aoi, URL, ALL)
    await world.service.tasks.create(aoi, TaskDraft("一つ"))
    assert len(await told(world, team.team_id)) == 2
    await world.service.hooks.delete(aoi, made.hook_id)
    assert len(await told(world, team.team_id)) == 1
    await world.service.teams.delete(aoi)
    assert await told(world, team.team_id) == []
    assert await db.all(hooks_of(team.team_id).consistent()) == []


async def test_what_was_told_of_somebody_goes_with_them(world: World) -> None:
    team = await world.team("ren")
    await world.settle()
    aoi, ren = await world.admin("aoi", team.team_id), await world.member("ren", team.team_id)
    await world.service.hooks.add(aoi, URL, frozenset({HookEvent.TASK_CREATED}))
    await world.service.tasks.create(ren, TaskDraft("蓮の"))
    await world.service.tasks.create(aoi, TaskDraft("葵の"))
    assert len(await told(world, team.team_id)) == 2
    await leave(world.opened.parts.personal, Person("ren", "ren@example.com", "Ren"))
    (left,) = await told(world, team.team_id)
    assert "葵の" in left.body


# An address that nothing reaches is stopped after days, and its admins hear of it.


async def test_an_address_that_fails_for_days_is_stopped_and_the_admins_are_told(world: World) -> None:
    team = await world.team("ren")
    aoi, log = await world.admin("aoi", team.team_id), world.service.hook_log
    made, _ = await world.service.hooks.add(aoi, "https://hooks.example.com/in", frozenset(HookEvent))
    await log.missed(made)
    failing = await world.service.hooks.get(aoi, made.hook_id)
    assert failing.failing_since is not None
    await log.missed(failing)
    assert (await world.service.hooks.get(aoi, made.hook_id)).stopped_at is None
    world.clock.advance((STOPPED_AFTER + timedelta(seconds=1)).total_seconds())
    await log.missed(failing)
    await log.missed(failing)  # another worker saw the same
    assert (await world.service.hooks.get(aoi, made.hook_id)).stopped_at is not None
    (note,) = [one for one in await world.service.notes.page("aoi") if one.kind is NoteKind.HOOK]
    assert note.title == "hooks.example.com"
    assert [one for one in await world.service.notes.page("ren") if one.kind is NoteKind.HOOK] == []


async def test_one_that_arrives_ends_the_count(world: World) -> None:
    team = await world.team()
    aoi, log = await world.admin("aoi", team.team_id), world.service.hook_log
    made, _ = await world.service.hooks.add(aoi, "https://hooks.example.com/in", frozenset(HookEvent))
    await log.missed(made)
    await log.arrived(await world.service.hooks.get(aoi, made.hook_id))
    assert (await world.service.hooks.get(aoi, made.hook_id)).failing_since is None


# Deliveries over HTTP: signed, tried again, given up, and never into a network of ours.


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

            sender.sender._resolve = inside  # type: ignore[attr-defined]
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
