"""UntagResource."""

from __future__ import annotations

import copy
from typing import Any

from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.operations.tag_resource import tagged_table
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import ResourceOperation, check_resource
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


def untag_resource(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = tagged_table(transaction, checked, "UntagResource")
    record = copy.deepcopy(table.record)
    gone = set(checked.request["TagKeys"])
    record["Tags"] = {key: value for key, value in record.get("Tags", {}).items() if key not in gone}
    transaction.save_table(table.id, record)
    return {}


OPERATIONS = (Write("UntagResource", SHAPE, rules, untag_resource),)
