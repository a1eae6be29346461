"""TagResource."""

from __future__ import annotations

import copy
from typing import Any

from sekkei.engine.operation import Checked, Render, Response, Write
from sekkei.engine.storage.catalogue import ACCOUNT, Table, table_arn
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.fields import ResourceOperation, check_resource
from sekkei.engine.validation.schema import check_tag_count
from sekkei.errors import AccessDeniedException, ResourceNotFoundException, ValidationException

SHAPE = ResourceOperation("TagResourceInput", "ResourceArn Tags", ResourceArn=fields.RESOURCE_ARN, Tags=schema.TAGS)


def rules(request: dict[str, Any]) -> Checked:
    check_resource(request["ResourceArn"])
    if not request["Tags"]:
        raise ValidationException("Atleast one Tag needs to be provided as Input.")
    schema.check_tags(request["Tags"])
    return Checked(request)


def tag_resource(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = tagged_table(transaction, checked, "TagResource")
    record = copy.deepcopy(table.record)
    tags = {**record.get("Tags", {}), **{tag["Key"]: tag["Value"] for tag in checked.request["Tags"]}}
    check_tag_count(len(tags))
    record["Tags"] = tags
    transaction.save_table(table.id, record)
    return {}


def tagged_table(snapshot: Snapshot, checked: Checked, operation: str) -> Table:
    """The table that ResourceArn names."""
    arn = checked.request["ResourceArn"]
    name = arn.rpartition("/")[2]
    if arn != table_arn(name, snapshot.settings.region):
        raise AccessDeniedException(
            f"User: arn:aws:iam::{ACCOUNT}:root is not authorized to perform: dynamodb:{operation} on resource: {arn}"
        )
    table = snapshot.find_table(name)
    if table is None:
        which = "" if operation == "UntagResource" else f": ResourcArn: {arn} not found"
        raise ResourceNotFoundException(f"Requested resource not found{which}")
    return table


OPERATIONS = (Write("TagResource", SHAPE, rules, tag_resource),)
