"""LINE's own SDK as the judge of what we send."""

from __future__ import annotations

from typing import Any


def same(ours: Any, theirs: Any, path: str = "") -> None:
    """Nothing of ours is lost in their models, and nothing is changed; they may add what is left to its default."""
    if isinstance(ours, dict):
        assert isinstance(theirs, dict), path
        for name, value in ours.items():
            assert name in theirs, f"{path}.{name}"
            same(value, theirs[name], f"{path}.{name}")
    elif isinstance(ours, list):
        assert len(ours) == len(theirs), path
        for place, value in enumerate(ours):
            same(value, theirs[place], f"{path}[{place}]")
    else:
        assert ours == theirs, path
