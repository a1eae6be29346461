"""ResourceArn of the operations on tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sekkei.engine.validation.shapes import Structure
from sekkei.errors import ValidationException

_is_table = re.compile(r"arn:aws[a-z-]*:dynamodb:[^:]*:\d+:table/[a-zA-Z0-9_.-]{3,255}").fullmatch


class ResourceOperation(Structure):
    """A request about a resource: without its ARN nothing else is looked at."""

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        if not value.get("ResourceArn"):
            raise ValidationException("Invalid TableArn")
        return super().faults(value, path)


def check_resource(arn: str) -> None:
    if not arn.startswith("arn:"):
        raise ValidationException(f"One or more parameter values were invalid: ARNs must start with 'arn:': {arn}")
    if not arn.startswith("arn:aws") or arn.split(":")[2:3] != ["dynamodb"]:
        raise ValidationException(
            f"One or more parameter values were invalid: Provided Arn is not a DynamoDB resource arn: {arn}"
        )
    if not _is_table(arn):
        raise ValidationException(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
