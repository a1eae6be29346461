"""ListTagsOfResource."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.operations.tag_resource import tagged_table
from sekkei.engine.snapshot import Snapshot


def list_tags_of_resource(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    snapshot.catalogue.refresh(snapshot.connection)
    table = tagged_table(snapshot, checked, "ListTagsOfResource")
    return {"Tags": [{"Key": key, "Value": value} for key, value in table.record.get("Tags", {}).items()]}
