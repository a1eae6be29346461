"""TagResource, UntagResource, ListTagsOfResource."""

from __future__ import annotations

import copy
from typing import Any

from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.storage.catalogue import ACCOUNT, Table, table_arn
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields, schema
from sekkei.engine.validation.fields import ResourceOperation, check_resource
from sekkei.engine.validation.schema import check_tag_count
from sekkei.engine.validation.shapes import List, String
from sekkei.errors import AccessDeniedException, ResourceNotFoundException, ValidationException

_TAG = ResourceOperation("TagResourceInput", "ResourceArn Tags", ResourceArn=fields.RESOURCE_ARN, Tags=schema.TAGS)


def _tag_rules(request: dict[str, Any]) -> Checked:
    check_resource(request["ResourceArn"])
    if not request["Tags"]:
        raise ValidationException("Atleast one Tag needs to be provided as Input.")
    schema.check_tags(request["Tags"])
    return Checked(request)


def tag_resource(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = _tagged_table(transaction, checked, "TagResource")
    record = copy.deepcopy(table.record)
    tags = {**record.get("Tags", {}), **{tag["Key"]: tag["Value"] for tag in checked.request["Tags"]}}
    check_tag_count(len(tags))
    record["Tags"] = tags
    transaction.save_table(table.id, record)
    return {}


def _tagged_table(snapshot: Snapshot, checked: Checked, operation: str) -> Table:
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


_UNTAG = ResourceOperation(
    "UntagResourceInput",
    "ResourceArn TagKeys",
    ResourceArn=fields.RESOURCE_ARN,
    TagKeys=List(String(shortest=1, longest=128)),
)


def _untag_rules(request: dict[str, Any]) -> Checked:
    check_resource(request["ResourceArn"])
    if not request["TagKeys"]:
        raise ValidationException("Atleast one Tag Key needs to be provided as Input.")
    return Checked(request)


def untag_resource(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = _tagged_table(transaction, checked, "UntagResource")
    record = copy.deepcopy(table.record)
    gone = set(checked.request["TagKeys"])
    record["Tags"] = {key: value for key, value in record.get("Tags", {}).items() if key not in gone}
    transaction.save_table(table.id, record)
    return {}


_LIST = ResourceOperation(
    "ListTagsOfResourceInput", "ResourceArn", ResourceArn=fields.RESOURCE_ARN, NextToken=fields.STRING
)


def _list_rules(request: dict[str, Any]) -> Checked:
    check_resource(request["ResourceArn"])
    return Checked(request)


def list_tags_of_resource(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = _tagged_table(snapshot, checked, "ListTagsOfResource")
    return {"Tags": [{"Key": key, "Value": value} for key, value in table.record.get("Tags", {}).items()]}


OPERATIONS = (
    Write("TagResource", _TAG, _tag_rules, tag_resource),
    Write("UntagResource", _UNTAG, _untag_rules, untag_resource),
    Read("ListTagsOfResource", _LIST, _list_rules, list_tags_of_resource),
)
