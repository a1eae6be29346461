"""Our Parquet files, read by somebody else's reader."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from sekkei_systems.chiipochi.rules.parquet import Column, encode

COLUMNS = [
    Column("prefecture", "text"),
    Column("made_at", "milliseconds"),
    Column("amount", "integer"),
    Column("tx_id", "text", optional=True),
]


def test_the_same_rows_are_the_same_bytes() -> None:
    rows = [["CHIBA", 0, 1, None]]
    assert encode(COLUMNS, rows) == encode(COLUMNS, rows)
    assert encode(COLUMNS, rows)[:4] == encode(COLUMNS, [])[-4:] == b"PAR1"


@pytest.mark.parametrize("count", [0, 1, 1_000])
def test_another_reader_reads_what_was_written(count: int, tmp_path: Path) -> None:
    rows = [
        [("千葉🐾", "", "OKINAWA")[n % 3], 1_755_666_600_000 + n, n - 5, None if n % 7 < 3 else f"tx_{n}"]
        for n in range(count)
    ]
    folder = tmp_path / "dt=2025-08-20"
    folder.mkdir()
    (folder / "x.parquet").write_bytes(encode(COLUMNS, rows))
    source = f"read_parquet('{tmp_path}/*/*.parquet', hive_partitioning=true)"
    query = f"SELECT prefecture, epoch_ms(made_at), amount, tx_id, dt FROM {source} ORDER BY made_at"
    found = duckdb.sql(query).fetchall()
    assert [list(row[:4]) for row in found] == rows
    assert {str(row[4]) for row in found} <= {"2025-08-20"}
