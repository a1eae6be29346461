"""Tables as CloudFormation resources, with everything the design says. They stay when the stack goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sekkei.design import Design, Table
from sekkei.design.provisioning import create_request, tag_list
from sekkei.publish.aws.names import logical, table_name

DESIGN_TAG = "sekkei:design"
SHARED_WORDS = "In front of sekkei-runtime and sekkei-web, for another system in this account and region: q- and so on"
Resource = dict[str, Any]


def tables(*designs: Design) -> dict[str, Resource]:
    """By logical name, in the order of the designs."""
    found: dict[str, Resource] = {}
    for design in designs:
        design.check()
        for table in design.tables.values():
            found[logical(table.name, "table")] = table_resource(design, table)
    return found


def table_resource(design: Design, table: Table) -> Resource:
    request = create_request(table, "")
    properties: dict[str, Any] = {"TableName": table_name(design, table)}
    properties |= {name: request[name] for name in ("AttributeDefinitions", "KeySchema", "BillingMode")}
    for name in ("ProvisionedThroughput", "WarmThroughput", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if name in request:
            properties[name] = request[name]
    for index in properties.get("GlobalSecondaryIndexes", ()):
        if table.indexes[index["IndexName"]].insights:
            index["ContributorInsightsSpecification"] = {"Enabled": True}
    if table.stream is not None:
        properties["StreamSpecification"] = {"StreamViewType": table.stream}
    if table.ttl is not None:
        properties["TimeToLiveSpecification"] = {"AttributeName": table.ttl, "Enabled": True}
    properties["PointInTimeRecoverySpecification"] = {"PointInTimeRecoveryEnabled": table.pitr}
    properties["DeletionProtectionEnabled"] = table.deletion_protection
    if table.insights:
        properties["ContributorInsightsSpecification"] = {"Enabled": True}
    properties["Tags"] = tag_list({DESIGN_TAG: design.name, **table.tags})
    return {
        "Type": "AWS::DynamoDB::Table",
        **kept(protected=table.deletion_protection),
        "Properties": properties,
    }


def kept(*, protected: bool = False) -> Resource:
    """Stays when the stack goes or replaces it. A first deployment that fails takes back what it has made, so that the
    next one finds the names free; but what is protected cannot be taken back."""
    return {
        "DeletionPolicy": "Retain" if protected else "RetainExceptOnCreate",
        "UpdateReplacePolicy": "Retain",
    }


def template(*designs: Design, env: str) -> dict[str, Any]:
    """The tables of designs alone, as a template of CloudFormation."""
    names = ", ".join(design.name for design in designs)
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"Tables of {names}",
        "Parameters": naming_parameters(designs, env),
        "Resources": tables(*designs),
        "Outputs": {
            logical(table.name, "name"): {"Value": {"Ref": logical(table.name, "table")}}
            for design in designs
            for table in design.tables.values()
        },
    }


def naming_parameters(designs: Sequence[Design], env: str) -> dict[str, Any]:
    """What names of tables are made of when a stack is deployed."""
    found = {"Env": _name_part(env, 1, "What {env} stands for in the names of tables")}
    if has_shared(designs):
        found["Shared"] = _name_part("", 0, SHARED_WORDS)
    return found


def has_shared(designs: Sequence[Design]) -> bool:
    """Whether there are tables that another stack would have too."""
    return any(table.shared is not None for design in designs for table in design.tables.values())


def _name_part(default: str, shortest: int, text: str) -> dict[str, Any]:
    pattern = f"[a-zA-Z0-9_.-]{{{shortest},100}}"
    return {"Type": "String", "Default": default, "AllowedPattern": pattern, "Description": text}
