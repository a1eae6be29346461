"""A file's tasks in parts, each as much as one transaction writes and one item holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

import msgspec

from sekkei_systems.tasks.design import DESCRIPTION_KEPT_MAX
from sekkei_systems.tasks.rules.foreign import Found

ACTIONS_MAX = 96
"""Of a transaction's 100; the others are the count, the part itself and how far the import is."""
BYTES_MAX = 300_000


def actions_of(found: Found) -> int:
    """The task, its talk, number and search text, what is long, its checklist, and where it came from."""
    return 5 + (len(found.description) > DESCRIPTION_KEPT_MAX) + bool(found.checks)


def parts_of(tasks: Sequence[Found]) -> Iterator[list[Found]]:
    """In their order. Tags and people are checked once a part, so each counts where it comes first."""
    part: list[Found] = []
    actions, size, named = 0, 0, set[str]()
    for one in tasks:
        names = {f"tag {name}" for name in one.tags} | {f"person {name}" for name in one.people[:1]}
        more, bytes_more = actions_of(one), len(msgspec.json.encode(one))
        if part and (actions + more + len(named | names) > ACTIONS_MAX or size + bytes_more > BYTES_MAX):
            yield part
            part, actions, size, named = [], 0, 0, set()
        part.append(one)
        actions, size, named = actions + more, size + bytes_more, named | names
    if part:
        yield part


def packed(tasks: Sequence[Found]) -> bytes:
    return zlib.compress(msgspec.json.encode(tasks))


def unpacked(content: bytes) -> list[Found]:
    return msgspec.json.decode(zlib.decompress(content), type=list[Found])
