"""ListImports."""

from __future__ import annotations

from tests.engine.conftest import Tables
from tests.engine.operations.exporting import import_from, parameters, write


async def test_they_are_listed_in_pages(kept: Tables) -> None:
    write(kept, "a.json", b"")
    for name in ("one", "two", "three"):
        await import_from(kept, TableCreationParameters=parameters(name))
    page = await kept("ListImports", PageSize=2)
    assert len(page["NextToken"]) >= 112
    rest = await kept("ListImports", NextToken=page["NextToken"])
    summaries = [*page["ImportSummaryList"], *rest["ImportSummaryList"]]
    assert len({summary["ImportArn"] for summary in summaries}) == 3
