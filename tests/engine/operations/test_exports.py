"""ExportTableToPointInTime, DescribeExport, ListExports."""

from __future__ import annotations

import base64
import gzip
import hashlib
from pathlib import Path
from typing import Any

import orjson
import pytest

from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import (
    ExportConflictException,
    ExportNotFoundException,
    ImportNotFoundException,
    InvalidExportTimeException,
    PointInTimeRecoveryUnavailableException,
    TableNotFoundException,
    ValidationException,
)
from tests.engine.conftest import Tables, item
from tests.engine.operations.exporting import BUCKET, arn_of, bucket, export, folder_of, import_from


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
