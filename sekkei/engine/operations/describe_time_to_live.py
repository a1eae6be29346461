"""DescribeTimeToLive."""

from __future__ import annotations

from typing import Any

from sekkei.engine.operation import Checked, Read, Render, Response
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation.fields import about_table, only_a_table
from sekkei.errors import ResourceNotFoundException

SHAPE = only_a_table("DescribeTimeToLiveInput")


def describe_time_to_live(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = snapshot.find_table(checked.table)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {checked.table} not found")
    return {"TimeToLiveDescription": describe(table)}


def describe(table: Table) -> dict[str, Any]:
    ttl = table.record.get("TimeToLive")
    if ttl is None:
        return {"TimeToLiveStatus": "DISABLED"}
    status = "ENABLING" if ttl.get("Backfilling") else "ENABLED"
    return {"TimeToLiveStatus": status, "AttributeName": ttl["AttributeName"]}


OPERATIONS = (Read("DescribeTimeToLive", SHAPE, about_table, describe_time_to_live),)
