"""Ids that no index leads to are found in whole tables, a page at a time, and nothing else is touched."""

from __future__ import annotations

import pytest

import sekkei.testing
from sekkei.clock import ManualClock
from sekkei.design import Attr, Database, Design, Key, attr, model, part
from sekkei.runtime import sweeping
from sekkei.runtime.sweeping import Sweep

design = Design("books")
first, second = design.table("first", "PK", "SK"), design.table("second", "id")


@model
class Line:
    book: Attr[str] = part()
    number: Attr[int] = part()
    by: Attr[str] = attr("signedBy")
    name: Attr[str | None] = attr(default=None)


@first.entity(Line)
def lines(book: str, number: int) -> Key:
    return Key(f"BOOK#{book}", f"LINE#{number:04d}")


@model
class Month:
    id: Attr[str] = part()
    by: Attr[str] = attr("closedBy")


@second.entity(Month)
def months(id: str) -> Key:
    return Key(id)


async def swept(db: Database, sweep: Sweep, user: str) -> int:
    done, cursor = 0, None
    for _ in range(50):
        progress = await sweep.step({"user_id": user}, cursor)
        done, cursor = done + progress.done, progress.cursor
        if cursor is None:
            return done
    raise AssertionError("it does not end")


async def test_an_id_is_replaced_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "PAGE_ITEMS", 3)
    async with sekkei.testing.store(design, clock=ManualClock()) as db:
        for number in range(10):
            by = "u1" if number % 3 == 0 else "u10"
            await db.write(lines.put(Line(book="b", number=number, by=by, name=by.upper())))
        await db.write(months.put(Month(id="2026-11", by="u1")))
        sweep = Sweep(db, [first, second], ["signedBy", "closedBy"], beside={"signedBy": ["name"]})
        assert await swept(db, sweep, "u1") == 5
        assert await swept(db, sweep, "u1") == 0
        kept = await db.all(lines.where(Line.book == "b"))
        assert [(one.by, one.name) for one in kept] == [
            ("—", "—") if number % 3 == 0 else ("u10", "U10") for number in range(10)
        ]
        assert (await db.need(months("2026-11"))).by == "—"


async def test_what_stands_beside_another_attribute_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is that of whom the line is about, not of whoever signed it."""
    async with sekkei.testing.store(design, clock=ManualClock()) as db:
        await db.write(lines.put(Line(book="b", number=1, by="u1", name="Aoi")))
        await swept(db, Sweep(db, [first], ["signedBy", "closedBy"], beside={"closedBy": ["name"]}), "u1")
        line = await db.need(lines("b", 1))
        assert (line.by, line.name) == (sweeping.NOBODY, "Aoi")
