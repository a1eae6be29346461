"""TaskDraft is the one list of what people enter: every place that shows, takes or sends a task has its fields."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import structs

from sekkei.design.model import described
from sekkei.testing import make
from sekkei.web.testing import Client
from sekkei_systems.tasks.api.shapes import TaskOut
from sekkei_systems.tasks.design import Activity, Task
from sekkei_systems.tasks.rules import history, spreadsheet
from sekkei_systems.tasks.rules.drafts import ENTERED, TYPES, TaskChanges, TaskDraft
from sekkei_systems.tasks.rules.hooks import task_data
from sekkei_systems.tasks.rules.imports import packed, unpacked
from sekkei_systems.tasks.service.imports import draft_of
from tests.systems.samples import sample
from tests.systems.tasks.pages.site import new_team, upload

REFERENCES: dict[str, Any] = {"tags": frozenset({"1"}), "assignee": "aoi"}
FULL = TaskDraft(**{name: REFERENCES.get(name) or sample(name, TYPES[name]) for name in ENTERED})
SPELT = {field.name: field.encode_name for field in structs.fields(TaskDraft)}


def filled(**references: Any) -> dict[str, Any]:
    """The full draft as a form or a request sends it."""
    return structs.replace(FULL, **references).plain()


def test_what_is_entered_is_stored_changed_and_shown() -> None:
    changes = {field.name: field for field in structs.fields(TaskChanges)}
    out = {field.name: field.encode_name for field in structs.fields(TaskOut)}
    assert [name for name in ENTERED if name not in described(Task).fields] == [], "attributes of Task"
    assert {*changes} ^ {*ENTERED} == set(), "fields of TaskChanges and TaskDraft"
    assert [name for name in ENTERED if out.get(name) != SPELT[name]] == [], "fields of TaskOut"
    limits = {name: msgspec.json.schema(TYPES[name]) for name in ENTERED}
    assert {name: msgspec.json.schema(changes[name].type) for name in ENTERED} == limits, "TaskChanges has other limits"


async def test_every_field_has_an_input(client: Client) -> None:
    team = await new_team(client)
    await client.json("POST", f"{team.replace('/tasks/', '/tasks/api/')}/tags", {"name": "a", "color": "#000000"})
    page = (await client.get(f"{team}/tasks/new")).text
    inputs = set(re.findall(r'<(?:input|select|textarea)\b[^>]*?\bname="(\w+)"', page))
    assert [name for name in ENTERED if name not in inputs] == [], "inputs of templates/parts.html"


async def test_a_form_the_api_and_a_file_bring_the_same(client: Client) -> None:
    team = await new_team(client)
    api = team.replace("/tasks/", "/tasks/api/")
    tag = (await client.json("POST", f"{api}/tags", {"name": "a", "color": "#000000"})).json()["id"]
    assert (await client.post(f"{team}/tasks", filled(tags=frozenset({tag}), assignee="demo-aoi"))).status == 303
    (entered,) = (await client.get(f"{api}/tasks")).json()["items"]
    wanted = {SPELT[name]: value for name, value in filled(tags=frozenset({tag}), assignee="demo-aoi").items()}
    assert {name: entered[name] for name in wanted} == wanted
    made = await client.json("POST", f"{api}/tasks", wanted)
    assert {name: made.json()[name] for name in wanted} == wanted
    plain = await client.json("POST", f"{api}/tasks", {"title": "plain"})
    changed = await client.json("PATCH", f"{api}/tasks/{plain.json()['id']}", wanted)
    assert {name: changed.json()[name] for name in wanted} == wanted
    await upload(client, team, (await client.get(f"{team}/export.csv")).body)
    items = (await client.json("GET", f"{api}/tasks")).json()["items"]
    assert [{name: item[name] for name in wanted} for item in items] == [wanted] * 6


def test_a_file_keeps_every_field() -> None:
    """From the cells to the draft that the job makes a task of."""
    written = spreadsheet.write([FULL.task("t", "k")], {"TAG#1": "api"}, {"aoi": "葵"}, "ja")
    rows = spreadsheet.read_rows(written, {"api": "1"}, {"葵": "aoi"})
    board = spreadsheet.as_board(rows, {"1": "api"}, {"aoi": "葵"}, "file")
    assert [draft_of(one, {"api": "1"}, {"葵": "aoi"}) for one in unpacked(packed(board.tasks))] == [FULL]


def test_webhooks_send_every_field() -> None:
    sent = task_data(FULL.task("t", "k"))
    wanted = {SPELT[name]: value for name, value in FULL.plain().items() if name != "description"}
    assert {name: sent.get(name) for name in wanted} == wanted


def test_history_keeps_every_field() -> None:
    old, new = TaskDraft("before").task("t", "k"), FULL.task("t", "k")
    changes = history.differences(old, new)
    line = make(Activity, version=2, changes=changes, before=old.description)
    assert {*changes} == {*ENTERED}
    assert history.undone(new, line, []) == old
