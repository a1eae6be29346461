"""One page of a Query or a Scan: walk a range of key bytes, filter, project, stop at the limit or at one megabyte.

A page is filled in slices of some milliseconds, each with a statement of its own, so that other requests are served in
between. A page that has taken a second of work ends there: like DynamoDB's own, it says where the next one begins.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from time import perf_counter, thread_time
from typing import Any, NamedTuple

import orjson

from sekkei.engine.items import keys
from sekkei.engine.items.capacity import Consumed, attach, read_units, wanted
from sekkei.engine.items.values import AttributeValue, Item, item_size
from sekkei.engine.operation import Checked, Render, Response
from sekkei.engine.storage.catalogue import Index, KeySchema, Table
from sekkei.engine.storage.snapshot import Row, Snapshot
from sekkei.errors import ResourceNotFoundException


class KeyRange(NamedTuple):
    """The half-open range low <= key < high; no end when `high` is None."""

    low: bytes
    high: bytes | None

    def contains(self, key: bytes) -> bool:
        return key >= self.low and (self.high is None or key < self.high)


def whole_segment(segment: int | None, total_segments: int | None) -> KeyRange:
    """What one segment of a scan walks; everything when the scan is not parallel."""
    if segment is None or total_segments is None:
        return KeyRange(b"", None)
    return KeyRange(*keys.segment_bounds(segment, total_segments))


def key_range(
    schema: KeySchema,
    partition: Sequence[AttributeValue],
    equal: Sequence[AttributeValue] = (),
    operator: str | None = None,
    operands: Sequence[AttributeValue] = (),
) -> KeyRange:
    """All keys of one partition whose first sort parts are `equal` and whose next one meets the operator."""
    prefix = keys.partition_bytes(partition)
    if operator is None and len(equal) == len(schema.range) and equal:
        exact = prefix + keys.sort_key_bytes(equal)
        return KeyRange(exact, exact + b"\x00")
    prefix += keys.sort_prefix(equal)
    if operator is None:
        return KeyRange(prefix, keys.after(prefix))
    is_last = len(equal) + 1 == len(schema.range)
    if operator == "begins_with":
        part = keys.part_bytes(operands[0])
        low = prefix + (part if is_last else keys.escaped(part))
        return KeyRange(low, keys.after(low))

    def from_(operand: AttributeValue) -> bytes:
        return prefix + (keys.part_bytes(operand) if is_last else keys.sort_prefix((operand,)))

    def past(operand: AttributeValue) -> bytes | None:
        return from_(operand) + b"\x00" if is_last else keys.after(from_(operand))

    if operator == "BETWEEN":
        return KeyRange(from_(operands[0]), past(operands[1]))
    if operator == "<":
        return KeyRange(prefix, from_(operands[0]))
    if operator == "<=":
        return KeyRange(prefix, past(operands[0]))
    if operator == ">=":
        return KeyRange(from_(operands[0]), keys.after(prefix))
    assert operator == ">", f"no such key operator: {operator}"
    return KeyRange(past(operands[0]) or b"", keys.after(prefix))


_PAGE_BYTES_MAX = 1024 * 1024
SLICE_SECONDS = 0.004
PAGE_SECONDS = 1.0
"""The work that one page may take, of processor time: what else the machine does cuts no page short.

Only expressions that take milliseconds for each item come that far.
"""
_ROWS_BETWEEN_LOOKS = 128


class Page:
    """What has been read so far, and how the answer is made of it."""

    def __init__(self, table: Table, index: Index | None, checked: Checked, render: Render) -> None:
        request = checked.request
        self.table = table
        self.index = index
        self._checked = checked
        self._render = render
        self._limit = request.get("Limit")
        self._counts_only = request.get("Select") == "COUNT"
        self._items: list[Any] = []
        self._count = 0
        self._scanned = 0
        self._bytes = 0
        self._fetched_units = 0.0
        self._last: Row | None = None
        self._seconds = 0.0
        # An entry of a partial index holds less than the item; a local index can fetch the rest from the table.
        self._entry_is_partial = index is not None and index.projected is not None
        self._fetches = self._entry_is_partial and self._wants_more_than_projected()

    def _wants_more_than_projected(self) -> bool:
        index = self.index
        assert index is not None
        if index.is_global:
            return False
        if self._checked.request.get("Select") == "ALL_ATTRIBUTES":
            return True
        projection = self._checked.projection
        return projection is not None and not index.projected.issuperset(projection.attributes)  # type: ignore[union-attr]

    def fill(self, rows: Iterator[Row]) -> bool:
        """Take rows until the page is full or the slice is over; tells whether there is another slice to come."""
        self._last = None
        # Most pages end in their first slice: asking for processor time costs as much as some rows, and is left out.
        began = thread_time() if self._seconds else None
        until = perf_counter() + min(SLICE_SECONDS, PAGE_SECONDS - self._seconds)
        whole = not self._entry_is_partial and self._checked.filter is None and self._checked.projection is None
        goes_on = (self._fill_whole if whole and not self._counts_only else self._fill_taking)(rows, until)
        if goes_on:
            self._seconds += SLICE_SECONDS if began is None else thread_time() - began
        return goes_on and self._seconds < PAGE_SECONDS

    def _fill_taking(self, rows: Iterator[Row], until: float) -> bool:
        """Take rows one by one, with a look inside each."""
        limit = self._limit or -1
        for row in rows:
            self._scanned += 1
            self._take(row)
            if self._scanned == limit or self._bytes >= _PAGE_BYTES_MAX:
                self._last = row
                return False
            if perf_counter() > until:
                self._last = row
                return True
        return False

    def _fill_whole(self, rows: Iterator[Row], until: float) -> bool:
        """Take whole items, as the commonest page does: nothing looks inside them."""
        goes_on = False
        render, add = self._render, self._items.append
        room = _PAGE_BYTES_MAX - self._bytes
        limit = self._limit or -1
        scanned = before = self._scanned
        for row in rows:
            _, blob, size, _ = row
            add(render(blob))
            room -= size
            scanned += 1
            if scanned == limit or room <= 0:
                self._last = row
                break
            if not scanned % _ROWS_BETWEEN_LOOKS and perf_counter() > until:
                self._last = row
                goes_on = True
                break
        self._scanned = scanned
        self._count += scanned - before
        self._bytes = _PAGE_BYTES_MAX - room
        return goes_on

    @property
    def position(self) -> Item:
        """Where a slice that is over ended."""
        assert self._last is not None
        return self._key_of(orjson.loads(self._last[1]))

    def _take(self, row: Row) -> None:
        _, blob, size, _ = row
        item: Item = orjson.loads(blob)
        entry = item
        if self._entry_is_partial:
            assert self.index is not None
            entry = self.index.project(item)
            self._bytes += item_size(entry)
            if self._fetches:
                self._fetched_units += read_units(size, bool(self._checked.request.get("ConsistentRead")))
                entry = item
        else:
            self._bytes += size
        if self._checked.filter is not None and not self._checked.filter.matches(entry):
            return
        self._count += 1
        if self._counts_only:
            return
        projection = self._checked.projection
        self._items.append(entry if projection is None else projection.project(entry))

    def answer(self) -> Response:
        response: Response = {"Count": self._count, "ScannedCount": self._scanned}
        if not self._counts_only:
            response["Items"] = self._items
        if self._last is not None:
            response["LastEvaluatedKey"] = self._key_of(orjson.loads(self._last[1]))
        how = self._checked.request.get("ReturnConsumedCapacity")
        if wanted(how):
            attach(response, self._consumed(), how)
        return response

    def _key_of(self, item: Item) -> Item:
        names = self.table.key.names if self.index is None else (*self.index.key.names, *self.table.key.names)
        return {name: item[name] for name in names}

    def _consumed(self) -> Consumed:
        consumed = Consumed()
        consistent = bool(self._checked.request.get("ConsistentRead"))
        name = self.index.name if self.index is not None else ""
        consumed.add(self.table, self._fetched_units)
        consumed.add_read(self.table, self._bytes, consistent, name)
        return consumed


def filled(
    snapshot: Snapshot, page: Page, within: KeyRange, start: Item | None, forward: bool
) -> Generator[None, None, None]:
    """Fill a page from a range, slice by slice."""
    table, index = page.table, page.index
    while page.fill(_rows_from(snapshot, table, index, within, start, forward)):
        start = page.position
        yield
        if snapshot.table(table.name).id != table.id:
            raise ResourceNotFoundException("Requested resource not found")


def _rows_from(
    snapshot: Snapshot, table: Table, index: Index | None, within: KeyRange, start: Item | None, forward: bool
) -> Iterator[Row]:
    """The rows of a range in order, beyond the key that an earlier page ended with."""
    low, high = within
    if index is None:
        if start is not None:
            key = table.key_bytes(start)
            low, high = (max(low, key + b"\x00"), high) if forward else (low, _lower(high, key))
        return snapshot.walk(table, low, high, forward)
    if start is None:
        return snapshot.walk_index(table, index, low, high, forward)
    index_key = index.key.bytes_of(start)
    assert index_key is not None, "the start key has been checked against the index"
    if forward:
        low = max(low, index_key)
    return snapshot.walk_index(table, index, low, high, forward, (index_key, table.key_bytes(start)))


def _lower(high: bytes | None, key: bytes) -> bytes:
    return key if high is None else min(high, key)
