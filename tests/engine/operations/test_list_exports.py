"""ListExports."""

from __future__ import annotations

from tests.engine.conftest import Tables
from tests.engine.operations.exporting import arn_of, export


async def test_they_are_listed_in_pages(kept: Tables) -> None:
    for _ in range(3):
        await export(kept)
        kept.clock.advance(1)
    page = await kept("ListExports", MaxResults=2)
    rest = await kept("ListExports", NextToken=page["NextToken"])
    found = [*page["ExportSummaries"], *rest["ExportSummaries"]]
    assert len({summary["ExportArn"] for summary in found}) == 3
    assert found[0]["ExportStatus"] == "COMPLETED"
    assert (await kept("ListExports", TableArn=(await arn_of(kept)) + "-other"))["ExportSummaries"] == []
