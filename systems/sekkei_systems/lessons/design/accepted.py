"""What `sekkei check` says about this design, and why it stays so."""

from __future__ import annotations

from sekkei_systems.lessons.design.tables import design

design.accept(
    "R21",
    "user_lessons.*",
    "The document's index. Every read gives a range of dates, and a chain has thousands of rows.",
)
design.accept(
    "R24", "*", "Four indexes of the document hold everything; a row is a few hundred bytes, one unit in each."
)
design.accept(
    "R47", "*", "Keeping 35 days of history costs as much as the data; turn it on per table where you run it."
)
