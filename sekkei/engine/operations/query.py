"""Query: a page of one partition of a table or an index, in the order of its sort key."""

from __future__ import annotations

from sekkei.engine.frame import Checked, Render, Response
from sekkei.engine.page import Page, rows_from
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.validation import against_table


def query(snapshot: Snapshot, checked: Checked, render: Render) -> Response:
    table = snapshot.table(checked.table)
    index, within = against_table.check_query(table, checked)
    forward = checked.request.get("ScanIndexForward", True)
    page = Page(table, index, checked, render)
    page.fill(rows_from(snapshot, table, index, within, checked.start_key, forward))
    return page.answer()
