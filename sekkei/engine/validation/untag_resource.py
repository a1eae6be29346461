"""UntagResource."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.resource import ResourceOperation, check_resource
from sekkei.engine.validation.shapes import List, String
from sekkei.errors import ValidationException

SHAPE = ResourceOperation(
    "UntagResourceInput",
    "ResourceArn TagKeys",
    ResourceArn=fields.RESOURCE_ARN,
    TagKeys=List(String(shortest=1, longest=128)),
)


def rules(request: dict[str, Any]) -> Checked:
    check_resource(request["ResourceArn"])
    if not request["TagKeys"]:
        raise ValidationException("Atleast one Tag Key needs to be provided as Input.")
    return Checked(request)
