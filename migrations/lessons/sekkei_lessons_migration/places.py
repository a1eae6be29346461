"""What the old table makes of a place (one user, one lesson), and how that compares with what is there.

Several old rows can go to one place. The newest becomes the entry; the others are kept whole in its `legacy.conflicts`.
An entry also says where it came from, `legacy.from`: table, key, and a digest of the entry as the move wrote it, which
tells later whether anybody has changed it since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

import orjson

from sekkei.design import Ref, replace
from sekkei_lessons_migration.mapping import RESERVED, Row
from sekkei_systems.lessons.design import Status, TieKind, UserLesson, user_lesson, user_lessons
from sekkei_systems.lessons.rules.slots import Slot, slot_of

ITEM_BYTES_MAX = 390 * 1024
"""Below what an item may have, for what is written into it later."""
LEFT_OUT = "leftOut"
"""Names under `legacy` what was too large to be carried along."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where rows go to."""

    user: str
    slot: Slot

    @property
    def ref(self) -> Ref[UserLesson]:
        return user_lesson(self.user, *self.key)

    @property
    def key(self) -> tuple[Any, ...]:
        return self.slot.studio_code, self.slot.lesson_date, self.slot.start_time, TieKind.WAITLIST

    def __str__(self) -> str:
        return f"{self.user} {self.slot}"


def place_of(tie: UserLesson) -> Place:
    return Place(tie.user_id, slot_of(tie))


@dataclass(frozen=True, slots=True)
class OldRow:
    """A row of the old table, and the entry it would be if it were alone."""

    key: Row
    row: Row
    tie: UserLesson
    id: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", identity(self.key))


def identity(key: Row) -> str:
    """A key as text, the same for the same key."""
    return orjson.dumps(key, default=_as_json, option=orjson.OPT_SORT_KEYS).decode()


def _as_json(value: Any) -> Any:
    """What JSON has no form for, each in one that is always the same."""
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else [type(value).__name__, str(value)]


def merged(rows: Collection[OldRow], table: str) -> UserLesson | None:
    """The entry that rows of one place become; a function of the rows alone, in whatever order they come."""
    if not rows:
        return None
    newest, *others = sorted(rows, key=lambda row: (row.tie.updated_at, row.id), reverse=True)
    legacy: dict[str, Any] = {**(newest.tie.legacy or {}), "from": {"table": table, "key": dict(newest.key)}}
    if others:
        legacy["conflicts"] = [dict(other.row) for other in others]
    legacy = _fitting(newest.tie, legacy, [dict(other.key) for other in others])
    tie = replace(newest.tie, legacy=legacy)
    return replace(tie, legacy={**legacy, "from": {**legacy["from"], "digest": digest(tie)}})


def _fitting(tie: UserLesson, legacy: dict[str, Any], keys: list[dict[str, Any]]) -> dict[str, Any]:
    """What is carried along, cut to what fits into one item: first the rows that gave way, then what has no place of
    its own. The old table, and the backup of it, have it all."""
    if _size(tie, legacy) <= ITEM_BYTES_MAX:
        return legacy
    without_rows = {**legacy, "conflicts": keys, LEFT_OUT: ["conflicts"]} if keys else legacy
    if _size(tie, without_rows) <= ITEM_BYTES_MAX:
        return without_rows
    kept = {name: value for name, value in without_rows.items() if name in RESERVED}
    return {**kept, LEFT_OUT: sorted({*legacy} - {"from"})}


def _size(tie: UserLesson, legacy: dict[str, Any]) -> int:
    """As JSON, which is not shorter than what the store counts."""
    return len(orjson.dumps(user_lessons.encode(replace(tie, legacy=legacy)), default=str))


def digest(tie: UserLesson) -> str:
    """Of everything the move is answerable for: what the monitor writes, and the digest itself, are left out."""
    values = {
        name: value.timestamp() if isinstance(value, datetime) else value
        for name, value in vars(tie).items()
        if value is not None and name not in _UNTOLD
    }
    legacy = dict(tie.legacy or {})
    legacy["from"] = {name: value for name, value in legacy.get("from", {}).items() if name != "digest"}
    text = orjson.dumps({**values, "legacy": legacy}, default=_as_json, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest()[:32]


_UNTOLD: dict[str, Any] = {
    "notification_sent": None,
    "notified_at": None,
    "notify_count": 0,
    "notify_episode": 0,
    "offer_until": None,
}


def source_of(tie: UserLesson | None, table: str) -> dict[str, Any] | None:
    """Where an entry came from, if it came from this table."""
    source = (tie.legacy or {}).get("from") if tie is not None else None
    return source if isinstance(source, dict) and source.get("table") == table else None


def is_untouched(tie: UserLesson, table: str) -> bool:
    """It came from the old table, and nobody has changed it since."""
    source = source_of(tie, table)
    return source is not None and source.get("digest") == digest(tie)


def rows_held(tie: UserLesson | None, table: str, key_names: Iterable[str]) -> dict[str, Row]:
    """The keys of the old rows that an entry was made of, by their identities."""
    source, names = source_of(tie, table), tuple(key_names)
    if tie is None or source is None:
        return {}
    rows = [source.get("key", {}), *(tie.legacy or {}).get("conflicts", ())]
    keys = [{name: row[name] for name in names} for row in rows if all(name in row for name in names)]
    return {identity(key): key for key in keys}


class Verdict(Enum):
    """How a place compares; the words are those of a report."""

    SAME = "as it should be"
    AHEAD = "the new table is ahead"
    MISSING = "missing in the new table"
    STALE = "the old row has changed since it was copied"
    ALTERED = "changed in the new table without a newer updatedAt"
    GONE = "no longer in the old table"
    UNREADABLE = "what is there is no entry of this design"


@dataclass(frozen=True, slots=True)
class Finding:
    """One place, looked at."""

    place: Place
    rows: Collection[OldRow]
    there: UserLesson | None
    wanted: UserLesson | None
    verdict: Verdict
    read: frozenset[str] = frozenset()
    """Which of the rows were just met in the old table; the others stood in the entry that is there."""

    @property
    def differs(self) -> bool:
        return self.verdict not in (Verdict.SAME, Verdict.AHEAD)

    @property
    def is_counted(self) -> bool:
        """A place is counted with the row that it shows, not with those that gave way and were met apart from it."""
        return self.wanted is None or _made_of(self.wanted) in self.read

    @property
    def conflicts(self) -> list[OldRow]:
        """Rows that give way to a newer one: each is counted when it is met, or when the newer one takes its place."""
        winner, before = _made_of(self.wanted), _made_of(self.there)
        met = self.read | ({before} if winner in self.read else set())
        return [row for row in self.rows if row.id != winner and row.id in met]


def _made_of(tie: UserLesson | None) -> str | None:
    """The identity of the row that an entry shows."""
    source = (tie.legacy or {}).get("from") if tie is not None else None
    return identity(source["key"]) if isinstance(source, dict) and "key" in source else None


def judged(
    place: Place,
    rows: Collection[OldRow],
    read: frozenset[str],
    there: UserLesson | None,
    table: str,
    now: datetime,
    *,
    new_leads: bool,
) -> Finding:
    """Newest wins. While the old table leads, what the move wrote and nobody touched follows it in everything."""
    wanted = merged(rows, table)
    if wanted is not None and there is not None and there.notify_count:
        # The monitor has told this user of places since: that stays the monitor's.
        wanted = replace(wanted, **{name: getattr(there, name) for name in _UNTOLD})
    return Finding(place, rows, there, wanted, _verdict(wanted, there, table, now, new_leads), read)


def _verdict(
    wanted: UserLesson | None, there: UserLesson | None, table: str, now: datetime, new_leads: bool
) -> Verdict:
    if there is None:
        return Verdict.SAME if wanted is None else Verdict.MISSING
    if there == wanted:
        return Verdict.SAME
    untouched = is_untouched(there, table)
    if wanted is None:
        # Entries of lessons that are over go by their own time to live, as the old rows did.
        return Verdict.GONE if untouched and not new_leads and there.starts_at > now else Verdict.AHEAD
    if not untouched and there.status is Status.COMPLETED and wanted.status is Status.ACTIVE:
        return Verdict.AHEAD  # they have a place by now; what the old table knows of it is only that they waited
    if wanted.updated_at > there.updated_at:
        return Verdict.STALE
    if new_leads or source_of(there, table) is None or (not untouched and there.updated_at > wanted.updated_at):
        return Verdict.AHEAD
    return Verdict.STALE if untouched else Verdict.ALTERED
