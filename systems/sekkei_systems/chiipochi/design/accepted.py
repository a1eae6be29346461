"""What `sekkei check` says about this design, and why it stays so."""

from __future__ import annotations

from sekkei_systems.chiipochi.design.tables import design

design.accept(
    "R3",
    "daily_totals: *",
    "A day has one total and a row for each prefecture; 1,000 donations a second are far away.",
)
design.accept("R1", "daily_totals: stale_months*", "One row for a month that a refund has changed, until the night.")
design.accept("R1", "payments: surpluses*", "A donation that is paid twice is a rare mishap.")
design.accept("R1", "receipts: *", "Numbers without gaps are given one after the other; nobody prints 1,000 a second.")
design.accept("R39", "issue_receipt", "The row beside it says which receipt was the newest; whoever was quicker wins.")
design.accept("R39", "keep_details", "What a donor said last counts.")
design.accept("R1", "appeals: *", "A handful of appeals; their sums take what a few hundred donors give a minute.")
design.accept("R1", "books: *", "A row for a month that is closed, and one for how far the books are.")
design.accept("R39", "book", "The mark beside it is made once.")
design.accept(
    "R24",
    "*",
    "The four indexes are the document's and hold everything; a donation is a few hundred bytes, one unit in each.",
)
design.accept("R39", "speak", "The language that was chosen last wins.")
design.accept("R39", "confirm_pledge", "The pledge that was confirmed last wins; it was asked for a moment before.")
design.accept("R39", "settle", "What it writes is the same however often it is repeated.")
design.accept(
    "R47", "*", "Keeping 35 days of history costs as much as the data; turn it on per table where you run it."
)
