from __future__ import annotations

from tests.browser import browser, serve, shots
from tests.calls import asks_only_what_is_noted
from tests.prepared import tables_are_made_once

__all__ = ["asks_only_what_is_noted", "browser", "serve", "shots", "tables_are_made_once"]
