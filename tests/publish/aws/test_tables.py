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
        assert resource["DeletionPolicy"] == "RetainExceptOnCreate"
        assert resource["UpdateReplacePolicy"] == "Retain"
    await store.close()


def test_everything_the_design_says() -> None:
    index = Index("by_state", "state", "at", projection=("email",), warm=Capacity(50, 20), insights=True)
    options = {"capacity": Capacity(5, 3), "warm": Capacity(500, 200), "tags": {"team": "web"}, "insights": True}
    design, _ = thing_design(index, stream="NEW_IMAGE", **options)
    properties = table_resource(design, design.tables["things"])["Properties"]
    assert properties["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 3}
    assert properties["StreamSpecification"] == {"StreamViewType": "NEW_IMAGE"}
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["DeletionProtectionEnabled"] is True
    (found,) = properties["GlobalSecondaryIndexes"]
    assert found["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["email"]}
    assert properties["WarmThroughput"] == {"ReadUnitsPerSecond": 500, "WriteUnitsPerSecond": 200}
    assert found["WarmThroughput"] == {"ReadUnitsPerSecond": 50, "WriteUnitsPerSecond": 20}
    on = {"Enabled": True}
    assert properties["ContributorInsightsSpecification"] == found["ContributorInsightsSpecification"] == on
    assert properties["Tags"] == [{"Key": "sekkei:design", "Value": "small"}, {"Key": "team", "Value": "web"}]


def test_everything_the_design_says_for_terraform() -> None:
    index = Index("by_state", "state", "at", projection=("email",), warm=Capacity(50, 20), insights=True)
    options = {"capacity": Capacity(5, 3), "warm": Capacity(500, 200), "tags": {"team": "web"}, "insights": True}
    design, _ = thing_design(index, stream="NEW_IMAGE", **options)
    resources = configuration(design, env="prod")["resource"]
    terraform = resources["aws_dynamodb_table"]["things"]
    assert (terraform["read_capacity"], terraform["write_capacity"]) == (5, 3)
    assert terraform["stream_view_type"] == "NEW_IMAGE"
    (found,) = terraform["global_secondary_index"]
    assert found["non_key_attributes"] == ["email"]
    assert terraform["warm_throughput"] == {"read_units_per_second": 500, "write_units_per_second": 200}
    assert found["warm_throughput"] == {"read_units_per_second": 50, "write_units_per_second": 20}
    assert terraform["tags"] == {"sekkei:design": "small", "team": "web"}
    name = {"table_name": "${aws_dynamodb_table.things.name}"}
    watched = resources["aws_dynamodb_contributor_insights"]
    assert watched == {"things": name, "things_by_state": {**name, "index_name": "by_state"}}


def test_names_follow_the_environment() -> None:
    resources = template(load("q"), env="prod")["Resources"]
    assert resources["UsersTable"]["Properties"]["TableName"] == {"Fn::Sub": "${Env}-q-Users"}
    terraform = configuration(load("q"), env="prod")["resource"]["aws_dynamodb_table"]
    assert terraform["users"]["name"] == "${var.env}-q-Users"


def test_logical_names() -> None:
    assert logical("task-table-v3", "table") == "TaskTableV3Table"


def test_terraform_asks_for_a_provider_that_knows_the_keys() -> None:
    """Keys of several attributes came late; those of one are said in words that every version takes."""
    versions = {}
    for index in (Index("by_state", "state", "at"), Index("by_all", ("state", "email"), "at")):
        made = configuration(thing_design(index)[0], env="prod")
        (found,) = made["resource"]["aws_dynamodb_table"]["things"]["global_secondary_index"]
        versions["key_schema" in found] = made["terraform"]["required_providers"]["aws"]["version"]
    assert versions == {False: ">= 6.0", True: ">= 6.37"}
