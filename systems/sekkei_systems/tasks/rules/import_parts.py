"""A file's tasks in parts, each as much as one transaction writes and one item holds."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from sekkei_systems.tasks.design import DESCRIPTION_KEPT_MAX
from sekkei_systems.tasks.rules.drafts import CHILDREN_MAX
from sekkei_systems.tasks.rules.foreign import ForeignTask

ACTIONS_MAX = 96
"""Of a transaction's 100; the others are the count, the part itself and how far the import is."""
BYTES_MAX = 300_000


def rooted(tasks: Sequence[ForeignTask]) -> list[ForeignTask]:
    """One level, as here: what is part of a part belongs to the topmost. In their order, but none before its parent;
    those that are too many come as tasks of their own."""
    by_source = {one.source: one for one in tasks if one.source}
    joined = Counter[str]()
    found = []
    for one in tasks:
        root = _root(one, by_source)
        joined[root] += 1
        found.append(replace(one, parent=root if joined[root] <= CHILDREN_MAX else ""))
    waiting: dict[str, list[ForeignTask]] = {}
    there: set[str] = set()
    ordered: list[ForeignTask] = []
    for one in found:
        if one.parent in by_source and one.parent not in there:
            waiting.setdefault(one.parent, []).append(one)
            continue
        there.add(one.source)
        ordered += [one, *waiting.pop(one.source, [])]
    return ordered


def _root(one: ForeignTask, by_source: Mapping[str, ForeignTask]) -> str:
    """The topmost that it is part of; "" where they are part of each other."""
    above, seen = one.parent, {one.source}
    while above in by_source and by_source[above].parent:
        seen.add(above)
        above = by_source[above].parent
        if above in seen:
            return ""
    return "" if above and above == one.source else above


def actions_of(found: ForeignTask) -> int:
    """The task, its talk, number and search text, what is long, its plan, and where it came from."""
    return 5 + (len(found.draft.description) > DESCRIPTION_KEPT_MAX) + bool(found.checks or found.parent)


def parts_of(tasks: Sequence[ForeignTask]) -> Iterator[list[ForeignTask]]:
    """In their order. Tags and people are checked once a part, so each counts where it comes first."""
    part: list[ForeignTask] = []
    actions, size, named = 0, 0, set[str]()
    for one in tasks:
        names = {f"tag {name}" for name in one.tags} | {f"person {name}" for name in one.people[:1]}
        names |= {f"plan {one.parent}", f"task {one.parent}"} if one.parent else set()
        more, bytes_more = actions_of(one), len(msgspec.json.encode(one))
        if part and (actions + more + len(named | names) > ACTIONS_MAX or size + bytes_more > BYTES_MAX):
            yield part
            part, actions, size, named = [], 0, 0, set()
        part.append(one)
        actions, size, named = actions + more, size + bytes_more, named | names
    if part:
        yield part


def packed(tasks: Sequence[ForeignTask]) -> bytes:
    return zlib.compress(msgspec.json.encode(tasks))


def unpacked(content: bytes) -> list[ForeignTask]:
    return msgspec.json.decode(zlib.decompress(content), type=list[ForeignTask])
