"""ListTagsOfResource."""

from __future__ import annotations

from typing import Any

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.operations.tag_resource import tagged_table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import ResourceOperation, check_resource

SHAPE = ResourceOperation(
    "ListTagsOfResourceInput", "ResourceArn", ResourceArn=fields.RESOURCE_ARN, NextToken=fields.STRING
)


def rules(request: dict[str, Any]) -> Checked:
    check_resource(request["ResourceArn"])
    return Checked(request)


def list_tags_of_resource(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = tagged_table(snapshot, checked, "ListTagsOfResource")
    return {"Tags": [{"Key": key, "Value": value} for key, value in table.record.get("Tags", {}).items()]}


OPERATIONS = (Read("ListTagsOfResource", SHAPE, rules, list_tags_of_resource),)
