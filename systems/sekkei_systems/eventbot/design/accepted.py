"""What `sekkei check` says about this design, and why it stays so."""

from __future__ import annotations

from sekkei_systems.eventbot.design.tables import design

design.accept(
    "R47", "*", "Keeping 35 days of history costs as much as the data; turn it on per table where you run it."
)
