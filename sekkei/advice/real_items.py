"""Real items to measure with: a DynamoDB export (DYNAMODB_JSON, as it lies in S3), or a store's file or snapshot.

stock = Stock(design)
stock.add_export("shop", Path("AWSDynamoDB/01700000000000-abc/data"))
await stock.add_store(Path("data/sekkei.db"), env="dev")
"""

from __future__ import annotations

import gzip
import json
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import apsw

from sekkei.advice import sample_data
from sekkei.design import Design, Entity, SekkeiError, Table
from sekkei.testing.stores import Snapshots

ITEMS_MAX = 50_000
"""Of a table; more do not make the figures better."""
Item = dict[str, Any]


class BadStock(ValueError):
    """Nothing to measure with; the text says why."""


class Stock:
    """Items by table, and what they are."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.items: dict[str, list[Item]] = {}
        self.strangers = 0
        """Items that are of no entity, or that their entity refuses."""
        self._instances: dict[Entity[..., Any], list[Any]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.items.values()))

    def add_export(self, table: str, path: Path) -> None:
        """One export: the folder that S3 has of it, its folder `data`, or a single file."""
        if table not in self.design.tables:
            raise BadStock(f"{self.design.name} has no table {table}. It has: {', '.join(self.design.tables)}.")
        files = sorted(_files(path))
        if not files:
            raise BadStock(f"{path} has no .json or .json.gz files of an export. Export as DYNAMODB_JSON.")
        for file in files:
            for item in _lines(file):
                if not self._add(self.design.tables[table], item):
                    return

    async def add_store(self, path: Path, env: str) -> None:
        """A copy of the file is read, so that it may be in use."""
        from sekkei.store import Embedded

        with tempfile.TemporaryDirectory(prefix="sekkei-measure-") as folder:
            copies = Snapshots(Path(folder))
            try:
                copies.take("stock", path)
            except apsw.NotADBError:
                raise BadStock(f"{path} is no file of a store.") from None
            store = Embedded(copies.path("stock"))
            try:
                there = {name for answer in [await store.call("ListTables", {})] for name in answer["TableNames"]}
                for table in self.design.tables.values():
                    name = self.design.table_name(table, env)
                    if name in there:
                        await self._scan(store, table, name)
            finally:
                await store.close()
        if not self.items:
            raise BadStock(f"{path} has none of the tables of {self.design.name} for the environment {env}.")

    async def _scan(self, store: Any, table: Table, name: str) -> None:
        request: dict[str, Any] = {"TableName": name}
        while True:
            answer = await store.call("Scan", request)
            for item in answer["Items"]:
                if not self._add(table, item):
                    return
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _add(self, table: Table, item: Item) -> bool:
        """Whether there is room for more."""
        kept = self.items.setdefault(table.name, [])
        kept.append(item)
        try:
            entity = table.entity_of(item)
            self._instances.setdefault(entity, []).append(entity.decode(item))
        except SekkeiError:
            self.strangers += 1
        return len(kept) < ITEMS_MAX

    def instance(self, entity: Entity[..., Any], number: int, per_partition: int = sample_data.PER_PARTITION) -> Any:
        """One of the real ones, where there are any."""
        real = self._instances.get(entity)
        if not real:
            return sample_data.instance(entity, number, per_partition)
        return real[number * 7919 % len(real)]  # neighbours in the file are neighbours in a partition


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for file in path.rglob("*.json*"):
        if file.name.endswith((".json", ".json.gz")) and not file.name.startswith("manifest"):
            yield file


def _lines(file: Path) -> Iterator[Item]:
    try:
        content = file.read_bytes()
        text = (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8")
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield from _item(line, f"{file}, line {number}")
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise BadStock(f"{file} cannot be read: {error}.") from error


def _item(line: str, where: str) -> Iterator[Item]:
    """A line of a full export has an Item; one of an incremental export a NewImage, and none for what was deleted."""
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadStock(f"{where} is no JSON: {error}. Export as DYNAMODB_JSON.") from error
    image = found.get("Item", found.get("NewImage")) if isinstance(found, Mapping) else None
    if image is None and isinstance(found, Mapping) and "Keys" in found:
        return
    if not isinstance(image, dict) or not all(
        isinstance(value, Mapping) and len(value) == 1 for value in image.values()
    ):
        raise BadStock(f'{where} is no item of an export: {{"Item": {{"name": {{"S": "…"}}}}}}.')
    yield image
