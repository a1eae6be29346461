"""What is stored, for those who look after every commit: only rows that were written are read and decoded again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sekkei.store.protocol import Request, Response

Item = dict[str, Any]


class Mirror:
    """The tables of a store, row by row; `ask` carries out one call at once."""

    def __init__(self, ask: Callable[[str, Request], Response]) -> None:
        self._ask = ask
        self._tables: dict[str, _Table] = {}

    def written(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Rows, or their keys, that are now perhaps different."""
        for name, row in rows:
            if name in self._tables:
                self._tables[name].touch(row)

    def forget(self) -> None:
        """Anything may be different now."""
        self._tables.clear()

    def items(self, table: str) -> list[Item]:
        return list(self._table(table).items().values())

    def decoded(self, table: str, decode: Callable[[Item], Any]) -> list[Any]:
        """The same as models; each row is decoded once."""
        found = self._table(table)
        models = found.models
        for place, item in found.items().items():
            if place not in models:
                models[place] = decode(item)
        return [models[place] for place in found.items()]

    def _table(self, name: str) -> _Table:
        if name not in self._tables:
            self._tables[name] = _Table(self._ask, name)
        return self._tables[name]


class _Table:
    def __init__(self, ask: Callable[[str, Request], Response], name: str) -> None:
        self._ask, self._name = ask, name
        schema = ask("DescribeTable", {"TableName": name})["Table"]["KeySchema"]
        self._key = [each["AttributeName"] for each in schema]
        self._items = {self._place(item): item for item in self._scanned()}
        self._touched: dict[str, Item] = {}
        self.models: dict[str, Any] = {}

    def _scanned(self) -> list[Item]:
        found: list[Item] = []
        request: dict[str, Any] = {"TableName": self._name, "ConsistentRead": True}
        while True:
            answer = self._ask("Scan", request)
            found += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return found
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _place(self, row: Mapping[str, Any]) -> str:
        return repr([row[name] for name in self._key])

    def touch(self, row: Mapping[str, Any]) -> None:
        self._touched[self._place(row)] = {name: row[name] for name in self._key}

    def items(self) -> dict[str, Item]:
        for place, key in self._touched.items():
            self.models.pop(place, None)
            found = self._ask("GetItem", {"TableName": self._name, "Key": key, "ConsistentRead": True}).get("Item")
            if found is None:
                self._items.pop(place, None)
            else:
                self._items[place] = found
        self._touched.clear()
        return self._items
