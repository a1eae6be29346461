"""Templates and states as people have them: functions, SAM, global tables, modules of Terraform."""

from __future__ import annotations

from typing import Any

import pytest

from sekkei.publish.importing import Found, NotUnderstood, proven, tables_in

KEY = {
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
}


def one(properties: dict[str, Any], kind: str = "AWS::DynamoDB::Table", **rest: Any) -> Found:
    (found,) = tables_in({"Resources": {"Orders": {"Type": kind, "Properties": properties}}, **rest})
    assert proven("one", [found])
    return found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("orders", "orders"),
        ({"Ref": "Name"}, "orders-of-old"),
        ({"Ref": "Nothing"}, "Orders"),
        ({"Fn::Sub": "${Env}-orders"}, "{env}-orders"),
        ({"Fn::Sub": "orders-${Stage}"}, "orders-{env}"),
        ({"Fn::Sub": ["${Shop}-orders", {"Shop": {"Ref": "Name"}}]}, "orders-of-old-orders"),
        ({"Fn::Sub": "${AWS::StackName}-orders"}, "Orders"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Name"}]]}, "a-orders-of-old"),
        ({"Fn::Join": ["-", ["a", {"Fn::GetAtt": ["B", "C"]}]]}, "Orders"),
        ({"Fn::If": ["IsOld", {"Ref": "Name"}, "orders-new"]}, "orders-of-old"),
        ({"Fn::If": ["IsNew", {"Ref": "Name"}, "orders-new"]}, "orders-new"),
        ({"Fn::FindInMap": ["Names", "a", "b"]}, "orders-mapped"),
        ({"Fn::Select": [1, ["x", "orders-2"]]}, "orders-2"),
        ({"Fn::ImportValue": "x"}, "Orders"),
    ],
)
def test_the_name_of_a_table(name: Any, found: str) -> None:
    parameters = {"Name": {"Type": "String", "Default": "orders-of-old"}, "Env": {"Default": "dev"}}
    is_old = {"Fn::Equals": [{"Ref": "Name"}, "orders-of-old"]}
    conditions = {"IsOld": is_old, "IsNew": {"Fn::And": [{"Fn::Not": [{"Condition": "IsOld"}]}, is_old]}}
    rest = {"Parameters": parameters, "Conditions": conditions, "Mappings": {"Names": {"a": {"b": "orders-mapped"}}}}
    assert one({**KEY, "TableName": name}, **rest).name == found


def test_parts_that_depend_on_a_condition() -> None:
    billing = {"Fn::If": ["Busy", {"ReadCapacityUnits": {"Ref": "Units"}, "WriteCapacityUnits": "5"}, NOTHING]}
    properties = {
        **KEY,
        "TableName": "orders",
        "ProvisionedThroughput": billing,
        "SSESpecification": {"SSEEnabled": True},
    }
    properties["TimeToLiveSpecification"] = {
        "Fn::If": ["Unheard", {"AttributeName": "until", "Enabled": "true"}, NOTHING]
    }
    properties["Tags"] = [{"Key": "team", "Value": "web"}, {"Key": "id", "Value": {"Ref": "AWS::AccountId"}}]
    rest = {"Parameters": {"Units": {"Type": "Number", "Default": 7}, "Mode": {"Default": "busy"}}}
    busy = {"Busy": {"Fn::Or": [{"Fn::Equals": [{"Ref": "Mode"}, "busy"]}, {"Condition": "Busy"}]}}
    found = one(properties, Conditions=busy, **rest)
    assert (found.capacity, found.ttl, found.tags) == ((7, 5), "until", {"team": "web"})
    assert found.notes == [
        "TimeToLiveSpecification depends on 'Unheard'; it is as when that holds.",
        "Tags[1].Value is !Ref AWS::AccountId, known only to the stack; it is left out.",
        "SSESpecification is no part of a design; keep it in the template.",
    ]


NOTHING = {"Ref": "AWS::NoValue"}


def test_a_time_to_live_that_is_off() -> None:
    assert one({**KEY, "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": False}}).ttl is None


def test_a_simple_table_of_sam() -> None:
    found = one(
        {"PrimaryKey": {"Name": "number", "Type": "Number"}, "Tags": {"team": "web"}}, "AWS::Serverless::SimpleTable"
    )
    assert (found.name, found.keys, found.types, found.tags) == (
        "Orders",
        ("number",),
        {"number": "N"},
        {"team": "web"},
    )
    assert one({}, "AWS::Serverless::SimpleTable").keys == ("id",)


def test_a_global_table() -> None:
    recovery = {"PointInTimeRecoveryEnabled": True}
    replica = {"Region": "eu-west-1", "PointInTimeRecoverySpecification": recovery, "DeletionProtectionEnabled": True}
    replica["Tags"] = [{"Key": "team", "Value": "web"}]
    found = one({**KEY, "Replicas": [replica]}, "AWS::DynamoDB::GlobalTable")
    assert (found.pitr, found.protected, found.tags) == (True, True, {"team": "web"})


VALUES = {"name": "orders", "hash_key": "id", "attribute": [{"name": "id", "type": "S"}], "range_key": None, "ttl": []}


def resource(name: str, address: str) -> dict[str, Any]:
    values = {**VALUES, "name": name}
    return {"type": "aws_dynamodb_table", "mode": "managed", "address": address, "name": "this", "values": values}


@pytest.mark.parametrize("values", ["values", "planned_values"])
def test_modules_of_terraform(values: str) -> None:
    child = {"resources": [resource("lines", "module.a.aws_dynamodb_table.this")]}
    insights = {"type": "aws_dynamodb_contributor_insights", "values": {"table_name": "lines", "index_name": ""}}
    child["resources"].append(insights)
    read = {**resource("old", "data.aws_dynamodb_table.this"), "mode": "data"}
    root = {"resources": [resource("orders", "aws_dynamodb_table.this"), read], "child_modules": [child]}
    found = tables_in({"format_version": "1.0", values: {"root_module": root}})
    assert [(table.name, table.insights) for table in found] == [("orders", False), ("lines", True)]
    assert proven("modules", found)


def test_the_file_of_a_state() -> None:
    table = {"mode": "managed", "type": "aws_dynamodb_table", "name": "this", "instances": [{"attributes": VALUES}]}
    (found,) = tables_in({"version": 4, "terraform_version": "1.9.0", "resources": [table, {"type": "aws_s3_bucket"}]})
    assert found.name == "orders"


def test_a_name_that_only_terraform_knows() -> None:
    written = {"resource": {"aws_dynamodb_table": {"orders": {**VALUES, "name": "${var.shop}-orders"}}}}
    (found,) = tables_in({**written, "variable": {"shop": {"default": "mine"}}})
    assert found.name == "mine-orders"
    with pytest.raises(NotUnderstood, match="Give `terraform show -json` instead"):
        tables_in(written)


@pytest.mark.parametrize(
    ("names", "naming", "tables"),
    [
        (["{env}-a.b", "{env}-c-d"], 'tables="{env}-{table}"', ["'a.b'", "'c-d'"]),
        (["abc_{env}", "def_{env}"], 'tables="{table}_{env}"', ["'abc'", "'def'"]),
        (["{env}-abc", "def-{env}"], "Design('x')", ["'prod-abc'", "'def-prod'"]),
    ],
)
def test_environments_in_names(names: list[str], naming: str, tables: list[str]) -> None:
    resources = {"aws_dynamodb_table": {f"t{n}": {**VALUES, "name": name} for n, name in enumerate(names)}}
    text = proven("x", tables_in({"resource": resources}))
    assert naming in text
    assert all(table in text for table in tables)
