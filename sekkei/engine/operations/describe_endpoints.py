"""DescribeEndpoints: the one endpoint that a region has."""

from __future__ import annotations

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation.fields import plain
from sekkei.engine.validation.shapes import Structure

CACHE_MINUTES = 1440

SHAPE = Structure("DescribeEndpointsInput")


def describe_endpoints(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    address = f"dynamodb.{snapshot.region}.amazonaws.com"
    return {"Endpoints": [{"Address": address, "CachePeriodInMinutes": CACHE_MINUTES}]}


OPERATIONS = (Read("DescribeEndpoints", SHAPE, plain, describe_endpoints),)
