"""DescribeContributorInsights."""

from __future__ import annotations

from sekkei.engine.contributor_insights import described, subject_of
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot


def describe_contributor_insights(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    return described(subject_of(snapshot, checked.table, checked.request.get("IndexName")))
