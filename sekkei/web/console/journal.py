"""What the console has changed, newest first, each with its way back.

Kept in this process alone and only so long: the old items are as personal as the new ones. The log keeps, without any
value, who changed what and when.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime

from sekkei.web.console.changing import Change

ENTRIES_MAX = 200


@dataclass(slots=True)
class Entry:
    number: int
    at: datetime
    by: str
    change: Change
    undone: bool = False


@dataclass(slots=True)
class Journal:
    entries: deque[Entry] = field(default_factory=lambda: deque(maxlen=ENTRIES_MAX))
    count: int = 0

    def add(self, at: datetime, by: str, change: Change) -> Entry:
        self.count += 1
        entry = Entry(self.count, at, by, change)
        self.entries.appendleft(entry)
        return entry

    def find(self, number: int) -> Entry | None:
        return next((entry for entry in self.entries if entry.number == number), None)
