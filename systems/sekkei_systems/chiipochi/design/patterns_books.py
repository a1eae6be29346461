"""Access patterns of the books: what moved at the provider, by month."""

from __future__ import annotations

from collections.abc import Sequence

from sekkei.design import Put, Query, Ref, Transaction
from sekkei_systems.chiipochi.design.models_books import Booked, BookEntry, BookMark, BookMonth
from sekkei_systems.chiipochi.design.tables import book_entries, book_marks, book_months, booked, design

SYNC = "sync"


def book_together(entries: Sequence[BookEntry]) -> Transaction:
    """Several of one month at once, the balance written once: what takes a busy month over in time."""
    marks = [booked.create(Booked(movement=one.movement, month=one.month, net=one.net)) for one in entries]
    return Transaction(
        *marks,
        book_months.must_not_exist(entries[0].month),
        *(book_entries.put(one) for one in entries),
        book_marks.upsert(SYNC).add(BookMark.booked, sum(one.net for one in entries)),
    )


@design.pattern(ja="入出金を計上", added=True)
def book(entry: BookEntry) -> Transaction:
    """Once, and only in a month that is open; the balance of the books moves with it."""
    return book_together([entry])


@design.pattern(ja="計上済みか", added=True)
def is_booked(movement: str) -> Ref[Booked]:
    """Where a movement is booked, if it is."""
    return booked(movement).consistent()


@design.pattern(ja="月の入出金", added=True)
def entries_of(month: str) -> Query[BookEntry]:
    """All that is booked in a month, by time."""
    return book_entries.where(BookEntry.month == month)


@design.pattern(ja="月を締める", added=True)
def close_month(closed: BookMonth) -> Put[BookMonth]:
    """Freeze a month, once."""
    return book_months.create(closed)


@design.pattern(ja="締めた月の一覧", added=True)
def closed_months() -> Query[BookMonth]:
    """Months that are closed."""
    return book_months.where()


@design.pattern(ja="取り込みの位置", added=True)
def book_mark(name: str) -> Ref[BookMark]:
    """How far the provider's movements are in the books."""
    return book_marks(name).consistent()
