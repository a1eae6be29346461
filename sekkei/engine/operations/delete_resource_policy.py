"""DeleteResourcePolicy."""

from __future__ import annotations

from sekkei.engine import resource_policies
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction


def delete_resource_policy(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    resource = resource_policies.resource_of(transaction, request["ResourceArn"])
    resource_policies.check_revision(resource, request.get("ExpectedRevisionId"))
    revision = resource_policies.delete(transaction, resource)
    return {} if revision is None else {"RevisionId": revision}
