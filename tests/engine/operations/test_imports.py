"""ImportTable, DescribeImport, ListImports."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.history import exports, imports
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import (
    ImportConflictException,
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item, key
from tests.engine.operations.exporting import BUCKET, bucket, export, folder_of, import_from, parameters, write
from tests.engine.operations.test_backups import everything, fill
from tests.engine.operations.waiting import HeldJobs, jobs_done
from tests.engine.refusals import INVALID, refusal


async def test_what_was_exported_can_be_imported(kept: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "ITEMS_PER_FILE", 60)
    monkeypatch.setattr(imports, "LINES_PER_COMMIT", 25)
    await fill(kept, 200)
    exported = await export(kept)
    files = list((folder_of(kept, exported) / "data").iterdir())
    assert len(files) == 4
    data = (folder_of(kept, exported) / "data").relative_to(bucket(kept)).as_posix()
    imported = await import_from(kept, data + "/", InputCompressionType="GZIP")
    assert imported["ImportStatus"] == "COMPLETED"
    assert (imported["ImportedItemCount"], imported["ErrorCount"]) == (200, 0)
    assert await everything(kept, "imported") == await everything(kept, "plain")
    assert list(verify_file(kept.engine.path)) == []


async def test_lines_that_make_no_item_are_counted_and_skipped(tables: Tables) -> None:
    lines = [
        b'{"Item":{"pk":{"S":"good"},"n":{"N":"1.0"}}}',
        b"not json",
        b"[]",
        b'{"Item":[]}',
        b'{"Item":{"other":{"S":"no key"}}}',
        b'{"Item":{"pk":{"N":"1"}}}',
        b'{"Item":{"pk":{"S":"bad"},"n":{"N":"one"}}}',
        b'{"Item":{"pk":{"S":"big"},"t":{"S":"' + b"x" * 410_000 + b'"}}}',
        b"",
        b'{"Item":{"pk":{"S":"good"},"n":{"N":"2"}}}',
    ]
    write(tables, "data/one.json", b"\n".join(lines))
    imported = await import_from(tables, "data/")
    assert imported["ImportStatus"] == "COMPLETED"
    counts = ("ProcessedItemCount", "ImportedItemCount", "ErrorCount")
    assert tuple(imported[name] for name in counts) == (9, 2, 7)
    assert await tables.all("imported") == [item(pk="good", n=2)]


async def test_csv(tables: Tables) -> None:
    text = (
        'pk,number,note\r\na,1,"two\nlines, and a comma"\r\nb,2,\r\n,3,no key\r\nc,x,number is a key of the index\r\n'
    )
    write(tables, "people.csv", text.encode())
    creation = {
        **parameters("imported"),
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "number", "AttributeType": "N"},
        ],
        "GlobalSecondaryIndexes": [
            {"IndexName": "by_number", "KeySchema": key("number"), "Projection": {"ProjectionType": "ALL"}}
        ],
    }
    imported = await import_from(tables, InputFormat="CSV", TableCreationParameters=creation)
    assert (imported["ImportedItemCount"], imported["ErrorCount"]) == (2, 2)
    found = sorted(await tables.all("imported", "by_number"), key=lambda found: found["pk"]["S"])
    assert found == [item(pk="a", number=1, note="two\nlines, and a comma"), item(pk="b", number=2)]


async def test_csv_with_other_delimiters_and_headers(tables: Tables) -> None:
    write(tables, "people.csv.gz", gzip.compress(b"a;1\nb;2\n"))
    options = {"Csv": {"Delimiter": ";", "HeaderList": ["pk", "text"]}}
    imported = await import_from(tables, InputFormat="CSV", InputFormatOptions=options, InputCompressionType="GZIP")
    assert imported["ImportedItemCount"] == 2
    assert sorted(found["text"]["S"] for found in await tables.all("imported")) == ["1", "2"]


async def test_too_many_errors_end_an_import(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "ERRORS_MAX", 5)
    write(tables, "data.json", b'{"Item":{"pk":{"S":"a"}}}\n' + b"x\n" * 10)
    imported = await import_from(tables)
    assert (imported["ImportStatus"], imported["FailureCode"]) == ("FAILED", "TooManyErrors")
    assert (imported["ImportedItemCount"], imported["ErrorCount"]) == (1, 6)


async def test_an_import_never_overwrites_a_table(tables: Tables) -> None:
    write(tables, "data.json", b"")
    await tables.create_plain()
    with pytest.raises(ResourceInUseException, match="Table already exists: plain"):
        await import_from(tables, TableCreationParameters=parameters("plain"))
    for member, value in (("InputFormat", "ION"), ("InputCompressionType", "ZSTD")):
        with pytest.raises(ValidationException, match=value):
            await import_from(tables, **{member: value})
    first = await import_from(tables, ClientToken="token")
    assert (await import_from(tables, ClientToken="token"))["ImportArn"] == first["ImportArn"]
    with pytest.raises(ImportConflictException):
        await import_from(tables, "other", ClientToken="token")


async def test_an_import_cut_short_goes_on_where_it_was(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "LINES_PER_COMMIT", 10)
    held = HeldJobs(monkeypatch, "import")
    lines = [orjson.dumps({"Item": item(pk=str(number))}) for number in range(100)]
    (tmp_path / "s3" / BUCKET).mkdir(parents=True)
    (tmp_path / "s3" / BUCKET / "data.json.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    path = tmp_path / "store.db"
    with Engine(path, clock=clock, housekeeping_seconds=None) as engine:
        request = {
            "S3BucketSource": {"S3Bucket": BUCKET},
            "InputFormat": "DYNAMODB_JSON",
            "InputCompressionType": "GZIP",
            "TableCreationParameters": parameters("imported"),
        }
        begun = (await engine.call("ImportTable", request))["ImportTableDescription"]
        await held.do_parts(engine, 4)
        with pytest.raises(ResourceNotFoundException):
            await engine.call("Scan", {"TableName": "imported"})
    held.let_go()
    with Engine(path, clock=clock, housekeeping_seconds=None) as engine:
        await jobs_done(engine)
        described = await engine.call("DescribeImport", {"ImportArn": begun["ImportArn"]})
        assert described["ImportTableDescription"]["ImportedItemCount"] == 100
        assert described["ImportTableDescription"]["ErrorCount"] == 0
        assert len((await engine.call("Scan", {"TableName": "imported"}))["Items"]) == 100
    assert list(verify_file(str(path))) == []


async def test_a_part_that_is_rolled_back_is_read_again(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """An open file may be ahead of what has been committed."""
    monkeypatch.setattr(imports, "LINES_PER_COMMIT", 10)
    write(tables, "data.json", b"\n".join(orjson.dumps({"Item": item(pk=str(n))}) for n in range(50)))
    kind = imports.jobs.KINDS["import"]
    failures = [3]

    def failing(*arguments: Any) -> bool:
        done = kind.part(*arguments)
        failures[0] -= 1
        if failures[0] == 0:
            raise OSError("the disk went away for a moment")
        return done

    monkeypatch.setitem(imports.jobs.KINDS, "import", imports.jobs.JobKind(failing, kind.finish))
    await tables(
        "ImportTable",
        S3BucketSource={"S3Bucket": BUCKET},
        InputFormat="DYNAMODB_JSON",
        TableCreationParameters=parameters("imported"),
    )
    while failures[0] > 0:
        await tables.engine.sweep()
    tables.clock.advance(61)
    await jobs_done(tables.engine)
    assert len(await tables.all("imported")) == 50
    assert list(verify_file(tables.engine.path)) == []


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            {
                "S3BucketSource": {"S3Bucket": "bucket"},
                "InputFormat": "CSV",
                "TableCreationParameters": {
                    "TableName": "abc",
                    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "b", "KeyType": "HASH"}],
                    "BillingMode": "PAY_PER_REQUEST",
                },
            },
            INVALID + "Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [b], AttributeDefinitions: [a]",
        ),
    ],
)
def test_requests_that_are_refused(request_: dict[str, Any], text: str) -> None:
    assert refusal("ImportTable", request_) == text


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


async def test_they_are_listed_in_pages(kept: Tables) -> None:
    write(kept, "a.json", b"")
    for name in ("one", "two", "three"):
        await import_from(kept, TableCreationParameters=parameters(name))
    page = await kept("ListImports", PageSize=2)
    assert len(page["NextToken"]) >= 112
    rest = await kept("ListImports", NextToken=page["NextToken"])
    summaries = [*page["ImportSummaryList"], *rest["ImportSummaryList"]]
    assert len({summary["ImportArn"] for summary in summaries}) == 3
