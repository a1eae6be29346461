"""Every route by everybody: anonymous, a member of another team, a removed member, a member, an admin."""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.clock import SYSTEM as CLOCK
from sekkei.clock import ManualClock
from sekkei.web.testing import Client, opened
from sekkei_systems.tasks.design import HookEvent, Role
from sekkei_systems.tasks.rules.drafts import TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.imports import ForeignTask
from sekkei_systems.tasks.service import Service
from sekkei_systems.tasks.service.access import Admin
from sekkei_systems.tasks.service.people import Visitor
from sekkei_systems.tasks.system import SYSTEM
from tests.web.authorisation import Matrix, Rule, deviations, uncovered

TEAM = "/tasks/teams/{team_id}"
API = "/tasks/api/teams/{team_id}"
COMMENT = f"{TEAM}/tasks/{{task_id}}/comments/{{comment_id}}"
ONE_HOOK = f"{TEAM}/webhooks/{{hook_id}}"
API_HOOK = f"{API}/webhooks/{{hook_id}}"
HOOK = {"url": "http://127.0.0.1:9/in", "events": "task.done"}
API_COMMENT = f"{API}/tasks/{{task_id}}/comments/{{comment_id}}"


def _by(anonymous: int, outsider: int, member: int, admin: int) -> dict[str, int]:
    """Somebody who was removed is an outsider."""
    return {"anonymous": anonymous, "other team": outsider, "removed": outsider, "member": member, "admin": admin}


ANYBODY = _by(200, 200, 200, 200)
PAGE = _by(303, 404, 200, 200)
FORM = _by(303, 404, 303, 303)
ADMIN_FORM = _by(303, 404, 403, 303)
ADMIN_PAGE = _by(303, 404, 403, 200)
READ = _by(401, 404, 200, 200)


class World:
    """One team with everybody in their places, and fresh things to be deleted."""

    def __init__(self, client: Client, service: Service) -> None:
        self.client, self.service = client, service
        self.team_id = ""
        self.actors: dict[str, Client] = {}

    async def build(self) -> None:
        people = {"admin": "demo-aoi", "member": "demo-ren", "removed": "demo-mei", "other team": "demo-sota"}
        self.actors = {"anonymous": self.client, **{name: self.client.another() for name in people}}
        for name, person in people.items():
            await self.actors[name].sign_in(person)
            await self.actors[name].get("/tasks/")
        await self.service.teams.create("demo-sota", "ほかのチーム")
        await self.new_team()

    async def new_team(self) -> None:
        self.team_id = (await self.service.teams.create("demo-aoi", "表")).team_id
        for person in ("demo-ren", "demo-mei"):
            await self.join(person)
        await self.service.teams.remove(await self.admin(), "demo-mei")

    async def admin(self) -> Admin:
        return await self.service.access.admin("demo-aoi", self.team_id)

    async def join(self, person: str, role: Role = Role.MEMBER) -> None:
        email = f"{person.removeprefix('demo-')}@demo.example"
        invitations = self.service.invitations
        made = await invitations.invite(await self.admin(), email, role)
        user = await self.service.people.by_email(email)
        assert user is not None
        visitor = Visitor(user.user_id, email, user.name)
        await invitations.accept(visitor, self.team_id, made.invite_id, invitations.token_of(made))

    async def task(self) -> Mapping[str, str]:
        made = await self.service.tasks.create(await self.admin(), TaskDraft("対象"))
        return {"task_id": made.task_id}

    async def tag(self) -> Mapping[str, str]:
        return {"tag_id": (await self.service.tags.add(await self.admin(), "対象", "#000000")).tag_id}

    async def invitation(self) -> Mapping[str, str]:
        made = await self.service.invitations.invite(await self.admin(), f"{CLOCK.uuid()}@x.example", Role.MEMBER)
        return {"invite_id": made.invite_id}

    async def newcomer(self) -> Mapping[str, str]:
        """Somebody in the team whom nobody would miss."""
        members = {one.user_id for one in await self.service.teams.members(await self.admin())}
        if "demo-yui" not in members:
            await self.service.people.arrive(Visitor("demo-yui", "yui@demo.example", "伊藤 結衣"))
            await self.join("demo-yui")
        return {"user_id": "demo-yui"}

    async def change(self) -> Mapping[str, str]:
        found = await self.task()
        changed = await self.service.tasks.change(await self.admin(), found["task_id"], TaskChanges(title="変えた"))
        return {**found, "version": str(changed.version)}

    async def batch(self) -> Mapping[str, str]:
        found = await self.task()
        done = await self.service.batches.delete(await self.admin(), [found["task_id"]])
        return {"batch_id": done.batch_id or ""}

    async def check(self) -> Mapping[str, str]:
        found = await self.task()
        plan = await self.service.plans.add_check(await self.admin(), found["task_id"], "対象")
        return {**found, "check_id": plan.checks[0].id}

    async def before(self) -> Mapping[str, str]:
        return {**await self.task(), "by": (await self.task())["task_id"]}

    async def subtask(self) -> Mapping[str, str]:
        found = await self.task()
        made = await self.service.tasks.create(await self.admin(), TaskDraft("部分"), found["task_id"])
        return {**found, "child_id": made.task_id}

    async def view(self) -> Mapping[str, str]:
        """The admin's own: nobody else finds it."""
        return {"view_id": (await self.service.views.save(await self.admin(), "対象", "board", "")).view_id}

    async def numbered(self) -> Mapping[str, str]:
        made = await self.service.tasks.create(await self.admin(), TaskDraft("対象"))
        return {"number": str(made.number)}

    async def taken_in(self) -> Mapping[str, str]:
        run = await self.service.imports.begin_with(await self.admin(), "csv", "", [ForeignTask("", TaskDraft("対象"))])
        return {"import_id": run.import_id}

    async def trashed(self) -> Mapping[str, str]:
        found = await self.task()
        await self.service.trash.put(await self.admin(), found["task_id"])
        return found

    async def comment(self) -> Mapping[str, str]:
        """The admin's: nobody else may change it."""
        found = await self.task()
        said = await self.service.comments.add(await self.admin(), found["task_id"], "対象")
        return {**found, "comment_id": said.comment_id}

    async def hook(self) -> Mapping[str, str]:
        events = frozenset({HookEvent.TASK_DONE})
        for old in (await self.service.hooks.all(await self.admin()))[1:]:
            await self.service.hooks.delete(await self.admin(), old.hook_id)
        made, _ = await self.service.hooks.add(await self.admin(), "http://127.0.0.1:9/in", events)
        return {"hook_id": made.hook_id}

    async def delivery(self) -> Mapping[str, str]:
        found = await self.hook()
        sent = await self.service.hooks.test(await self.admin(), found["hook_id"])
        return {**found, "delivery_id": sent.delivery_id}

    async def calendar(self) -> Mapping[str, str]:
        address = await self.service.feeds.address(await self.admin())
        *_, user_id, name = address.split("/")
        return {"user_id": user_id, "token": name.removesuffix(".ics")}


def pages(world: World) -> Matrix:
    task, tag, invitation = world.task, world.tag, world.invitation
    return {
        "GET /tasks/": Rule(_by(303, 200, 200, 200)),
        "POST /tasks/teams": Rule(_by(303, 303, 303, 303), form={"name": "新しい"}),
        "GET /tasks/notes": Rule(_by(303, 200, 200, 200)),
        "POST /tasks/notes/read": Rule(_by(303, 303, 303, 303)),
        "POST /tasks/digest": Rule(_by(303, 303, 303, 303), form={"wanted": "true"}),
        "GET /tasks/digest/stop": Rule(_by(404, 404, 404, 404)),
        "POST /tasks/digest/stop": Rule(_by(404, 404, 404, 404), form={"user": "demo-aoi", "token": "forged"}),
        "POST /tasks/mail-events": Rule(_by(404, 404, 404, 404)),
        f"GET {TEAM}": Rule(PAGE),
        f"GET {TEAM}/columns/{{status}}": Rule(PAGE),
        f"GET {TEAM}/cards/{{task_id}}": Rule(PAGE, prepare=task),
        f"GET {TEAM}/tasks": Rule(PAGE),
        f"GET {TEAM}/late": Rule(PAGE),
        f"GET {TEAM}/burndown": Rule(PAGE),
        f"GET {TEAM}/settings": Rule(PAGE),
        f"GET {TEAM}/tasks/new": Rule(PAGE),
        f"GET {TEAM}/tasks/{{task_id}}": Rule(PAGE, prepare=task),
        f"GET {TEAM}/tasks/{{task_id}}/comments": Rule(PAGE, prepare=task),
        f"GET {TEAM}/tasks/{{task_id}}/activity": Rule(PAGE, prepare=task),
        f"GET {COMMENT}": Rule(_by(303, 404, 403, 200), prepare=world.comment),
        f"POST {COMMENT}": Rule(ADMIN_FORM, form={"text": "x"}, prepare=world.comment),
        f"POST {COMMENT}/delete": Rule(ADMIN_FORM, prepare=world.comment),
        f"POST {TEAM}/tasks/{{task_id}}/activity/{{version}}/undo": Rule(FORM, prepare=world.change),
        f"GET {TEAM}/trash": Rule(PAGE),
        f"POST {TEAM}/trash/{{task_id}}/back": Rule(FORM, prepare=world.trashed),
        f"POST {TEAM}/trash/{{task_id}}/purge": Rule(FORM, prepare=world.trashed),
        f"GET {TEAM}/export.csv": Rule(PAGE),
        f"POST {TEAM}/import": Rule(FORM),
        f"POST {TEAM}/tasks": Rule(FORM, form={"title": "x"}),
        f"POST {TEAM}/tasks/{{task_id}}": Rule(FORM, form={"title": "x"}, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/move": Rule(FORM, form={"status": "done"}, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/copy": Rule(FORM, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/delete": Rule(FORM, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/comments": Rule(FORM, form={"text": "x"}, prepare=task),
        f"POST {TEAM}/bulk": Rule(FORM, form={"tasks": "x", "status": "done"}),
        f"POST {TEAM}/batches/{{batch_id}}/undo": Rule(FORM, prepare=world.batch),
        f"GET {TEAM}/n/{{number}}": Rule(FORM, prepare=world.numbered),
        f"POST {TEAM}/quick": Rule(FORM, form={"text": "x"}),
        f"GET {TEAM}/tasks/{{task_id}}/plan": Rule(PAGE, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/checks": Rule(FORM, form={"text": "x"}, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/checks/{{check_id}}": Rule(FORM, form={"action": "done"}, prepare=world.check),
        f"POST {TEAM}/tasks/{{task_id}}/blockers": Rule(FORM, form={"by": "TASK-1"}, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/blockers/{{by}}/remove": Rule(FORM, prepare=world.before),
        f"POST {TEAM}/tasks/{{task_id}}/rule": Rule(FORM, form={"rule": "daily"}, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/subtasks": Rule(FORM, form={"text": "x"}, prepare=task),
        f"POST {TEAM}/tasks/{{task_id}}/subtasks/{{child_id}}": Rule(
            FORM, form={"action": "out"}, prepare=world.subtask
        ),
        f"POST {TEAM}/tasks/{{task_id}}/parent": Rule(FORM, form={"parent": ""}, prepare=task),
        f"GET {TEAM}/flow.csv": Rule(PAGE),
        f"GET {TEAM}/flow.json": Rule(PAGE),
        f"GET {TEAM}/imports": Rule(PAGE),
        f"POST {TEAM}/imports": Rule(_by(303, 404, 422, 422)),
        f"POST {TEAM}/imports/confirm": Rule(FORM),
        f"GET {TEAM}/imports/{{import_id}}": Rule(PAGE, prepare=world.taken_in),
        f"POST {TEAM}/limits": Rule(ADMIN_FORM, form={"doing": "3"}),
        f"GET {TEAM}/webhooks": Rule(ADMIN_PAGE),
        f"POST {TEAM}/webhooks": Rule(_by(303, 404, 403, 200), form=HOOK),
        f"GET {ONE_HOOK}": Rule(ADMIN_PAGE, prepare=world.hook),
        f"POST {ONE_HOOK}": Rule(ADMIN_FORM, form=HOOK, prepare=world.hook),
        f"POST {ONE_HOOK}/delete": Rule(ADMIN_FORM, prepare=world.hook),
        f"POST {ONE_HOOK}/resume": Rule(ADMIN_FORM, prepare=world.hook),
        f"POST {ONE_HOOK}/test": Rule(ADMIN_FORM, prepare=world.hook),
        f"POST {ONE_HOOK}/deliveries/{{delivery_id}}/again": Rule(ADMIN_FORM, prepare=world.delivery),
        f"POST {TEAM}/calendar": Rule(FORM),
        f"POST {TEAM}/settings": Rule(ADMIN_FORM, form={"name": "表"}),
        f"POST {TEAM}/tags": Rule(ADMIN_FORM, form={"name": "x", "color": "#000000"}),
        f"POST {TEAM}/tags/{{tag_id}}": Rule(ADMIN_FORM, form={"name": "x", "color": "#000000"}, prepare=tag),
        f"POST {TEAM}/tags/{{tag_id}}/delete": Rule(ADMIN_FORM, prepare=tag),
        f"POST {TEAM}/invitations/{{invite_id}}/again": Rule(ADMIN_FORM, prepare=invitation),
        f"POST {TEAM}/invitations/{{invite_id}}/revoke": Rule(ADMIN_FORM, prepare=invitation),
        f"POST {TEAM}/invitations": Rule(ADMIN_FORM, form={"email": "new@x.example"}),
        f"POST {TEAM}/members/{{user_id}}/role": Rule(ADMIN_FORM, form={"role": "member"}, prepare=world.newcomer),
        f"POST {TEAM}/members/{{user_id}}/remove": Rule(ADMIN_FORM, prepare=world.newcomer),
        "GET /tasks/calendar/{team_id}/{user_id}/{token}.ics": Rule(ANYBODY, prepare=world.calendar),
        "GET /tasks/invitations/{team_id}/{invite_id}": Rule(_by(410, 410, 410, 410), prepare=invitation),
        "POST /tasks/invitations/{team_id}/{invite_id}": Rule(
            _by(303, 410, 303, 303), form={"token": "forged"}, prepare=invitation
        ),
        "GET /tasks/openapi.json": Rule(ANYBODY),
        "GET /tasks/docs": Rule(ANYBODY),
    }


def api(world: World) -> Matrix:
    task, tag, invitation = world.task, world.tag, world.invitation
    hook_body = {"url": HOOK["url"], "events": [HOOK["events"]]}
    tag_body = {"name": "x", "color": "#000000"}
    return {
        "GET /tasks/api/work": Rule(_by(401, 200, 200, 200)),
        "GET /tasks/api/notes": Rule(_by(401, 200, 200, 200)),
        "POST /tasks/api/notes/read": Rule(_by(401, 204, 204, 204), json={}),
        "GET /tasks/api/teams": Rule(_by(401, 200, 200, 200)),
        "POST /tasks/api/teams": Rule(_by(401, 201, 201, 201), json={"name": "x"}),
        f"GET {API}": Rule(READ),
        f"PUT {API}": Rule(_by(401, 404, 403, 200), json={"name": "表"}),
        f"GET {API}/totals": Rule(READ),
        f"GET {API}/days": Rule(READ),
        f"GET {API}/members": Rule(READ),
        f"PATCH {API}/members/{{user_id}}": Rule(
            _by(401, 404, 403, 204), json={"role": "member"}, prepare=world.newcomer
        ),
        f"DELETE {API}/members/{{user_id}}": Rule(_by(401, 404, 403, 204), prepare=world.newcomer),
        f"GET {API}/tags": Rule(READ),
        f"POST {API}/tags": Rule(_by(401, 404, 403, 201), json=tag_body),
        f"PUT {API}/tags/{{tag_id}}": Rule(_by(401, 404, 403, 200), json=tag_body, prepare=tag),
        f"DELETE {API}/tags/{{tag_id}}": Rule(_by(401, 404, 403, 202), prepare=tag),
        f"GET {API}/tasks": Rule(READ),
        f"POST {API}/tasks": Rule(_by(401, 404, 201, 201), json={"title": "x"}),
        f"GET {API}/tasks/{{task_id}}": Rule(READ, prepare=task),
        f"PATCH {API}/tasks/{{task_id}}": Rule(READ, json={"status": "doing"}, prepare=task),
        f"DELETE {API}/tasks/{{task_id}}": Rule(_by(401, 404, 204, 204), prepare=task),
        f"POST {API}/tasks/{{task_id}}/place": Rule(READ, json={"status": "doing"}, prepare=task),
        f"GET {API}/tasks/{{task_id}}/activity": Rule(READ, prepare=task),
        f"POST {API}/bulk": Rule(READ, json={"tasks": ["x"], "change": {"status": "done"}}),
        f"POST {API}/batches/{{batch_id}}/undo": Rule(READ, json={}, prepare=world.batch),
        f"GET {API}/numbers/{{number}}": Rule(READ, prepare=world.numbered),
        f"GET {API}/tasks/{{task_id}}/plan": Rule(READ, prepare=task),
        f"POST {API}/tasks/{{task_id}}/checks": Rule(_by(401, 404, 201, 201), json={"text": "x"}, prepare=task),
        f"PATCH {API}/tasks/{{task_id}}/checks/{{check_id}}": Rule(READ, json={"done": True}, prepare=world.check),
        f"DELETE {API}/tasks/{{task_id}}/checks/{{check_id}}": Rule(_by(401, 404, 204, 204), prepare=world.check),
        f"PUT {API}/tasks/{{task_id}}/blockers/{{by}}": Rule(READ, json={}, prepare=world.before),
        f"DELETE {API}/tasks/{{task_id}}/blockers/{{by}}": Rule(_by(401, 404, 204, 204), prepare=world.before),
        f"PUT {API}/tasks/{{task_id}}/rule": Rule(READ, json={"rule": "daily"}, prepare=task),
        f"GET {API}/marks": Rule(READ),
        f"PUT {API}/limits": Rule(_by(401, 404, 403, 200), json={"doing": 3}),
        f"GET {API}/understood": Rule(READ),
        f"POST {API}/quick": Rule(_by(401, 404, 201, 201), json={"text": "x"}),
        f"GET {API}/palette": Rule(READ),
        f"GET {API}/views": Rule(READ),
        f"POST {API}/views": Rule(_by(401, 404, 201, 201), json={"name": "x"}),
        f"DELETE {API}/views/{{view_id}}": Rule(_by(401, 404, 404, 204), prepare=world.view),
        f"GET {API}/tasks/{{task_id}}/comments": Rule(READ, prepare=task),
        f"POST {API}/tasks/{{task_id}}/comments": Rule(_by(401, 404, 201, 201), json={"text": "x"}, prepare=task),
        f"GET {API}/comments": Rule(READ),
        f"PUT {API_COMMENT}": Rule(_by(401, 404, 403, 200), json={"text": "x"}, prepare=world.comment),
        f"DELETE {API_COMMENT}": Rule(_by(401, 404, 403, 204), prepare=world.comment),
        f"POST {API}/tasks/{{task_id}}/activity/{{version}}/undo": Rule(READ, json={}, prepare=world.change),
        f"GET {API}/trash": Rule(READ),
        f"POST {API}/trash/{{task_id}}/back": Rule(READ, json={}, prepare=world.trashed),
        f"DELETE {API}/trash/{{task_id}}": Rule(_by(401, 404, 204, 204), prepare=world.trashed),
        f"GET {API}/webhooks": Rule(_by(401, 404, 403, 200)),
        f"POST {API}/webhooks": Rule(_by(401, 404, 403, 201), json=hook_body),
        f"PUT {API_HOOK}": Rule(_by(401, 404, 403, 200), json=hook_body, prepare=world.hook),
        f"DELETE {API_HOOK}": Rule(_by(401, 404, 403, 204), prepare=world.hook),
        f"POST {API_HOOK}/resume": Rule(_by(401, 404, 403, 200), json={}, prepare=world.hook),
        f"POST {API_HOOK}/test": Rule(_by(401, 404, 403, 202), json={}, prepare=world.hook),
        f"GET {API_HOOK}/deliveries": Rule(_by(401, 404, 403, 200), prepare=world.hook),
        f"POST {API_HOOK}/deliveries/{{delivery_id}}/again": Rule(
            _by(401, 404, 403, 202), json={}, prepare=world.delivery
        ),
        f"GET {API}/invitations": Rule(_by(401, 404, 403, 200)),
        f"POST {API}/invitations": Rule(_by(401, 404, 403, 201), json={"email": "api@x.example"}),
        f"POST {API}/invitations/{{invite_id}}/again": Rule(_by(401, 404, 403, 200), json={}, prepare=invitation),
        f"DELETE {API}/invitations/{{invite_id}}": Rule(_by(401, 404, 403, 204), prepare=invitation),
        "POST /tasks/api/invitations/{team_id}/{invite_id}/accept": Rule(
            _by(401, 410, 200, 200), json={"token": "forged"}, prepare=invitation
        ),
    }


LIVE = f"GET {TEAM}/live"
ENDS = (f"POST {TEAM}/delete", f"DELETE {API}")


async def test_every_route_by_everybody(clock: ManualClock) -> None:
    """The clock stands still: who is known for a minute stays known however long it takes, and calls can be counted."""
    async with opened(SYSTEM, clock=clock) as client:
        world = World(client, client.shell.deployment.systems["tasks"].parts.service)
        await world.build()
        matrix = {**pages(world), **api(world)}
        known = {**matrix, LIVE: Rule({}), **{name: Rule({}) for name in ENDS}}
        assert uncovered(client.app, "tasks", known) == []
        parameters = {"team_id": world.team_id, "status": "todo"}
        assert await deviations(matrix, world.actors, parameters) == []
        for name, rule in _ends().items():
            assert await deviations({name: rule}, world.actors, parameters) == []
            assert (await world.actors["admin"].get(f"/tasks/teams/{world.team_id}")).status == 404
            await world.new_team()
            parameters = {"team_id": world.team_id}


def _ends() -> Matrix:
    """Last, because the team is gone then, to everybody and at once."""
    return {
        ENDS[1]: Rule({"anonymous": 401, "other team": 404, "removed": 404, "member": 403, "admin": 204}),
        ENDS[0]: Rule({"anonymous": 303, "other team": 404, "removed": 404, "member": 403, "admin": 303}),
    }


async def test_only_members_listen(clock: ManualClock) -> None:
    async with opened(SYSTEM, clock=clock) as client:
        world = World(client, client.shell.deployment.systems["tasks"].parts.service)
        await world.build()
        client.shell.connections.stopping.set()  # answers end at once instead of going on for ever
        rule = Rule({"anonymous": 303, "other team": 404, "removed": 404, "member": 200, "admin": 200})
        assert await deviations({LIVE: rule}, world.actors, {"team_id": world.team_id}) == []
