"""Webhooks: other programs that are told what happens in a team."""

from __future__ import annotations

from msgspec import structs
from starlette.requests import Request

from sekkei.web import Operations, PageOf, limit
from sekkei_systems.tasks.api.shapes import HOOK_TESTS, DeliveryOut, HookOut, NewHook, NewHookOut, NoteQuery
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.hooks import Hooks

operations = Operations()
ONE = "/teams/{team_id}/webhooks/{hook_id}"


@operations.get("/teams/{team_id}/webhooks", summary="Addresses that are told what happens", tag="webhooks")
async def list_hooks(admin: Admin, hooks: Hooks) -> PageOf[HookOut]:
    return PageOf([HookOut.of(hook) for hook in await hooks.all(admin)])


@operations.post("/teams/{team_id}/webhooks", summary="Add an address", status=201, tag="webhooks")
async def add_hook(admin: Admin, hooks: Hooks, body: NewHook) -> NewHookOut:
    made, secret = await hooks.add(admin, body.url, frozenset(body.events))
    return NewHookOut(**structs.asdict(HookOut.of(made)), secret=secret)


@operations.put(ONE, summary="Another address, other events; one that was stopped goes on", tag="webhooks")
async def change_hook(admin: Admin, hooks: Hooks, hook_id: str, body: NewHook) -> HookOut:
    return HookOut.of(await hooks.change(admin, hook_id, body.url, frozenset(body.events)))


@operations.delete(ONE, summary="Take an address away, with its log", tag="webhooks")
async def delete_hook(admin: Admin, hooks: Hooks, hook_id: str) -> None:
    await hooks.delete(admin, hook_id)


@operations.post(f"{ONE}/resume", summary="Go on with an address that was stopped", tag="webhooks")
async def resume_hook(admin: Admin, hooks: Hooks, hook_id: str) -> HookOut:
    return HookOut.of(await hooks.resume(admin, hook_id))


@operations.post(f"{ONE}/test", summary="Send a test", status=202, tag="webhooks")
async def test_hook(request: Request, admin: Admin, hooks: Hooks, hook_id: str) -> DeliveryOut:
    limit(request, *HOOK_TESTS)
    return DeliveryOut.of(await hooks.test(admin, hook_id))


@operations.get(f"{ONE}/deliveries", summary="What it was sent in the last 30 days, the latest first", tag="webhooks")
async def list_deliveries(admin: Admin, hooks: Hooks, hook_id: str, query: NoteQuery) -> PageOf[DeliveryOut]:
    found = await hooks.log(admin, hook_id, query.after)
    return PageOf([DeliveryOut.of(one) for one in found], found.cursor)


@operations.post(f"{ONE}/deliveries/{{delivery_id}}/again", summary="Send it again", status=202, tag="webhooks")
async def send_again(request: Request, admin: Admin, hooks: Hooks, hook_id: str, delivery_id: str) -> DeliveryOut:
    limit(request, *HOOK_TESTS)
    return DeliveryOut.of(await hooks.again(admin, hook_id, delivery_id))
