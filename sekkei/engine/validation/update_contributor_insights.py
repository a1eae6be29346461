"""UpdateContributorInsights."""

from __future__ import annotations

from sekkei.engine.validation import fields
from sekkei.engine.validation.plain import about_table as rules
from sekkei.engine.validation.shapes import String
from sekkei.engine.validation.table_name import CONTROL_TABLE_NAME, TableOperation

__all__ = ["SHAPE", "rules"]

SHAPE = TableOperation(
    "UpdateContributorInsightsInput",
    "ContributorInsightsAction",
    TableName=CONTROL_TABLE_NAME,
    IndexName=fields.INDEX_NAME,
    ContributorInsightsAction=String(one_of="ENABLE DISABLE"),
    ContributorInsightsMode=String(one_of="ACCESSED_AND_THROTTLED_KEYS THROTTLED_KEYS"),
)
