"""Donations as files for analysis: one folder a day, as Athena and DuckDB read them.

exports/chiipochi/ndjson/dt=2025-08-20/donations.ndjson

duckdb -c "SELECT dt, prefecture, sum(amount) FROM read_json_auto('data/exports/chiipochi/ndjson/*/*.ndjson',
           hive_partitioning=true) WHERE status = 'SUCCEEDED' AND refunded_at IS NULL GROUP BY ALL ORDER BY 3 DESC"
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from sekkei import private
from sekkei.kit.sheets import write
from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design.models import Donation
from sekkei_systems.chiipochi.rules.recipients import recipient_of
from sekkei_systems.chiipochi.service.reports import Reports
from sekkei_systems.chiipochi.texts import say
from sekkei_systems.days import JST

SPREADSHEET = ("when", "prefecture", "yen", "status", "payment", "refunded")
"""What people get; the heads stand in the texts' [csv]."""


def row(donation: Donation, key: bytes) -> dict[str, Any]:
    """A donation for analysis; the donor is a pseudonym, the same in every file."""
    return {
        "donor": hashlib.blake2b(donation.user_id.encode(), key=key, digest_size=8).hexdigest(),
        "created_at": _iso(donation.created_at),
        "dt": f"{donation.day}",
        "amount": donation.amount,
        "prefecture": donation.prefecture,
        "prefecture_iso": recipient_of(donation).iso,
        "status": donation.status.value,
        "tx_id": donation.tx_id,
        "refunded_at": _iso(donation.refunded_at) if donation.refunded_at is not None else None,
        "paid_at": _iso(donation.paid_at) if donation.paid_at is not None else None,
        "kept": donation.kept,
    }


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


@dataclass
class Exports:
    settings: Settings
    reports: Reports

    @cached_property
    def folder(self) -> Path:
        return self.settings.data / "exports" / "chiipochi"

    @cached_property
    def key(self) -> bytes:
        return self.settings.secrets.key("chiipochi/exports")

    async def lines(self, day: date) -> AsyncIterator[bytes]:
        """A day's donations as NDJSON."""
        async for donation in self.reports.donations_on(day):
            yield orjson.dumps(row(donation, self.key)) + b"\n"

    async def write(self, day: date) -> Path:
        """Write a day's file anew; a reader sees the old one or the new one, never half of it."""
        path = self.folder / "ndjson" / f"dt={day}" / "donations.ndjson"
        await asyncio.to_thread(_replace, path, b"".join([line async for line in self.lines(day)]))
        return path

    def written(self) -> list[tuple[str, int]]:
        """Return the last 31 days that have files, newest first, with their sizes in bytes."""
        paths = sorted(self.folder.glob("ndjson/dt=*/donations.ndjson"), reverse=True)[:31]
        return [(path.parent.name.removeprefix("dt="), path.stat().st_size) for path in paths]


def _replace(path: Path, body: bytes) -> None:
    private.make_folder(path.parent)
    draft = path.with_suffix(".draft")
    draft.write_bytes(body)
    os.replace(draft, path)


def as_csv(donations: Iterable[Donation], language: str) -> bytes:
    """For people: a spreadsheet opens it, Japanese included."""
    heads = [say(language, f"csv.{column}") for column in SPREADSHEET]
    return write([heads, *(_cells(donation, language) for donation in donations)])


def _cells(donation: Donation, language: str) -> list[object]:
    return [
        _local(donation.created_at),
        recipient_of(donation).name(language),
        donation.amount,
        donation.status.value,
        donation.tx_id,
        _local(donation.refunded_at) if donation.refunded_at is not None else None,
    ]


def _local(moment: datetime) -> str:
    return f"{moment.astimezone(JST):%Y-%m-%d %H:%M:%S}"
