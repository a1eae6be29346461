"""What `sekkei check` says about this design, and why it stays so."""

from __future__ import annotations

from sekkei_systems.tasks.design.tables import design

design.accept("R21", "task-table-v3.GSI_Invert", "The document's index over all items; nobody reads totals through it.")
design.accept("R34", "to_do_with_tag*", "The document filters tags after the read; a column of a team is small.")
design.accept(
    "R47", "*", "Keeping 35 days of history costs as much as the data; turn it on per table where you run it."
)
