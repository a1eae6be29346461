"""What AWS would refuse is refused before anything is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sekkei.commands.described import described
from sekkei.design import Design
from sekkei.publish.aws import quotas, sam
from sekkei.publish.aws.quotas import CannotPublish
from sekkei.publish.aws.system import template
from tests.advice.conftest import thing_design

SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")


@pytest.mark.parametrize("system", SYSTEMS)
def test_our_systems_are_within(system: str) -> None:
    found = described(system)
    assert found is not None
    quotas.check_designs(found.designs, "prod")
    for made in (template(found, "prod"), sam.template(found, "prod")):
        quotas.check_template(made, json.dumps(made, indent=2))


@pytest.mark.parametrize("system", SYSTEMS)
def test_roles_leave_room_for_what_comes(system: str) -> None:
    """Twice as many permissions would not fit everywhere; a tenth more must."""
    found = described(system)
    assert found is not None
    for name, resource in template(found, "prod")["Resources"].items():
        if resource["Type"] == "AWS::IAM::Role":
            size = quotas.policy_characters(resource["Properties"]["Policies"])
            assert size <= quotas.POLICY_CHARACTERS_MAX * 0.9, f"{name}: {size:,} characters"


def stack(**parts: Any) -> dict[str, Any]:
    return {"Resources": {}, **parts}


def many(count: int) -> dict[str, Any]:
    return {f"R{number}": {"Type": "AWS::DynamoDB::Table", "Properties": {}} for number in range(count)}


def role(statements: int) -> dict[str, Any]:
    arn = {"Fn::GetAtt": ["OrdersTable", "Arn"]}
    listed = [{"Effect": "Allow", "Action": ["dynamodb:GetItem"], "Resource": [arn]} for _ in range(statements)]
    policy = {"PolicyName": "x", "PolicyDocument": {"Version": "2012-10-17", "Statement": listed}}
    return {"HttpRole": {"Type": "AWS::IAM::Role", "Properties": {"Policies": [policy]}}}


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (stack(Resources=many(501)), "501 resources; CloudFormation takes 500"),
        (stack(Parameters=many(201)), "201 parameters; CloudFormation takes 200"),
        (stack(Outputs=many(201)), "201 outputs"),
        (stack(Description="x" * 1_000_001), "bytes; CloudFormation takes 1,000,000"),
        (stack(Resources=role(100)), "IAM takes 10,240"),
    ],
)
def test_a_stack_beyond_a_quota(made: dict[str, Any], said: str) -> None:
    with pytest.raises(CannotPublish, match=said):
        quotas.check_template(made, json.dumps(made))


def test_a_stack_at_its_quotas() -> None:
    made = stack(Resources=many(500), Parameters=many(200), Outputs=many(200))
    quotas.check_template(made, json.dumps(made))
    quotas.check_template(stack(Resources=role(50)), "")


def test_two_designs_with_a_table_of_one_name() -> None:
    one, _ = thing_design()
    other, _ = thing_design()
    with pytest.raises(CannotPublish, match="both have a table things"):
        quotas.check_designs([one, other], "prod")


def test_more_tables_than_an_account_has() -> None:
    design = Design("large")
    for number in range(2_501):
        design.table(f"table-{number}", "id")
    with pytest.raises(CannotPublish, match="2501 tables"):
        quotas.check_designs([design], "prod")
