"""DescribeExport."""

from __future__ import annotations

from sekkei.engine.upkeep.verify import verify_file
from tests.engine.conftest import Tables
from tests.engine.operations.exporting import bucket, export


async def test_an_export_that_cannot_be_written_has_failed(kept: Tables) -> None:
    bucket(kept).mkdir(parents=True)
    (bucket(kept) / "AWSDynamoDB").write_text("a file where a folder must be")
    exported = await export(kept)
    assert exported["ExportStatus"] == "FAILED"
    assert exported["FailureCode"] == "S3AccessDenied"
    assert list(verify_file(kept.engine.path)) == []
