"""Designs out of tables: what goes out as CloudFormation, Terraform or a model comes back as the same tables."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

import sekkei.testing
from sekkei.design import Design, tables
from sekkei.design.definition import create_request
from sekkei.design.loading import load
from sekkei.publish.aws.tables import template
from sekkei.publish.aws.terraform import configuration
from sekkei.publish.importing import NotUnderstood, source, tables_in
from sekkei.publish.workbench import model
from tests.advice.conftest import Thing, thing_design

SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")


def loaded(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Design:
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop(name, None)
    design: Design = importlib.import_module(name).design
    design.check()
    return design


def form(design: Design) -> dict[str, Any]:
    """Keys and indexes of every table, as requests that would make them."""
    found = {}
    for table in design.tables.values():
        request = create_request(table, design.table_name(table, "x"))
        request["AttributeDefinitions"].sort(key=lambda one: one["AttributeName"])
        found[request.pop("TableName")] = request
    return found


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("way", ["cloudformation", "terraform"])
def test_our_own_designs_come_back(system: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = load(system)
    made = template(design, env="x") if way == "cloudformation" else configuration(design, env="x")
    back = loaded(f"back_{system}_{way}", source("back", tables_in(made)), tmp_path, monkeypatch)
    ours, theirs = form(design), form(back)
    assert set(ours) == {name.replace("{env}", "x") for name in theirs}
    for name, request in ours.items():
        assert theirs[name] == request


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_model_of_workbench_comes_back(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = load(system)
    back = loaded(f"model_{system}", source("back", tables_in(model(design, "x"))), tmp_path, monkeypatch)
    assert set(form(design)) == set(form(back))
    for name, request in form(design).items():
        assert form(back)[name]["KeySchema"] == request["KeySchema"]
        assert len(form(back)[name].get("GlobalSecondaryIndexes", [])) == len(request.get("GlobalSecondaryIndexes", []))


async def test_a_live_table_is_read_back_without_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design, things = thing_design()
    async with sekkei.testing.store(design) as db:
        for number in range(3):
            await db.write(things.create(Thing(owner=f"o{number}", id=str(number), seen=number)))
        (found,) = tables_in(await db.store.call("DescribeTable", {"TableName": "things"}))
        found.items = (await db.store.call("Scan", {"TableName": "things"}))["Items"]
        found.pitr = True
        back = loaded("live_things", source("live", [found]), tmp_path, monkeypatch)
        for item in found.items:
            entity = back.tables["things"].entity_of(item)
            assert entity.encode(entity.decode(item)) == item
        assert await tables.differences(db.store, back, "test") == []


@pytest.mark.parametrize("content", [{}, [], {"Resources": {}}, {"hello": 1}])
def test_what_has_no_table_is_refused(content: Any) -> None:
    with pytest.raises(NotUnderstood, match="There is no table in it"):
        tables_in(content)
