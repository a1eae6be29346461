"""The end of the old table: everything it holds goes into a file, and only when that is safe the table is deleted."""

from __future__ import annotations

import os
from pathlib import Path

import orjson

from sekkei.store.protocol import Store
from sekkei_lessons_migration.old_rows import OldRows, stored


class BadBackup(Exception):
    """What was written into the file does not come out of it again; the table stays."""


async def back_up(rows: OldRows, path: Path) -> int:
    """All rows, one per line in DynamoDB's JSON; unusable rows and those of long ago too. Returns how many."""
    part = path.with_name(f"{path.name}.part")
    written = 0
    with part.open("wb") as file:
        async for page, _ in rows.pages(0, 1, None):
            for row in page:
                file.write(orjson.dumps({"Item": stored(row)}) + b"\n")
            written += len(page)
        file.flush()
        os.fsync(file.fileno())
    with part.open("rb") as file:
        read = sum(1 for line in file if orjson.loads(line)["Item"])
    if read != written:
        raise BadBackup(f"{part} has {read:,} rows, {written:,} were written; {rows.table} stays.")
    part.rename(path)
    return written


async def retire(store: Store, rows: OldRows, path: Path) -> int:
    """Back up, then delete."""
    written = await back_up(rows, path)
    await store.call("DeleteTable", {"TableName": rows.table})
    return written
