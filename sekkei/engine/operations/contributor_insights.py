"""Contributor insights: whether they are on, for a table or an index, and what their rules would be called."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from sekkei.engine.operation import Checked, Read, Render, Response, Write
from sekkei.engine.storage.catalogue import KeySchema, Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.table_record import described_table
from sekkei.engine.storage.transaction import Transaction
from sekkei.engine.validation import fields
from sekkei.engine.validation.fields import CONTROL_TABLE_NAME, TABLE_NAME, TableOperation, about_table, plain
from sekkei.engine.validation.shapes import Number, String, Structure
from sekkei.errors import ResourceNotFoundException, ValidationException

_ALL_KEYS = "ACCESSED_AND_THROTTLED_KEYS"

_MEMBER = "ContributorInsights"

_PAGE_MAX = 100

_DESCRIBE = TableOperation(
    "DescribeContributorInsightsInput", TableName=CONTROL_TABLE_NAME, IndexName=fields.INDEX_NAME
)
_LIST = Structure(
    "ListContributorInsightsInput",
    TableName=TABLE_NAME,
    NextToken=fields.STRING,
    MaxResults=Number(most=100),
)
_UPDATE = TableOperation(
    "UpdateContributorInsightsInput",
    "ContributorInsightsAction",
    TableName=CONTROL_TABLE_NAME,
    IndexName=fields.INDEX_NAME,
    ContributorInsightsAction=String(one_of="ENABLE DISABLE"),
    ContributorInsightsMode=String(one_of="ACCESSED_AND_THROTTLED_KEYS THROTTLED_KEYS"),
)


def describe_contributor_insights(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    return _described(_subject_of(snapshot, checked.table, checked.request.get("IndexName")))


def list_contributor_insights(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    subjects = _enabled(snapshot, checked.table or None)
    begin = _position(request["NextToken"]) if "NextToken" in request else 0
    end = begin + (request.get("MaxResults") or _PAGE_MAX)
    response: Response = {"ContributorInsightsSummaries": [_summary(subject) for subject in subjects[begin:end]]}
    if end < len(subjects):
        response["NextToken"] = str(end)
    return response


def _summary(subject: _Subject) -> dict[str, str]:
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


def update_contributor_insights(transaction: Transaction, checked: Checked, render: Render) -> Response:
    request = checked.request
    subject = _subject_of(transaction, checked.table, request.get("IndexName"))
    enable = request["ContributorInsightsAction"] == "ENABLE"
    return _update(transaction, subject, enable, request.get("ContributorInsightsMode"))


class _Subject(NamedTuple):
    """A table, or one of its indexes."""

    table: Table
    index_name: str | None

    @property
    def settings(self) -> dict[str, Any]:
        found: dict[str, Any] = self.table.record.get(_MEMBER, {}).get(self.index_name or "", {})
        return found

    @property
    def named(self) -> dict[str, str]:
        return {"TableName": self.table.name, **({"IndexName": self.index_name} if self.index_name else {})}

    @property
    def key(self) -> KeySchema:
        return self.table.indexes[self.index_name].key if self.index_name else self.table.key


def _subject_of(snapshot: Snapshot, table_name: str, index_name: str | None) -> _Subject:
    table = described_table(snapshot, table_name)
    if index_name is not None and index_name not in table.indexes:
        raise ResourceNotFoundException(
            f"Requested resource not found: Index: {index_name} not found for table: {table.name}"
        )
    return _Subject(table, index_name)


def _described(subject: _Subject) -> dict[str, Any]:
    settings = subject.settings
    answer: dict[str, Any] = {**subject.named, "ContributorInsightsStatus": settings.get("Status", "DISABLED")}
    if settings:
        answer["LastUpdateDateTime"] = settings["LastUpdateDateTime"]
        answer["ContributorInsightsMode"] = settings["Mode"]
    if settings.get("Status") == "ENABLED":
        answer["ContributorInsightsRuleList"] = _rules(subject)
    return answer


def _rules(subject: _Subject) -> list[str]:
    settings = subject.settings
    parts = ["PK", "SK"] if subject.key.range else ["PK"]
    events = ["C", "T"] if settings["Mode"] == _ALL_KEYS else ["T"]
    name = "-".join(subject.named.values())
    moment = int(settings["LastUpdateDateTime"] * 1000)
    return [f"DynamoDBContributorInsights-{part}{event}-{name}-{moment}" for event in events for part in parts]


def _update(transaction: Transaction, subject: _Subject, enable: bool, mode: str | None) -> dict[str, Any]:
    record = copy.deepcopy(subject.table.record)
    chosen = mode or (_ALL_KEYS if enable else subject.settings.get("Mode", _ALL_KEYS))
    record.setdefault(_MEMBER, {})[subject.index_name or ""] = {
        "Status": "ENABLED" if enable else "DISABLED",
        "Mode": chosen,
        "LastUpdateDateTime": round(transaction.now, 3),
    }
    transaction.save_table(subject.table.id, record)
    return {
        **subject.named,
        "ContributorInsightsStatus": "ENABLING" if enable else "DISABLING",
        "ContributorInsightsMode": chosen,
    }


def _enabled(snapshot: Snapshot, table_name: str | None) -> list[_Subject]:
    """What has insights, by name; of one table, or of all."""
    if table_name is not None:
        tables = [described_table(snapshot, table_name)]
    else:
        snapshot.catalogue.refresh(snapshot.connection)
        tables = [snapshot.catalogue.tables[name] for name in sorted(snapshot.catalogue.tables)]
    subjects = [_Subject(table, name or None) for table in tables for name in sorted(table.record.get(_MEMBER, {}))]
    return [
        subject
        for subject in subjects
        if subject.settings["Status"] == "ENABLED"
        and (subject.index_name is None or subject.index_name in subject.table.indexes)
    ]


OPERATIONS = (
    Read("DescribeContributorInsights", _DESCRIBE, about_table, describe_contributor_insights),
    Read("ListContributorInsights", _LIST, plain, list_contributor_insights),
    Write("UpdateContributorInsights", _UPDATE, about_table, update_contributor_insights),
)
