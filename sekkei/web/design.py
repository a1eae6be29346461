"""The shell's own tables, where `sekkei tables create sekkei.web` looks for them."""

from __future__ import annotations

from sekkei.web.identity.design import design

__all__ = ["design"]
