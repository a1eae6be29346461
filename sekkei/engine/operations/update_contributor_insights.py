"""UpdateContributorInsights."""

from __future__ import annotations

from sekkei.engine.contributor_insights import subject_of, update
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.transaction import Transaction


def update_contributor_insights(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    subject = subject_of(transaction, checked.table, request.get("IndexName"))
    enable = request["ContributorInsightsAction"] == "ENABLE"
    return update(transaction, subject, enable, request.get("ContributorInsightsMode"))
