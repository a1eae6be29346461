"""The example and the shell themselves pass the test that every system has to pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sekkei.clock import ManualClock
from sekkei.web.testing import Client, opened, test_settings
from tests.web import budgets
from tests.web.authorisation import Matrix, Rule, deviations, routes_of, uncovered
from tests.web.example import SYSTEM
from tests.web.example.design import Note, notes

MATRIX: Matrix = {
    "GET /example/": Rule({"anonymous": 303, "owner": 200, "other": 200}),
    "POST /example/": Rule({"anonymous": 303, "owner": 303, "other": 303}, form={"text": "x"}),
    "GET /example/gallery": Rule({"anonymous": 200, "owner": 200, "other": 200}),
    "GET /example/live": Rule({"anonymous": 303, "owner": 200, "other": 200}),
    "GET /example/shared/{token}": Rule({"anonymous": 404, "owner": 404, "other": 404}),
    "POST /example/hook": Rule({"anonymous": 200, "owner": 200, "other": 200}),
    "POST /example/upload": Rule({"anonymous": 200, "owner": 200, "other": 200}),
    "GET /example/api/notes": Rule({"anonymous": 401, "owner": 200, "other": 200}),
    "POST /example/api/notes": Rule({"anonymous": 401, "owner": 201, "other": 201}, json={"text": "x"}),
    "GET /example/api/hello": Rule({"anonymous": 200, "owner": 200, "other": 200}),
    "GET /example/openapi.json": Rule({"anonymous": 200, "owner": 200, "other": 200}),
    "GET /example/docs": Rule({"anonymous": 200, "owner": 200, "other": 200}),
}

OPERATORS_ONLY = {"anonymous": 303, "person": 403, "operator": 200}
NOBODY = {**OPERATORS_ONLY, "operator": 403}
"""The console is read-only unless it is told otherwise."""
SHELL: Matrix = {
    "GET /": Rule({"anonymous": 200, "person": 200, "operator": 200}),
    "GET /healthz": Rule({"anonymous": 200, "person": 200, "operator": 200}),
    "GET /favicon.ico": Rule({"anonymous": 308, "person": 308, "operator": 308}),
    "GET /live": Rule({"anonymous": 422, "person": 422, "operator": 422}),
    "GET /static/{version}/{name:path}": Rule({"anonymous": 200, "person": 200, "operator": 200}),
    "GET /sign-in": Rule({"anonymous": 200, "person": 303, "operator": 303}),
    "POST /sign-in": Rule({"anonymous": 422, "person": 422, "operator": 422}),
    "GET /sign-in/code": Rule({"anonymous": 303, "person": 303, "operator": 303}),
    "POST /sign-in/code": Rule({"anonymous": 303, "person": 303, "operator": 303}),
    "POST /sign-in/mail": Rule({"anonymous": 422, "person": 422, "operator": 422}),
    "POST /sign-in/demo": Rule({"anonymous": 403, "person": 403, "operator": 403}, form={"person": "demo-aoi"}),
    "GET /sign-up": Rule({"anonymous": 200, "person": 200, "operator": 200}),
    "POST /sign-up": Rule({"anonymous": 422, "person": 422, "operator": 422}),
    "GET /account": Rule({"anonymous": 303, "person": 200, "operator": 200}),
    "POST /account/name": Rule({"anonymous": 303, "person": 303, "operator": 303}, form={"name": "N"}),
    "POST /account/password": Rule({"anonymous": 303, "person": 422, "operator": 422}, form={"password": "short"}),
    "POST /account/tokens": Rule({"anonymous": 303, "person": 200, "operator": 200}, form={"name": "T"}),
    "POST /account/tokens/delete": Rule({"anonymous": 303, "person": 303, "operator": 303}, form={"hash": "none"}),
    "POST /account/sessions/end": Rule({"anonymous": 303, "person": 303, "operator": 303}, form={"hash": "none"}),
    "POST /account/apps/end": Rule({"anonymous": 303, "person": 303, "operator": 303}, form={"id": "none"}),
    "GET /account/email": Rule({"anonymous": 303, "person": 200, "operator": 200}),
    "POST /account/email": Rule({"anonymous": 303, "person": 422, "operator": 422}, form={"email": "none"}),
    "POST /account/email/confirm": Rule(
        {"anonymous": 303, "person": 410, "operator": 410}, form={"code": "000000", "old_code": "000000"}
    ),
    "GET /sign-in/openid": Rule({"anonymous": 404, "person": 404, "operator": 404}),
    "GET /sign-in/openid/back": Rule({"anonymous": 404, "person": 404, "operator": 404}),
    "GET /sign-in/openid/link": Rule({"anonymous": 303, "person": 200, "operator": 200}),
    "POST /sign-in/openid/link": Rule({"anonymous": 303, "person": 400, "operator": 400}),
    "POST /account/identities/delete": Rule({"anonymous": 303, "person": 303, "operator": 303}, form={"hash": "none"}),
    "GET /account/export": Rule({"anonymous": 303, "person": 200, "operator": 200}),
    "GET /account/leave": Rule({"anonymous": 303, "person": 200, "operator": 200}),
    "POST /account/leave": Rule({"anonymous": 303, "person": 422, "operator": 422}),
    "POST /account/passkeys/offer": Rule({"anonymous": 401, "person": 404, "operator": 404}, json={}),
    "POST /account/passkeys": Rule({"anonymous": 401, "person": 422, "operator": 422}, json={}),
    "POST /account/passkeys/delete": Rule({"anonymous": 303, "person": 303, "operator": 303}, form={"credential": "x"}),
    "POST /sign-in/passkey/ask": Rule({"anonymous": 404, "person": 404, "operator": 404}, json={}),
    "POST /sign-in/passkey": Rule({"anonymous": 422, "person": 422, "operator": 422}, json={}),
    "GET /prove": Rule({"anonymous": 303, "person": 200, "operator": 200}),
    "POST /prove": Rule({"anonymous": 303, "person": 422, "operator": 422}, form={"password": "wrong"}),
    "POST /prove/mail": Rule({"anonymous": 303, "person": 200, "operator": 200}),
    "GET /account/authenticator": Rule({"anonymous": 303, "person": 200, "operator": 200}),
    "POST /account/authenticator": Rule({"anonymous": 303, "person": 422, "operator": 422}, form={"code": "0"}),
    "POST /account/authenticator/codes": Rule({"anonymous": 303, "person": 410, "operator": 410}),
    "POST /account/authenticator/remove": Rule({"anonymous": 303, "person": 303, "operator": 303}),
    "GET /metrics": Rule({"anonymous": 401, "person": 403, "operator": 200}),
    "GET /readyz": Rule({"anonymous": 200, "person": 200, "operator": 200}),
    "GET /console": Rule({"anonymous": 303, "person": 403, "operator": 303}),
    "GET /console/outbox": Rule(OPERATORS_ONLY),
    "GET /console/outbox/message": Rule({**OPERATORS_ONLY, "operator": 404}),
    "GET /console/outbox/html": Rule({**OPERATORS_ONLY, "operator": 404}),
    "GET /console/schedules": Rule(OPERATORS_ONLY),
    "GET /console/jobs": Rule(OPERATORS_ONLY),
    "POST /console/jobs/stop": Rule({**OPERATORS_ONLY, "operator": 404}, form={"id": "example/none"}),
    "GET /console/alarms": Rule(OPERATORS_ONLY),
    "POST /console/alarms/end": Rule({**OPERATORS_ONLY, "operator": 404}, form={"name": "outbox/none"}),
    "GET /console/aside": Rule(OPERATORS_ONLY),
    "GET /console/acts": Rule(OPERATORS_ONLY),
    "GET /console/skip": Rule({**OPERATORS_ONLY, "operator": 404}),
    "POST /console/skip": Rule({**OPERATORS_ONLY, "operator": 404}, form={"kind": "shard", "id": "example/notes/1"}),
    "POST /console/aside/retry": Rule({**OPERATORS_ONLY, "operator": 404}, form={"kind": "record", "id": "example/1"}),
    "POST /console/aside/drop": Rule({**OPERATORS_ONLY, "operator": 404}, form={"kind": "message", "id": "web/1"}),
    "GET /console/enter": Rule(dict.fromkeys(("anonymous", "person", "operator"), 404)),
    "GET /console/tables": Rule(OPERATORS_ONLY),
    "GET /console/tables/{table}": Rule(OPERATORS_ONLY),
    "GET /console/tables/{table}/export": Rule(OPERATORS_ONLY),
    "GET /console/tables/{table}/item": Rule({**OPERATORS_ONLY, "operator": 404}),
    "GET /console/tables/{table}/new": Rule(NOBODY),
    "POST /console/tables/{table}/new": Rule(NOBODY),
    "GET /console/tables/{table}/edit": Rule(NOBODY),
    "POST /console/tables/{table}/edit": Rule(NOBODY),
    "POST /console/tables/{table}/delete": Rule(NOBODY),
    "GET /console/tables/{table}/changes": Rule(OPERATORS_ONLY),
    "GET /console/tables/{table}/history": Rule({**OPERATORS_ONLY, "operator": 404}),
    "GET /console/journal": Rule(OPERATORS_ONLY),
    "POST /console/journal/{number:int}/undo": Rule(NOBODY),
    "GET /console/partiql": Rule(OPERATORS_ONLY),
    "POST /console/reveal": Rule({**OPERATORS_ONLY, "operator": 303}),
    "GET /console/designs/{system}": Rule(OPERATORS_ONLY),
    "GET /console/designs/{system}/map": Rule(OPERATORS_ONLY),
    "GET /console/patterns": Rule(OPERATORS_ONLY),
    "GET /console/patterns/{system}/{pattern}": Rule(OPERATORS_ONLY),
    "POST /account/sign-out-everywhere": Rule({"anonymous": 303, "person": 303, "operator": 303}),
    "POST /sign-out": Rule({"anonymous": 303, "person": 303, "operator": 303}),
}


async def people(client: Client) -> dict[str, Client]:
    found = {"anonymous": client, "owner": client.another(), "other": client.another()}
    await found["owner"].sign_in("demo-aoi")
    await found["other"].sign_in("demo-ren")
    return found


async def test_the_example_by_everybody() -> None:
    async with opened(SYSTEM, clock=ManualClock()) as client:

        async def a_fresh_note() -> Mapping[str, str]:
            id = client.shell.clock.uuid()
            db = client.shell.deployment.systems["example"].context.db
            await db.write(notes.create(Note(owner="demo-aoi", id=id, text="x")))
            return {"id": id}

        deleting = Rule({"anonymous": 401, "owner": 204, "other": 404}, prepare=a_fresh_note)
        matrix = {**MATRIX, "DELETE /example/api/notes/{id}": deleting}
        assert uncovered(client.app, "example", matrix) == []
        assert await deviations(matrix, await people(client), {"token": "t"}) == []


async def test_the_shell_by_everybody() -> None:
    settings = test_settings(demo=False, values={"operators": "aoi@demo.example, x@y.example"})
    async with opened(SYSTEM, settings=settings, clock=ManualClock()) as client:
        actors = {"anonymous": client, "person": client.another(), "operator": client.another()}
        await actors["person"].sign_in("demo-ren")
        await actors["operator"].sign_in("demo-aoi")
        matrix = {name.replace("{table}", "{name}"): rule for name, rule in SHELL.items()}
        assert uncovered(client.app, "", matrix) == []
        parameters = {
            "version": client.shell.static.version,
            "name": "app.css",
            "system": "example",
            "pattern": "notes_of",
            "number": "1",
        }
        of_a_table = {name: replace(rule, prepare=_table) for name, rule in matrix.items() if "/tables/{name}" in name}
        matrix = {**matrix, **of_a_table}
        assert await deviations(matrix, actors, parameters) == []


async def _table() -> Mapping[str, str]:
    return {"name": "example-notes"}


async def test_a_route_without_a_row_and_a_wrong_answer_are_found() -> None:
    async with opened(SYSTEM, clock=ManualClock()) as client:
        assert "no row: DELETE /example/api/notes/{id}" in uncovered(client.app, "example", MATRIX)
        assert "no route: GET /example/x" in uncovered(client.app, "example", {**MATRIX, "GET /example/x": Rule({})})
        wrong = {"GET /example/": Rule({"anonymous": 200})}
        (found,) = await deviations(wrong, {"anonymous": client}, {})
        assert found.startswith("GET /example/ by anonymous: 303 instead of 200")
        unsaid = {"GET /example/": Rule({})}
        assert await deviations(unsaid, {"anonymous": client}, {}) == ["GET /example/: nothing is said of anonymous"]
        assert "POST /sign-in" in routes_of(client.app, "")


async def test_a_route_that_reads_more_than_its_budget_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(budgets.WRITING, raising=False)
    async with opened(SYSTEM, clock=ManualClock()) as client:
        await client.sign_in()
        matrix = {"GET /example/": Rule({"owner": 200}), "GET /example/docs": Rule({"owner": 200})}
        monkeypatch.setattr(budgets, "read", lambda: {"GET /example/": 1})
        over, unknown = await deviations(matrix, {"owner": client}, {})
        assert "GET /example/: 2 store calls, its budget is 1; read less" in over
        assert unknown.endswith("store calls and no budget; `make renew WHAT=budgets` writes it down")
