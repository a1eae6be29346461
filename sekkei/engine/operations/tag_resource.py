"""TagResource."""

from __future__ import annotations

import copy

from sekkei.engine.catalogue import Table
from sekkei.engine.errors import AccessDeniedException, ResourceNotFoundException, ValidationException
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.transaction import Transaction

TAGS_MAX = 50


def tag_resource(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = tagged_table(transaction, checked)
    record = copy.deepcopy(table.record)
    tags = {**record.get("Tags", {}), **{tag["Key"]: tag["Value"] for tag in checked.request["Tags"]}}
    if len(tags) > TAGS_MAX:
        raise ValidationException(f"One or more parameter values were invalid: Too many tags: at most {TAGS_MAX}")
    record["Tags"] = tags
    transaction.save_table(table.id, record)
    return {}


def tagged_table(snapshot: Snapshot, checked: Checked) -> Table:
    """The table that ResourceArn names."""
    arn = checked.request["ResourceArn"]
    name = arn.rpartition("/")[2]
    table = snapshot.find_table(name)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: ResourcArn: {arn} not found")
    if table.arn != arn:
        raise AccessDeniedException(f"The table {name} belongs to another account or region than {arn} names.")
    return table
