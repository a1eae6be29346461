"""ListContributorInsights: a page of what has insights, in the order of names."""

from __future__ import annotations

from sekkei.engine.contributor_insights import Subject, enabled
from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.snapshot import Snapshot
from sekkei.errors import ValidationException

PAGE_MAX = 100


def list_contributor_insights(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    subjects = enabled(snapshot, checked.table or None)
    begin = _position(request["NextToken"]) if "NextToken" in request else 0
    end = begin + (request.get("MaxResults") or PAGE_MAX)
    response: Response = {"ContributorInsightsSummaries": [_summary(subject) for subject in subjects[begin:end]]}
    if end < len(subjects):
        response["NextToken"] = str(end)
    return response


def _summary(subject: Subject) -> dict[str, str]:
    settings = subject.settings
    return {
        **subject.named,
        "ContributorInsightsStatus": settings["Status"],
        "ContributorInsightsMode": settings["Mode"],
    }


def _position(token: str) -> int:
    if not (token.isascii() and token.isdigit()) or len(token) > 9:
        raise ValidationException("Invalid NextToken")
    return int(token)
