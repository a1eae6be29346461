"""TagResource."""

from __future__ import annotations

from typing import Any

from sekkei.engine.validation import fields, schema, tags
from sekkei.engine.validation.checked import Checked
from sekkei.engine.validation.resource import ResourceOperation, check_resource
from sekkei.errors import ValidationException

SHAPE = ResourceOperation("TagResourceInput", "ResourceArn Tags", ResourceArn=fields.RESOURCE_ARN, Tags=schema.TAGS)


def rules(request: dict[str, Any]) -> Checked:
    check_resource(request["ResourceArn"])
    if not request["Tags"]:
        raise ValidationException("Atleast one Tag needs to be provided as Input.")
    tags.check_tags(request["Tags"])
    return Checked(request)
