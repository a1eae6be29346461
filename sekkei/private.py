"""Folders for what only its owner may read."""

from __future__ import annotations

from pathlib import Path


def make_folder(path: Path) -> None:
    """One that is there stays as it is: others may have business in it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
