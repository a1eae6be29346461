"""Written by `make texts` out of ja.toml; the keys that `say` and `t` take."""

from __future__ import annotations

from typing import Literal

Key = Literal[
    "notes.count",
    "notes.made",
    "notes.text",
    "notes.title",
    "refusal.taken",
]
