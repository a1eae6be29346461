"""ListTagsOfResource."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.resource import ResourceOperation, check_resource

SHAPE = ResourceOperation(
    "ListTagsOfResourceInput", "ResourceArn", ResourceArn=fields.RESOURCE_ARN, NextToken=fields.STRING
)


def rules(request: dict[str, Any]) -> Checked:
    check_resource(request["ResourceArn"])
    return Checked(request)
