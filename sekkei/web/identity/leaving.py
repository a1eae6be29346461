"""The end of an account, over all systems.

Whoever deletes their account is gone from it at once, in the transaction that starts a job in every system. Then each
system forgets them, in whichever process serves it; what is cut off goes on (sekkei.runtime.data_subjects).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sekkei.design import TransactionFailed
from sekkei.runtime.acts import Acts
from sekkei.runtime.data_subjects import LEAVE, Obstacle, Person, leaving_jobs
from sekkei.runtime.discovery import load_all
from sekkei.runtime.jobs import Job, Jobs, Payload, Progress
from sekkei.runtime.outbox import SHELL
from sekkei.runtime.schedules import StoredSchedules
from sekkei.runtime.system import Parts, System
from sekkei.runtime.worker import Running
from sekkei.web.forms import Form, form
from sekkei.web.identity.design import accounts
from sekkei.web.identity.design import design as web_design
from sekkei.web.identity.proof import must_be_sure
from sekkei.web.identity.sign_in import signed_out
from sekkei.web.identity.users import in_person, person_of
from sekkei.web.rendering import page
from sekkei.web.shell import Shell
from sekkei.web.texts import t

_LINK_IDENTITIES = "link-identities"


class Sure(Struct):
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Farewell:
    """What leaving means in one system."""

    system: System
    about: Mapping[str, str] | None
    """None for a system that another process on this store serves."""
    obstacles: Sequence[Obstacle] = ()


def running(shell: Shell) -> Running:
    """The shell's own jobs, for the worker."""

    async def identity(payload: Payload, cursor: str | None) -> Progress:
        return Progress(int(await shell.accounts.forget(payload["user_id"])))

    runtime, clock = shell.deployment.runtime, shell.clock
    jobs = {
        **leaving_jobs(SHELL, [("identity", identity), ("acts", Acts(runtime, clock).forget)], runtime, clock),
        _LINK_IDENTITIES: Job([("identities", shell.accounts.identities.link_earlier)]),
    }
    own = Parts(jobs=jobs, once=[_LINK_IDENTITIES])
    return Running(SHELL, shell.db, own, Jobs(runtime, clock, SHELL), StoredSchedules(runtime, clock, SHELL))


def routes() -> list[Route]:
    return [
        Route("/account/leave", show, methods=["GET"], name="leave"),
        Route("/account/leave", leave, methods=["POST"]),
    ]


def _shell(request: Request) -> Shell:
    shell: Shell = request.app.state.shell
    return shell


async def show(request: Request) -> Response:
    must_be_sure(request)
    return await _page(request, Form())


async def _page(request: Request, filled: Form, status: int = 200) -> Response:
    farewells = await _farewells(_shell(request), person_of(in_person(request)))
    blocked = any(one.obstacles for one in farewells)
    return page(request, "leave.html", status, form=filled, farewells=farewells, blocked=blocked)


async def _farewells(shell: Shell, person: Person) -> list[Farewell]:
    found = []
    for opened in shell.deployment.systems.values():
        personal = opened.parts.personal
        if personal is not None:
            found.append(Farewell(opened.system, personal.about, await personal.obstacles(person)))
    return found + [Farewell(system, None) for system in await _elsewhere(shell)]


async def _elsewhere(shell: Shell) -> list[System]:
    """Systems that are not served here but have tables on this store: accounts are theirs too."""
    others = await _tables(shell) - shell.deployment.table_names(web_design)
    if not others:
        return []
    installed, _ = await asyncio.to_thread(load_all)
    env = shell.settings.env
    return [
        one
        for one in installed
        if one.name not in shell.deployment.systems
        and any(one.design.table_name(table, env) in others for table in one.design.tables.values())
    ]


async def _tables(shell: Shell) -> set[str]:
    names: set[str] = set()
    request: dict[str, Any] = {}
    while True:
        answer = await shell.deployment.store.call("ListTables", request)
        names |= set(answer["TableNames"])
        if "LastEvaluatedTableName" not in answer:
            return names
        request = {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}


async def leave(request: Request) -> Response:
    user, shell = in_person(request), _shell(request)
    must_be_sure(request)
    if not (await form(request, Sure)).sure:
        return await _page(request, Form({}, {"sure": t(request, "account.leave.unsure")}), 422)
    farewells = await _farewells(shell, person_of(user))
    if any(one.obstacles for one in farewells):
        return await _page(request, Form(), 409)
    await begin_leaving(shell, person_of(user), [one.system.name for one in farewells])
    return signed_out(request, t(request, "account.leave.done"))


async def begin_leaving(shell: Shell, person: Person, systems: Sequence[str]) -> bool:
    """The account goes at once, and a job begins in each system; False when somebody has done so before."""
    id = f"{LEAVE}/{shell.clock.uuid()}"
    runtime, clock = shell.deployment.runtime, shell.clock
    starts = [Jobs(runtime, clock, name).start_action(LEAVE, person.payload(), id=id) for name in (SHELL, *systems)]
    try:
        await shell.db.transact(accounts.delete(person.user_id).must_exist(), *starts)
    except TransactionFailed:
        if await shell.accounts.get(person.user_id) is not None:
            raise
        return False
    shell.accounts.signed_out(person.user_id)
    return True
