from __future__ import annotations

from tests.browser import browser, serve, shots

__all__ = ["browser", "serve", "shots"]
