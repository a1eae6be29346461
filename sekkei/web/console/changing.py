"""One item changed as a whole: what it was is a condition of the write, so nothing that somebody else wrote is lost.

    change = Change(table="shop", keys=("PK", "SK"), old=seen, new=wanted)
    await change.carry_out(store)          raises Meanwhile when the item is no longer what was seen
    await change.back().carry_out(store)   undo, under the same rule

A new key is a move: the old item goes and the new one comes in one transaction. Uniqueness markers of a design follow.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sekkei.design import Design, Entity, SekkeiError, Table, UniqueKey
from sekkei.errors import ConditionalCheckFailedException, TransactionCanceledException, TransactionConflictException
from sekkei.store.protocol import Store

Item = Mapping[str, Mapping[str, Any]]
Action = dict[str, Any]
ATTRIBUTES_MAX = 140
"""DynamoDB takes 300 operators in an expression; a condition on every attribute needs two for each."""
ENTRIES_MAX = 200


class Meanwhile(Exception):
    """The item is no longer what was seen, or another has the key by now. Nothing was changed."""


class TooWide(Exception):
    """So many attributes that no condition can hold them all; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Change:
    table: str
    keys: tuple[str, ...]
    old: Item | None
    new: Item | None
    markers: tuple[tuple[str, tuple[str, ...], Item | None, Item | None], ...] = ()
    """Rows that follow: their table, its keys, as they were and as they will be."""

    def back(self) -> Change:
        """The change that undoes this one."""
        markers = tuple((table, keys, new, old) for table, keys, old, new in self.markers)
        return Change(self.table, self.keys, self.new, self.old, markers)

    @property
    def kind(self) -> str:
        return "create" if self.old is None else "delete" if self.new is None else "edit"

    @property
    def key(self) -> dict[str, Any]:
        item = self.new or self.old
        assert item is not None
        return {name: item[name] for name in self.keys}

    def differences(self) -> list[tuple[str, Any, Any]]:
        """Each attribute that changes: its name, its value before and after."""
        old, new = self.old or {}, self.new or {}
        names = sorted({*old, *new}, key=lambda name: (name not in self.keys, name))
        return [(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]

    def actions(self) -> list[Action]:
        rows = [(self.table, self.keys, self.old, self.new), *self.markers]
        return [action for table, keys, old, new in rows for action in _actions(table, keys, old, new)]

    async def carry_out(self, store: Store) -> None:
        actions = self.actions()
        try:
            if len(actions) == 1:
                ((kind, request),) = actions[0].items()
                await store.call(f"{kind}Item", request)
            else:
                await store.call("TransactWriteItems", {"TransactItems": actions})
        except (ConditionalCheckFailedException, TransactionConflictException) as error:
            raise Meanwhile() from error
        except TransactionCanceledException as error:
            if any(reason.get("Code") not in _OTHERS for reason in error.reasons):
                raise
            raise Meanwhile() from error


_OTHERS = ("None", "ConditionalCheckFailed", "TransactionConflict")


def _actions(table: str, keys: tuple[str, ...], old: Item | None, new: Item | None) -> Iterator[Action]:
    moved = old is not None and new is not None and any(old[name] != new[name] for name in keys)
    if old is not None and (new is None or moved):
        key = {name: old[name] for name in keys}
        yield {"Delete": {"TableName": table, "Key": key, **_as_seen(old, ())}}
    if new is not None:
        condition = (
            _absent(keys) if old is None or moved else _as_seen(old, tuple(name for name in new if name not in old))
        )
        yield {"Put": {"TableName": table, "Item": dict(new), **condition}}


def _absent(keys: tuple[str, ...]) -> Action:
    return {"ConditionExpression": "attribute_not_exists(#k)", "ExpressionAttributeNames": {"#k": keys[0]}}


def _as_seen(old: Item, further: tuple[str, ...]) -> Action:
    """Every attribute is what it was; those that the change brings are not there yet."""
    if len(old) + len(further) > ATTRIBUTES_MAX:
        raise TooWide()
    names = {f"#n{number}": name for number, name in enumerate((*old, *further))}
    values = {f":v{number}": value for number, value in enumerate(old.values())}
    tests = [f"#n{number} = :v{number}" for number in range(len(old))]
    tests += [f"attribute_not_exists(#n{len(old) + number})" for number in range(len(further))]
    return {
        "ConditionExpression": " AND ".join(tests),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


def entity_of(table: Table, item: Mapping[str, Mapping[str, object]]) -> Entity[..., object] | None:
    """Which entity an item is, or None when it fits none."""
    try:
        return table.entity_of(item)  # type: ignore[arg-type]
    except SekkeiError:
        return None


def change_of(
    design: Design | None, env: str, table: str, keys: tuple[str, ...], old: Item | None, new: Item | None
) -> Change:
    """The change, with the uniqueness markers that follow it."""
    declared = design.table_named(table, env) if design is not None else None
    if design is None or declared is None:
        return Change(table, keys, old, new)
    before, after = (_markers(design, env, declared, item) for item in (old, new))
    markers = tuple(
        (name, mark_keys, before.get(place), after.get(place))
        for place in {**before, **after}
        for name, mark_keys in (place[:2],)
        if before.get(place) != after.get(place)
    )
    return Change(table, keys, old, new, markers)


def _markers(
    design: Design, env: str, declared: Table, item: Item | None
) -> dict[tuple[str, tuple[str, ...], str], Item]:
    """The marker rows of an item: by their table, its keys and the value."""
    entity = None if item is None else entity_of(declared, item)
    if entity is None or item is None or not entity.uniques:
        return {}
    found: dict[tuple[str, tuple[str, ...], str], Item] = {}
    key = {name: item[name] for name in entity.table.key_attributes}
    values = entity.decode(item).__dict__  # type: ignore[arg-type]
    for unique in entity.uniques:
        value = unique.value_of(values)
        if value is None:
            continue
        table = unique.markers.table
        owner = {name: str(next(iter(one.values()))) for name, one in key.items()}
        row = unique.markers.encode(UniqueKey(value=value, owner=owner))
        found[(design.table_name(table, env), table.key_attributes, value)] = row
    return found


@dataclass(slots=True)
class Entry:
    number: int
    at: datetime
    by: str
    change: Change
    undone: bool = False


@dataclass(slots=True)
class Journal:
    """What the console has changed, newest first. Kept in this process alone and only so long: the old items are as
    personal as the new ones. The log keeps, without any value, who changed what and when."""

    entries: deque[Entry] = field(default_factory=lambda: deque(maxlen=ENTRIES_MAX))
    count: int = 0

    def add(self, at: datetime, by: str, change: Change) -> Entry:
        self.count += 1
        entry = Entry(self.count, at, by, change)
        self.entries.appendleft(entry)
        return entry

    def find(self, number: int) -> Entry | None:
        return next((entry for entry in self.entries if entry.number == number), None)
