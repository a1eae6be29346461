"""DescribeImport."""

from __future__ import annotations

import gzip

import pytest

from sekkei.engine.upkeep.verify import verify_file
from tests.engine.conftest import Tables
from tests.engine.operations.exporting import import_from, write


@pytest.mark.parametrize(
    ("content", "compression", "code"),
    [
        (None, "NONE", "S3NoSuchBucket"),
        (b"this is not gzip", "GZIP", "InvalidInput"),
        (gzip.compress(b'{"Item":{"pk":{"S":"a"}}}\n' * 100, mtime=0)[:-20], "GZIP", "InvalidInput"),
    ],
)
async def test_an_import_that_cannot_be_read_has_failed(
    tables: Tables, content: bytes | None, compression: str, code: str
) -> None:
    if content is not None:
        write(tables, "data.json.gz", content)
    imported = await import_from(tables, InputCompressionType=compression)
    assert (imported["ImportStatus"], imported["FailureCode"]) == ("FAILED", code)
    await tables("DeleteTable", TableName="imported")
    assert list(verify_file(tables.engine.path)) == []
