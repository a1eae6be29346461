"""PutResourcePolicy."""

from __future__ import annotations

from sekkei.engine import resource_policies
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction


def put_resource_policy(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    resource = resource_policies.resource_of(transaction, request["ResourceArn"])
    resource_policies.check_revision(resource, request.get("ExpectedRevisionId"))
    return {"RevisionId": resource_policies.put(transaction, resource, request["Policy"])}
