"""Two people edit one task: what each changed lands, and where both changed the same, they choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from msgspec import structs

from sekkei_systems.tasks.rules.drafts import ENTERED, TaskDraft


class Kept(Enum):
    """What to do with a field that both have changed."""

    MINE = "mine"
    THEIRS = "theirs"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that somebody else has changed as well, and differently."""

    name: str
    mine: Any
    theirs: Any

    @property
    def choices(self) -> tuple[Kept, ...]:
        return tuple(Kept) if self.name in _BOTH else (Kept.MINE, Kept.THEIRS)


_BOTH: Mapping[str, Callable[[Any, Any], Any]] = {
    "title": lambda theirs, mine: f"{theirs} / {mine}",
    "description": lambda theirs, mine: "\n\n".join(filter(None, (theirs, mine))),
    "tags": lambda theirs, mine: theirs | mine,
}


def merged(base: TaskDraft | None, theirs: TaskDraft, mine: TaskDraft) -> tuple[TaskDraft, list[Clash]]:
    """Mine where I changed something since `base`, theirs elsewhere; and what both have changed, each differently.

    Without a base nobody knows who changed what, so every difference is a clash."""
    wanted: dict[str, Any] = {}
    clashes: list[Clash] = []
    for name in ENTERED:
        ours, other = getattr(mine, name), getattr(theirs, name)
        known = base is not None
        was = getattr(base, name) if known else other
        if known and ours == was:
            wanted[name] = other
            continue
        wanted[name] = ours
        if ours != other and (not known or other != was):
            clashes.append(Clash(name, ours, other))
    return TaskDraft(**wanted), clashes


def chosen(theirs: TaskDraft, mine: TaskDraft, kept: Mapping[str, Kept]) -> TaskDraft:
    """Mine, except where somebody chose theirs or both."""
    found: dict[str, Any] = {}
    for name, keep in kept.items():
        ours, other = getattr(mine, name), getattr(theirs, name)
        if keep is Kept.THEIRS:
            found[name] = other
        elif keep is Kept.BOTH and name in _BOTH and ours != other:
            found[name] = _BOTH[name](other, ours)
    return structs.replace(mine, **found)
