"""Donations as files for analysis: one folder a day, as Athena and DuckDB read them.

exports/chiipochi/dt=2025-08-20/donations.ndjson
duckdb -c "SELECT prefecture, sum(amount) FROM read_json_auto('data/exports/chiipochi/*/*.ndjson',
           hive_partitioning=true) WHERE status='SUCCEEDED' GROUP BY 1 ORDER BY 2 DESC"
"""

from __future__ import annotations

import asyncio
import csv
import hashlib
import io
import os
from collections.abc import AsyncIterator, Iterable
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from sekkei.runtime.days import JST
from systems.chiipochi.models import Donation
from systems.chiipochi.prefectures import PREFECTURES
from systems.chiipochi.reports import Reports

COLUMNS = ("donor", "created_at", "dt", "amount", "prefecture", "prefecture_iso", "status", "tx_id")


def row(donation: Donation, key: bytes) -> dict[str, Any]:
    """A donation for analysis; the donor is a pseudonym, the same in every file."""
    return {
        "donor": hashlib.blake2b(donation.user_id.encode(), key=key, digest_size=8).hexdigest(),
        "created_at": donation.created_at.isoformat().replace("+00:00", "Z"),
        "dt": f"{donation.day}",
        "amount": donation.amount,
        "prefecture": donation.prefecture,
        "prefecture_iso": PREFECTURES[donation.prefecture].iso,
        "status": donation.status.value,
        "tx_id": donation.tx_id,
    }


class Exports:
    def __init__(self, folder: Path, reports: Reports, key: bytes) -> None:
        self._folder, self._reports, self._key = folder, reports, key

    async def lines(self, day: date) -> AsyncIterator[bytes]:
        """A day's donations as NDJSON."""
        async for donation in self._reports.donations_on(day):
            yield orjson.dumps(row(donation, self._key)) + b"\n"

    async def write(self, day: date) -> Path:
        """Write a day's file anew; a reader sees the old one or the new one, never half of it."""
        body = b"".join([line async for line in self.lines(day)])
        path = self._folder / f"dt={day}" / "donations.ndjson"
        await asyncio.to_thread(_replace, path, body)
        return path

    def written(self) -> list[tuple[str, int]]:
        """The days that have a file, newest first, with its size in bytes."""
        found = sorted(self._folder.glob("dt=*/donations.ndjson"), reverse=True)
        return [(path.parent.name.removeprefix("dt="), path.stat().st_size) for path in found[:31]]


def _replace(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_bytes(body)
    os.replace(draft, path)


def as_csv(donations: Iterable[Donation], language: str) -> str:
    """For people: a spreadsheet opens it, Japanese included. No cell can start a formula."""
    out = io.StringIO()
    out.write("\ufeff")  # so that Excel takes it for UTF-8
    writer = csv.writer(out)
    heads = {
        "ja": ("日時（日本時間）", "都道府県", "金額（円）", "状態", "取引ID"),
        "en": ("Time (Japan)", "Prefecture", "Yen", "Status", "Payment"),
    }
    writer.writerow(heads[language])
    for donation in donations:
        local = donation.created_at.astimezone(JST)
        writer.writerow(
            (
                f"{local:%Y-%m-%d %H:%M:%S}",
                PREFECTURES[donation.prefecture].name(language),
                donation.amount,
                donation.status.value,
                _cell(donation.tx_id or ""),
            )
        )
    return out.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
