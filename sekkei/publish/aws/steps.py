"""A stack whose tables change more than one index, as templates to deploy one after the other.

CloudFormation makes or removes one global index of a table in an update, and an index of another form is one removed
and one made. Each template here is the new one with the indexes that its tables have by then.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

TABLE = "AWS::DynamoDB::Table"
_INDEXES = "GlobalSecondaryIndexes"
Index = Mapping[str, Any]
Change = tuple[str, Index | None]
"""The index's name, and what it becomes; None takes it away."""


def steps(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What to deploy before `new`, which is the last step; nothing where one update will do."""
    changes = {name: found for name in _tables(new) if (found := _changes(_table(old, name), _table(new, name)))}
    count = max((len(each) for each in changes.values()), default=0)
    return [_step(old, new, changes, number) for number in range(1, count)]


def words(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """`OrdersTable: removes by_day, makes by_month`, for each table that changes more than one."""
    found = []
    for name in _tables(new):
        changes = _changes(_table(old, name), _table(new, name))
        if len(changes) > 1:
            said = ", ".join(f"{'removes' if index is None else 'makes'} {each}" for each, index in changes)
            found.append(f"{name}: {said}")
    return found


def _tables(template: Mapping[str, Any]) -> list[str]:
    return [name for name, each in template.get("Resources", {}).items() if each.get("Type") == TABLE]


def _table(template: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """Its properties; None when there is no such table, or none that could be deployed, as in a file edited since."""
    found: Any = template
    for part in ("Resources", name, "Properties"):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) and _is_whole(found) else None


def _is_whole(table: Mapping[str, Any]) -> bool:
    indexes, defined = table.get(_INDEXES, []), table.get("AttributeDefinitions")
    lists = isinstance(indexes, list) and isinstance(defined, list)
    return (
        lists
        and all(isinstance(each, Mapping) and "AttributeName" in each for each in defined or ())
        and all(isinstance(each, Mapping) and {"IndexName", "KeySchema", "Projection"} <= set(each) for each in indexes)
    )


def _changes(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> list[Change]:
    """In the order in which they are made: room first."""
    if old is None or new is None or old.get("TableName") != new.get("TableName"):
        return []  # a table that is made comes with all its indexes
    before, after = _indexes(old), _indexes(new)
    gone: list[Change] = [(name, None) for name in before if name not in after]
    for name, index in after.items():
        if name in before and _form(before[name]) != _form(index):
            gone += [(name, None), (name, index)]
    return gone + [(name, index) for name, index in after.items() if name not in before]


def _indexes(table: Mapping[str, Any]) -> dict[str, Index]:
    return {index["IndexName"]: index for index in table.get(_INDEXES, ())}


def _form(index: Index) -> tuple[Any, Any]:
    """What cannot be changed in place."""
    return index["KeySchema"], index["Projection"]


def _step(
    old: Mapping[str, Any], new: Mapping[str, Any], changes: Mapping[str, Sequence[Change]], number: int
) -> dict[str, Any]:
    made = copy.deepcopy(dict(new))
    for name, listed in changes.items():
        before, after = _table(old, name), _table(new, name)
        assert before is not None
        assert after is not None
        held = {each: _indexes(after).get(each, index) for each, index in _indexes(before).items()}
        undone = {each for each, _ in listed}
        held |= {each: index for each, index in _indexes(before).items() if each in undone}
        for each, index in listed[:number]:
            held.pop(each, None)
            if index is not None:
                held[each] = index
        _put(made["Resources"][name]["Properties"], list(held.values()), before, after)
    return made


def _put(table: dict[str, Any], indexes: list[Index], before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """These indexes, and the definitions of the attributes that are still keys, which must be no more than those."""
    table.pop(_INDEXES, None)
    if indexes:
        table[_INDEXES] = indexes
    holders = [table, *indexes, *table.get("LocalSecondaryIndexes", ())]
    needed = {part["AttributeName"] for holder in holders for part in holder["KeySchema"]}
    known = {one["AttributeName"]: one for one in (*before["AttributeDefinitions"], *after["AttributeDefinitions"])}
    table["AttributeDefinitions"] = [one for name, one in known.items() if name in needed]
