"""An error as one line that an operator can act on: what it was, what it said, and where it came from."""

from __future__ import annotations

import traceback
from pathlib import Path

_LINE_CHARACTERS_MAX = 500


def error_line(error: BaseException) -> str:
    """Return `KeyError: 'team' (reactions.py:53, moved)`, and after it what caused it, if somebody said so."""
    line = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(error.__traceback__)
    if frames:
        line = f"{line} ({Path(frames[-1].filename).name}:{frames[-1].lineno}, {frames[-1].name})"
    if error.__cause__ is not None:
        line = f"{line}, because of {error_line(error.__cause__)}"
    return line[:_LINE_CHARACTERS_MAX]
