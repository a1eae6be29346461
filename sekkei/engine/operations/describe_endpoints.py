"""DescribeEndpoints: the one endpoint that a region has."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot

CACHE_MINUTES = 1440


def describe_endpoints(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    address = f"dynamodb.{snapshot.region}.amazonaws.com"
    return {"Endpoints": [{"Address": address, "CachePeriodInMinutes": CACHE_MINUTES}]}
