"""Calling somebody by name in a comment: `@佐藤 葵`, `@佐藤葵`, `＠さとう`."""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.kit.text import folded

MENTIONS_MAX = 50


def mentioned(text: str, names: Mapping[str, str]) -> frozenset[str]:
    """Who of these people (id to name) is called. Spaces, width and case do not matter; of two names that fit, the
    longer one is meant."""
    said = _plain(text)
    found: set[str] = set()
    for name in sorted({_plain(name) for name in names.values()}, key=len, reverse=True):
        if name and f"@{name}" in said:
            said = said.replace(f"@{name}", "@")
            found |= {user_id for user_id, whole in names.items() if _plain(whole) == name}
    return frozenset(sorted(found)[:MENTIONS_MAX])


def _plain(text: str) -> str:
    return "".join(folded(text).split())
