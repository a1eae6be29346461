"""Tables as resources: what CloudFormation and Terraform are told is what `sekkei tables create` makes."""

from __future__ import annotations

import pytest

from sekkei.design import Capacity, Index
from sekkei.design.loading import load
from sekkei.publish.aws.names import logical
from sekkei.publish.aws.tables import table_resource, tables, template
from sekkei.publish.aws.terraform import configuration
from sekkei.store import Embedded
from tests.advice.conftest import thing_design

CREATE = {
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
}
SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")


@pytest.mark.parametrize("system", SYSTEMS)
async def test_the_engine_takes_every_table_of_a_template(system: str) -> None:
    store = Embedded()
    resources = tables(load(system))
    assert len(resources) == len(load(system).tables)
    for resource in resources.values():
        properties = dict(resource["Properties"])
        name = properties["TableName"]
        name = name if isinstance(name, str) else name["Fn::Sub"].replace("${Env}", "prod")
        request = {key: value for key, value in properties.items() if key in CREATE} | {"TableName": name}
        if "StreamSpecification" in properties:
            request["StreamSpecification"] = {"StreamEnabled": True, **properties["StreamSpecification"]}
        await store.call("CreateTable", request)
        assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
    await store.close()


def test_everything_the_design_says() -> None:
    index = Index("by_state", "state", "at", projection=("email",))
    design, _ = thing_design(index, stream="NEW_IMAGE", capacity=Capacity(5, 3))
    properties = table_resource(design, design.tables["things"])["Properties"]
    assert properties["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 3}
    assert properties["StreamSpecification"] == {"StreamViewType": "NEW_IMAGE"}
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["DeletionProtectionEnabled"] is True
    (found,) = properties["GlobalSecondaryIndexes"]
    assert found["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["email"]}
    terraform = configuration(design, env="prod")["resource"]["aws_dynamodb_table"]["things"]
    assert (terraform["read_capacity"], terraform["write_capacity"]) == (5, 3)
    assert terraform["stream_view_type"] == "NEW_IMAGE"
    assert terraform["global_secondary_index"][0]["non_key_attributes"] == ["email"]


def test_names_follow_the_environment() -> None:
    resources = template(load("q"), env="prod")["Resources"]
    assert resources["UsersTable"]["Properties"]["TableName"] == {"Fn::Sub": "${Env}-q-Users"}
    terraform = configuration(load("q"), env="prod")["resource"]["aws_dynamodb_table"]
    assert terraform["users"]["name"] == "${var.env}-q-Users"


def test_logical_names() -> None:
    assert logical("task-table-v3", "table") == "TaskTableV3Table"
