"""GetResourcePolicy."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.resource_policies import resource_of
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import PolicyNotFoundException


def get_resource_policy(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    arn = checked.request["ResourceArn"]
    policy = resource_of(snapshot, arn).policy
    if policy is None:
        raise PolicyNotFoundException(f"Resource-based policy not found for the provided ResourceArn: {arn}")
    return dict(policy)
