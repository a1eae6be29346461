"""UntagResource."""

from __future__ import annotations

import copy

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.tag_resource import tagged_table
from sekkei.engine.transaction import Transaction


def untag_resource(transaction: Transaction, checked: Checked, render: Render) -> Response:
    table = tagged_table(transaction, checked, "UntagResource")
    record = copy.deepcopy(table.record)
    gone = set(checked.request["TagKeys"])
    record["Tags"] = {key: value for key, value in record.get("Tags", {}).items() if key not in gone}
    transaction.save_table(table.id, record)
    return {}
