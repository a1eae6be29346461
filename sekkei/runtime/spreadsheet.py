"""Texts as cells of a spreadsheet: none of them can start a formula, and each can be read back as it was."""

from __future__ import annotations

from sekkei.kit.text import is_seen

SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""What starts a formula; a spreadsheet in Japanese takes the wide ones too."""


def harmless(text: str) -> str:
    """An apostrophe before what could be a formula keeps it a text, also behind what nobody sees."""
    return f"'{text}" if _needs_a_quote(text) else text


def as_written(cell: str) -> str:
    """The text that `harmless` made a cell of; other cells are what they are."""
    return cell[1:] if cell.startswith("'") and _needs_a_quote(cell[1:]) else cell


def _needs_a_quote(text: str) -> bool:
    """A text that has such an apostrophe by itself gets another one, so that it can be read back."""
    if text.startswith(("\t", "\r", "\n", "'")):
        return True
    return next(filter(is_seen, text), "") in SIGNS
