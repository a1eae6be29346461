"""ExportTableToPointInTime, ImportTable, and what they write and read."""

from __future__ import annotations

import base64
import gzip
import hashlib
from pathlib import Path
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.engine import Engine
from sekkei.engine.history import exports, imports
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import (
    ExportConflictException,
    ExportNotFoundException,
    ImportConflictException,
    ImportNotFoundException,
    InvalidExportTimeException,
    PointInTimeRecoveryUnavailableException,
    ResourceInUseException,
    ResourceNotFoundException,
    TableNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item, key
from tests.engine.operations.test_backups import everything, fill
from tests.engine.operations.test_point_in_time import set_recovery
from tests.engine.operations.waiting import HeldJobs, jobs_done

BUCKET = "bucket"


def bucket(tables: Tables) -> Path:
    return Path(tables.engine.path).parent / "s3" / BUCKET


async def arn_of(tables: Tables, table: str = "plain") -> str:
    return str((await tables("DescribeTable", TableName=table))["Table"]["TableArn"])


async def export(tables: Tables, **more: Any) -> dict[str, Any]:
    request = {"TableArn": await arn_of(tables), "S3Bucket": BUCKET, **more}
    begun = (await tables("ExportTableToPointInTime", **request))["ExportDescription"]
    await jobs_done(tables.engine)
    return dict((await tables("DescribeExport", ExportArn=begun["ExportArn"]))["ExportDescription"])


def folder_of(tables: Tables, exported: dict[str, Any]) -> Path:
    return bucket(tables) / Path(exported["ExportManifest"]).parent


def lines_of(tables: Tables, exported: dict[str, Any]) -> list[dict[str, Any]]:
    """What the manifests lead to, with every checksum on the way compared."""
    summary_file = bucket(tables) / exported["ExportManifest"]
    summary = orjson.loads(summary_file.read_bytes())
    files_file = bucket(tables) / summary["manifestFilesS3Key"]
    for manifest in (summary_file, files_file):
        assert manifest.with_suffix(".md5").read_bytes() == md5(manifest.read_bytes())
    lines = []
    count = 0
    for line in files_file.read_bytes().splitlines():
        entry = orjson.loads(line)
        content = (bucket(tables) / entry["dataFileS3Key"]).read_bytes()
        assert entry["md5Checksum"].encode() == md5(content)
        found = gzip.decompress(content).splitlines()
        assert entry["itemCount"] == len(found)
        count += len(found)
        lines += [orjson.loads(text) for text in found]
    assert summary["itemCount"] == exported["ItemCount"] == count
    return lines


def md5(content: bytes) -> bytes:
    return base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest())


async def import_from(tables: Tables, prefix: str = "", **more: Any) -> dict[str, Any]:
    parameters = {
        "TableName": "imported",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": key("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    request = {
        "S3BucketSource": {"S3Bucket": BUCKET, "S3KeyPrefix": prefix},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": parameters,
        **more,
    }
    begun = (await tables("ImportTable", **request))["ImportTableDescription"]
    await jobs_done(tables.engine)
    return dict((await tables("DescribeImport", ImportArn=begun["ImportArn"]))["ImportTableDescription"])


@pytest.fixture
async def kept(tables: Tables) -> Tables:
    await tables.create_plain()
    await set_recovery(tables)
    return tables


async def test_an_export_has_dynamodb_s_form(kept: Tables) -> None:
    await kept.put("plain", pk="a", text="ことば", n={"N": "1.5"}, b={"B": "aGk="})
    exported = await export(kept, S3Prefix="some/where")
    assert exported["ExportStatus"] == "COMPLETED"
    assert exported["ExportFormat"] == "DYNAMODB_JSON"
    folder = folder_of(kept, exported)
    assert folder == bucket(kept) / "some/where/AWSDynamoDB" / exported["ExportArn"].rpartition("/")[2]
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    data = {name for name in names if name.startswith("data/") and name.endswith(".json.gz")}
    assert len(data) == 1
    assert names - data == {
        "_started",
        "manifest-files.json",
        "manifest-files.md5",
        "manifest-summary.json",
        "manifest-summary.md5",
    }
    assert lines_of(kept, exported) == [{"Item": item(pk="a", text="ことば", n={"N": "1.5"}, b={"B": "aGk="})}]
    summary = orjson.loads((folder / "manifest-summary.json").read_bytes())
    assert summary["exportArn"] == exported["ExportArn"]
    assert summary["outputFormat"] == "DYNAMODB_JSON"
    assert summary["s3Bucket"] == BUCKET


async def test_an_export_of_the_past(kept: Tables) -> None:
    await kept.put("plain", pk="a", n=1)
    moment = kept.clock.now()
    kept.clock.advance(60)
    await kept.put("plain", pk="a", n=2)
    await kept.put("plain", pk="b")
    assert lines_of(kept, await export(kept, ExportTime=moment)) == [{"Item": item(pk="a", n=1)}]
    assert len(lines_of(kept, await export(kept))) == 2


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


async def test_an_incremental_export_tells_what_changed(kept: Tables) -> None:
    clock = kept.clock
    for name in ("same", "changed", "deleted", "later"):
        await kept.put("plain", pk=name, n=0)
    clock.advance(100)
    since = clock.now()
    clock.advance(10)
    await kept.put("plain", pk="changed", n=1)
    clock.advance(10)
    await kept.put("plain", pk="changed", n=2)
    changed_at = clock.now()
    await kept.put("plain", pk="new", n=1)
    await kept("DeleteItem", TableName="plain", Key=item(pk="deleted"))
    await kept.put("plain", pk="fleeting", n=1)
    await kept("DeleteItem", TableName="plain", Key=item(pk="fleeting"))
    clock.advance(2_000)
    until = clock.now()
    clock.advance(10)
    await kept.put("plain", pk="later", n=1)
    await kept.put("plain", pk="changed", n=3)
    await kept("DeleteItem", TableName="plain", Key=item(pk="new"))

    async def lines(view: str) -> dict[str, Any]:
        period = {"ExportFromTime": since, "ExportToTime": until, "ExportViewType": view}
        exported = await export(kept, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
        return {line["Keys"]["pk"]["S"]: line for line in lines_of(kept, exported)}

    both = await lines("NEW_AND_OLD_IMAGES")
    assert both.keys() == {"changed", "new", "deleted", "fleeting"}
    assert both["changed"] == {
        "Metadata": {"WriteTimestampMicros": {"N": str(int(changed_at * 1_000_000))}},
        "Keys": item(pk="changed"),
        "OldImage": item(pk="changed", n=0),
        "NewImage": item(pk="changed", n=2),
    }
    assert {"OldImage", "NewImage"} & both["new"].keys() == {"NewImage"}
    assert {"OldImage", "NewImage"} & both["deleted"].keys() == {"OldImage"}
    assert {"OldImage", "NewImage"} & both["fleeting"].keys() == set()
    new = await lines("NEW_IMAGE")
    assert all("OldImage" not in line for line in new.values())
    assert new["changed"]["NewImage"] == item(pk="changed", n=2)


async def test_exports_and_imports_are_listed_in_pages(kept: Tables) -> None:
    for _ in range(3):
        await export(kept)
        kept.clock.advance(1)
    page = await kept("ListExports", MaxResults=2)
    rest = await kept("ListExports", NextToken=page["NextToken"])
    found = [*page["ExportSummaries"], *rest["ExportSummaries"]]
    assert len({summary["ExportArn"] for summary in found}) == 3
    assert found[0]["ExportStatus"] == "COMPLETED"
    assert (await kept("ListExports", TableArn=(await arn_of(kept)) + "-other"))["ExportSummaries"] == []
    write(kept, "a.json", b"")
    for name in ("one", "two", "three"):
        await import_from(kept, TableCreationParameters=parameters(name))
    page = await kept("ListImports", PageSize=2)
    assert len(page["NextToken"]) >= 112
    rest = await kept("ListImports", NextToken=page["NextToken"])
    found = [*page["ImportSummaryList"], *rest["ImportSummaryList"]]
    assert len({summary["ImportArn"] for summary in found}) == 3


async def test_the_same_token_is_the_same_export(kept: Tables) -> None:
    first = await export(kept, ClientToken="token")
    again = await export(kept, ClientToken="token")
    assert first["ExportArn"] == again["ExportArn"]
    with pytest.raises(ExportConflictException):
        await export(kept, ClientToken="token", S3Prefix="elsewhere")


async def test_exports_are_refused(kept: Tables) -> None:
    await kept.create_plain("other")
    now = kept.clock.now()
    with pytest.raises(PointInTimeRecoveryUnavailableException):
        await export(kept, TableArn=await arn_of(kept, "other"))
    with pytest.raises(TableNotFoundException):
        await export(kept, TableArn=(await arn_of(kept)).replace("plain", "none"))
    for moment in (now - 10, now + 10):
        with pytest.raises(InvalidExportTimeException):
            await export(kept, ExportTime=moment)
    with pytest.raises(ValidationException, match="ION"):
        await export(kept, ExportFormat="ION")
    kept.clock.advance(10_000)
    for since, until in ((now, now + 60), (now + 5_000, now), (now - 1, now + 5_000), (now, now + 20_000)):
        period = {"ExportFromTime": since, "ExportToTime": until}
        with pytest.raises(InvalidExportTimeException):
            await export(kept, ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=period)
    arn = (await arn_of(kept)) + "/export/01700000000000-00000000"
    with pytest.raises(ExportNotFoundException):
        await kept("DescribeExport", ExportArn=arn)
    with pytest.raises(ImportNotFoundException):
        await kept("DescribeImport", ImportArn=arn)


@pytest.mark.parametrize("prefix", ["../other", "a/../../other", "a/../..", "..", "/..", "x\0y"])
async def test_no_prefix_leads_out_of_the_bucket(kept: Tables, prefix: str) -> None:
    with pytest.raises(ValidationException):
        await export(kept, S3Prefix=prefix)
    assert not bucket(kept).exists()


@pytest.mark.parametrize("name", ["..", ".", "a/b", "a\\b", "", "../a"])
async def test_no_bucket_is_anything_but_a_folder(kept: Tables, name: str) -> None:
    with pytest.raises(ValidationException):
        await export(kept, S3Bucket=name)


async def test_a_root_in_the_prefix_is_the_bucket_s(kept: Tables) -> None:
    exported = await export(kept, S3Prefix="/etc/")
    assert folder_of(kept, exported).is_relative_to(bucket(kept) / "etc")


async def test_no_link_leads_out_of_the_bucket(kept: Tables, tmp_path: Path) -> None:
    bucket(kept).mkdir(parents=True)
    (tmp_path / "secret.json").write_bytes(b'{"Item":{"pk":{"S":"secret"}}}\n')
    (bucket(kept) / "link").symlink_to(tmp_path)
    (bucket(kept) / "secret.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(ValidationException):
        await export(kept, S3Prefix="link")
    imported = await import_from(kept)
    assert imported["FailureCode"] == "S3NoSuchKey"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.json"]


async def test_an_export_that_cannot_be_written_has_failed(kept: Tables) -> None:
    bucket(kept).mkdir(parents=True)
    (bucket(kept) / "AWSDynamoDB").write_text("a file where a folder must be")
    exported = await export(kept)
    assert exported["ExportStatus"] == "FAILED"
    assert exported["FailureCode"] == "S3AccessDenied"
    assert list(verify_file(kept.engine.path)) == []


# Imports.


def write(tables: Tables, name: str, content: bytes) -> None:
    path = bucket(tables) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def parameters(name: str) -> dict[str, Any]:
    return {
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": key("pk"),
        "BillingMode": "PAY_PER_REQUEST",
    }


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
