"""Webhooks of a team: addresses, what they were sent and what they answered. For admins."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Refusal
from sekkei.web import Form, Html, Pages, Redirect, Sent, limit
from sekkei_systems.tasks.api.shapes import HOOK_TESTS
from sekkei_systems.tasks.design import HookEvent
from sekkei_systems.tasks.pages.board import After
from sekkei_systems.tasks.pages.view import View
from sekkei_systems.tasks.service.access import Admin, as_admin
from sekkei_systems.tasks.service.hooks import HOOKS_MAX, Hooks

pages = Pages()
ALL = "/teams/{team_id}/webhooks"
ONE = "/teams/{team_id}/webhooks/{hook_id}"
_FIRST_CHOICE = [HookEvent.TASK_CREATED.value, HookEvent.TASK_DONE.value]


class HookForm(Struct):
    url: Token
    events: list[HookEvent] = []


async def shown(
    view: View, hooks: Hooks, status: int = 200, form: Form | None = None, made: str = "", secret: str = ""
) -> Html:
    """`made` is the address that was just added, and `secret` is its."""
    return Html(
        "tasks/hooks.html",
        status,
        view=view,
        hooks=await hooks.all(as_admin(view.member)),
        form=form or Form({"events": _FIRST_CHOICE}),
        events=list(HookEvent),
        most=HOOKS_MAX,
        made=made,
        secret=secret,
    )


def _to_log(admin: Admin, hook_id: str) -> Redirect:
    return Redirect("tasks:webhook", team_id=admin.team_id, hook_id=hook_id)


@pages.get(ALL, name="webhooks")
async def listed(view: View, hooks: Hooks) -> Html:
    return await shown(view, hooks)


@pages.post(ALL, name="add-webhook")
async def add(view: View, hooks: Hooks, sent: Sent[HookForm]) -> Html:
    """The answer shows the secret, once."""
    admin = as_admin(view.member)
    try:
        made, secret = await hooks.add(admin, sent.value.url, frozenset(sent.value.events))
    except Refusal as wrong:
        if wrong.status != 422:
            raise
        return await shown(view, hooks, 422, sent.refilled(wrong))
    return await shown(view, hooks, made=made.hook_id, secret=secret)


@pages.get(ONE, name="webhook")
async def log(view: View, hooks: Hooks, hook_id: str, query: After) -> Html:
    admin = as_admin(view.member)
    hook = await hooks.get(admin, hook_id)
    form = Form({"url": hook.url, "events": [event.value for event in hook.events]})
    found = await hooks.log(admin, hook_id, query.after)
    return Html("tasks/hook.html", view=view, hook=hook, log=found, form=form, events=list(HookEvent))


@pages.post(ONE, name="change-webhook")
async def change(view: View, hooks: Hooks, hook_id: str, sent: Sent[HookForm]) -> Html | Redirect:
    admin = as_admin(view.member)
    try:
        await hooks.change(admin, hook_id, sent.value.url, frozenset(sent.value.events))
    except Refusal as wrong:
        if wrong.status != 422:
            raise
        hook, found = await hooks.get(admin, hook_id), await hooks.log(admin, hook_id)
        form = sent.refilled(wrong)
        return Html("tasks/hook.html", 422, view=view, hook=hook, log=found, form=form, events=list(HookEvent))
    return _to_log(admin, hook_id).flash("settings.saved")


@pages.post(f"{ONE}/delete", name="delete-webhook")
async def delete(admin: Admin, hooks: Hooks, hook_id: str) -> Redirect:
    await hooks.delete(admin, hook_id)
    return Redirect("tasks:webhooks", team_id=admin.team_id).flash("hook.deleted")


@pages.post(f"{ONE}/resume", name="resume-webhook")
async def resume(admin: Admin, hooks: Hooks, hook_id: str) -> Redirect:
    await hooks.resume(admin, hook_id)
    return _to_log(admin, hook_id).flash("hook.resumed")


@pages.post(f"{ONE}/test", name="test-webhook")
async def test(request: Request, admin: Admin, hooks: Hooks, hook_id: str) -> Redirect:
    limit(request, *HOOK_TESTS)
    try:
        await hooks.test(admin, hook_id)
    except Refusal as refusal:
        return refused(admin, hook_id, refusal)
    return _to_log(admin, hook_id).flash("hook.tested")


@pages.post(f"{ONE}/deliveries/{{delivery_id}}/again", name="send-webhook-again")
async def again(request: Request, admin: Admin, hooks: Hooks, hook_id: str, delivery_id: str) -> Redirect:
    limit(request, *HOOK_TESTS)
    try:
        await hooks.again(admin, hook_id, delivery_id)
    except Refusal as refusal:
        return refused(admin, hook_id, refusal)
    return _to_log(admin, hook_id).flash("hook.again.done")


def refused(admin: Admin, hook_id: str, refusal: Refusal) -> Redirect:
    if refusal.status != 409:
        raise refusal
    return _to_log(admin, hook_id).flash(refusal)
