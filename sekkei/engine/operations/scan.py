"""Scan: a page of all items of a table or an index, or of one segment of them."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.key_range import whole_segment
from sekkei.engine.page import Page, rows_from
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.validation import against_table


def scan(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    request = checked.request
    table = snapshot.table(checked.table)
    index = against_table.check_scan(table, checked)
    within = whole_segment(request.get("Segment"), request.get("TotalSegments"))
    page = Page(table, index, checked, render)
    page.fill(rows_from(snapshot, table, index, within, checked.start_key, forward=True))
    return page.answer()
