"""Designs out of tables: what goes out as CloudFormation, Terraform or a model comes back as the same tables."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import sekkei.testing
from sekkei.design import Capacity, Design, Index, tables
from sekkei.design.loading import load
from sekkei.design.provisioning import create_request
from sekkei.publish.aws.tables import template
from sekkei.publish.aws.terraform import configuration
from sekkei.publish.importing import Found, NotUnderstood, proven, source, tables_in
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


@pytest.mark.parametrize("way", ["cloudformation", "terraform"])
def test_units_tags_and_insights_come_back(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index("by_state", "state", "at", capacity=Capacity(7, 2), warm=Capacity(50, 20), insights=True)
    options = {"capacity": Capacity(5, 3), "warm": Capacity(500, 200), "tags": {"team": "web"}, "insights": True}
    design, _ = thing_design(index, **options)
    made = template(design, env="x") if way == "cloudformation" else configuration(design, env="x")
    back = loaded(f"units_{way}", source("back", tables_in(made)), tmp_path, monkeypatch)
    assert form(back) == form(design)
    table = back.tables["things"]
    assert table.insights
    assert table.indexes["by_state"].insights


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


ONETABLE = {
    "format": "onetable:1.1.0",
    "version": "0.0.1",
    "indexes": {
        "primary": {"hash": "pk", "sort": "sk"},
        "gs1": {"hash": "gs1pk", "sort": "gs1sk", "project": ["name"]},
        "ls1": {"sort": "id", "type": "local"},
    },
    "models": {
        "Account": {
            "pk": {"type": "string", "value": "account#${id}"},
            "sk": {"type": "string", "value": "account#"},
            "id": {"type": "string"},
            "name": {"type": "string"},
            "balance": {"type": "number"},
        },
        "User": {
            "pk": {"type": "string", "value": "account#${accountId}"},
            "sk": {"type": "string", "value": "user#${email}"},
            "email": {"type": "string"},
            "gs1pk": {"type": "string", "value": "user#"},
            "gs1sk": {"type": "string", "value": "user#${email}"},
        },
    },
    "params": {"typeField": "_type"},
}

TASK = {
    "model": {"entity": "Task", "version": "1", "service": "TaskApp"},
    "attributes": {
        "taskId": {"type": "string"},
        "teamName": {"type": "string"},
        "points": {"type": "number"},
        "done": {"type": "boolean"},
    },
    "indexes": {
        "byTeam": {
            "collection": "assignments",
            "pk": {"field": "pk", "composite": ["teamName"]},
            "sk": {"field": "sk", "composite": ["taskId"]},
        },
        "byTask": {
            "index": "gsi1",
            "pk": {"field": "gsi1pk", "composite": ["taskId"]},
            "sk": {"field": "gsi1sk", "composite": []},
        },
    },
}
NOTE = {
    "model": {"entity": "Note", "version": "2", "service": "TaskApp"},
    "attributes": {"id": {"type": "string"}},
    "indexes": {"p": {"pk": {"field": "pk", "composite": ["id"]}, "sk": {"field": "sk", "composite": []}}},
}


def test_a_schema_of_onetable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = loaded("onetable", source("onetable", tables_in(ONETABLE)), tmp_path, monkeypatch)
    (table,) = design.tables.values()
    assert {entity.name: entity.key_texts for entity in table.entities} == {
        "accounts": ("account#{id}", "account#"),
        "users": ("account#{account_id}", "user#{email}"),
    }
    assert [(index.name, index.local) for index in table.indexes.values()] == [("gs1", False), ("ls1", True)]
    item = {"pk": {"S": "account#1"}, "sk": {"S": "user#a@b"}, "_type": {"S": "User"}, "email": {"S": "a@b"}}
    entity = table.entity_of(item)
    assert (entity.name, entity.encode(entity.decode(item))) == ("users", item)


def test_an_older_schema_of_onetable_with_names_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a format; keys stored under other names, several fields in one map, a type in the key, `:` between."""
    user = {"hash": {"value": "${_type}#${id}", "map": "pk"}, "id": {}, "city": {"map": "data.city"}}
    models = {"User": user, "Alert": {"pk": {"value": "alert:${id}:${seq}"}, "id": {}, "seq": {}}}
    content = {"version": "0.0.1", "indexes": {"primary": {"hash": "pk"}}, "models": models}
    text = source("old", tables_in(json.loads(json.dumps(content))))
    assert "# pk is alert:${id}:${seq}, which no template of a design can say; it is one part here." in text
    (table,) = loaded("old", text, tmp_path, monkeypatch).tables.values()
    assert {each.name: each.key_texts[0] for each in table.entities} == {"users": "User#{id}", "alerts": "{pk}"}
    item = {"pk": {"S": "User#1"}, "_type": {"S": "User"}, "id": {"S": "1"}, "data": {"M": {"city": {"S": "Kobe"}}}}
    entity = table.entity_of(item)
    assert entity.encode(entity.decode(item)) == item


def test_models_of_electrodb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The item is what ElectroDB 3 writes for these models."""
    design = loaded("electro", source("electro", tables_in([TASK, NOTE])), tmp_path, monkeypatch)
    (table,) = design.tables.values()
    item: dict[str, Any] = {
        "taskId": {"S": "T-1"},
        "teamName": {"S": "Red"},
        "points": {"N": "3"},
        "done": {"BOOL": True},
        "pk": {"S": "$taskapp#teamname_red"},
        "sk": {"S": "$assignments#task_1#taskid_t-1"},
        "gsi1pk": {"S": "$taskapp#taskid_t-1"},
        "gsi1sk": {"S": "$task_1"},
        "__edb_e__": {"S": "Task"},
        "__edb_v__": {"S": "1"},
    }
    entity = table.entity_of(item)
    assert (entity.name, entity.encode(entity.decode(item))) == ("tasks", item)
    assert {each.name: each.key_texts for each in table.entities}["notes"] == ("$taskapp#id_{id}", "$note_2")
    assert "lowers the case" in (tmp_path / "electro.py").read_text()


def test_items_that_may_be_read_as_either_are_one_entity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"}}
    keys["SortKey"] = {"AttributeName": "sk", "AttributeType": "S"}
    texts = [("u1", "info"), ("u1#posts", "p1"), ("u2", "CLASS#x"), ("u2#likes#all", "from")]
    rows = [{"pk": {"S": pk}, "sk": {"S": sk}, "from": {"S": "x"}, "class": {"N": "1"}} for pk, sk in texts]
    content = {"DataModel": [{"TableName": "SNS", "KeyAttributes": keys, "TableData": rows}]}
    design = loaded("sns", source("sns", tables_in(content)), tmp_path, monkeypatch)
    (table,) = design.tables.values()
    for row in rows:
        entity = table.entity_of(row)
        assert entity.encode(entity.decode(row)) == row


def shop(*rows: dict[str, str]) -> list[Found]:
    keys = {"PartitionKey": {"AttributeName": "id", "AttributeType": "S"}}
    items = [{name: {"S": text} for name, text in row.items()} for row in rows]
    return tables_in({"DataModel": [{"TableName": "shop", "KeyAttributes": keys, "TableData": items}]})


def test_an_item_without_its_type_makes_no_stew_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shop(
        {"id": "17", "type": "User", "email": "a@x.jp"},
        {"id": "18", "type": "User", "email": "b@x.jp"},
        {"id": "19", "type": "Order", "total": "12"},
        {"id": "20", "note": "from before there were types"},
    )
    text = proven("shop", found)
    assert "# Without 'type' are 1 of 4 items seen, such as id '20': no entity here reads them." in text
    (table,) = loaded("shop", text, tmp_path, monkeypatch).tables.values()
    assert {each.type for each in table.entities} == {"User", "Order"}


@pytest.mark.parametrize("kind", ["USER", "POST"])
def test_what_some_things_alone_have_is_no_type(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Posts have a type of their own; users have none, and are not left out for it."""
    found = shop(
        {"id": "USER#1", "name": "Aoi"},
        {"id": "POST#1", "type": "photo"},
        {"id": "POST#2", "type": "film"},
        {"id": "POST#3", "type": "film"},
    )
    (table,) = loaded("posts", proven("posts", found), tmp_path, monkeypatch).tables.values()
    assert table.discriminator is None
    assert table.entity_of({"id": {"S": f"{kind}#9"}}).key_texts[0].startswith(kind)


def test_public_models_come_in_and_go_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of NoSQL Workbench that AWS publishes (design patterns, examples, labs), where they are at hand."""
    folder = os.environ.get("SEKKEI_WORKBENCH_MODELS")
    if not folder:
        pytest.skip("SEKKEI_WORKBENCH_MODELS names no folder of models")
    for number, path in enumerate(sorted(Path(folder).glob("*.json"))):
        content = json.loads(path.read_text("utf-8-sig"))
        found = tables_in(content)
        design = loaded(f"public_{number}", source(f"public_{number}", found), tmp_path, monkeypatch)
        for table in found:
            for item in table.items:
                entity = design.tables[table.name].entity_of(item)
                assert entity.encode(entity.decode(item)) == item
        again = tables_in(model(design, "x"))
        assert [(each.name, each.keys, each.indexes) for each in again] == [
            (each.name, each.keys, each.indexes) for each in found
        ], path
