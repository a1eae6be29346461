from __future__ import annotations

from tests.browser import browser, serve, shots
from tests.calls import asks_only_what_is_noted

__all__ = ["asks_only_what_is_noted", "browser", "serve", "shots"]
