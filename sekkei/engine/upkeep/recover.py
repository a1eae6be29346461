"""Out of a damaged store a new one, with everything that can be proven whole, and a list of what cannot.

An item is whole if its checksum says so and no page on the way to it is known to be an older version. An item that is
only found by way of an older page is doubtful: it may have been changed or deleted since. Keys that an index still has,
without their item, are missing. The damaged files are only read.
"""

from __future__ import annotations

import contextlib
import copy
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import orjson

from sekkei import private
from sekkei.clock import SYSTEM
from sekkei.engine.settings import DEFAULTS
from sekkei.engine.storage import acknowledged, file, sql
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.change_log import COLUMNS, ChangeRecord
from sekkei.engine.storage.sealed import seal, unseal
from sekkei.engine.storage.snapshot import Catalogue
from sekkei.engine.storage.transaction import ABSENT, Transaction
from sekkei.engine.upkeep.image import make_images
from sekkei.engine.upkeep.salvage import Found, readable_key, rows_of, salvage
from sekkei.errors import DynamoDBError, NotOurFile


@dataclass(frozen=True, slots=True)
class Gap:
    """Neighbouring keys of one table whose items are not in the new store."""

    table: str
    first: str
    last: str
    items: int
    why: str
    """missing or doubtful"""
    in_backups: int = 0
    """How many of them a backup inside the store has, if in an older version."""

    def __str__(self) -> str:
        span = f"the item {self.first}" if self.items == 1 else f"{self.items} items from {self.first} to {self.last}"
        verb = "is" if self.items == 1 else "are"
        held = f"; a backup in the store has {self.in_backups} of them" if self.in_backups else ""
        return f"Table {self.table}: {span} {verb} {self.why}{held}."


@dataclass(slots=True)
class Report:
    items: int = 0
    lost_commits: int = 0
    gaps: list[Gap] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        return not (self.lost_commits or self.gaps or self.notes)


def recover(path: Path, target: Path, *, with_doubtful: bool = False) -> Report:
    """Make the new store. With `with_doubtful`, doubtful items are kept in it as well; they are listed either way."""
    if not path.is_file():
        raise NotOurFile(f"There is no file {path}.")
    private.make_folder(target.parent)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        images = make_images(path, folder)
        report = _rebuild(images.whole, images.older, folder / "new.db", path, with_doubtful)
        (folder / "new.db").rename(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _rebuild(whole: Path, older: Path, new: Path, path: Path, with_doubtful: bool) -> Report:
    report = Report()
    with _opened(whole) as sound, _opened(older) as old:
        with contextlib.suppress(apsw.Error):
            report.lost_commits = acknowledged.lost(sound, str(path))
        connection = file.connect(str(new))
        try:
            _Rebuilding(sound, old, connection, report, with_doubtful).run()
        finally:
            file.close(connection)
    settled = apsw.Connection(str(new))
    settled.pragma("journal_mode", "delete")
    settled.close()
    return report


@contextlib.contextmanager
def _opened(image: Path) -> Iterator[apsw.Connection]:
    try:
        connection = apsw.Connection(
            f"file:{image}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
        connection.pragma("cell_size_check", True)
        if connection.pragma("application_id") != sql.APPLICATION_ID:
            raise NotOurFile("The first page says that the file is not a Sekkei store; nothing can be recovered.")
    except apsw.Error as error:
        raise NotOurFile(f"The first page cannot be read ({error}); nothing can be recovered.") from None
    try:
        yield connection
    finally:
        connection.close()


class _Rebuilding:
    """One new store in the making."""

    def __init__(
        self, sound: apsw.Connection, old: apsw.Connection, new: apsw.Connection, report: Report, with_doubtful: bool
    ) -> None:
        self.sound = sound
        self.old = old
        self.new = new
        self.report = report
        self.with_doubtful = with_doubtful
        self.transaction = Transaction(new, Catalogue(), DEFAULTS)

    def run(self) -> None:
        self.new.execute("BEGIN IMMEDIATE")
        self._counters()
        self._changes()
        backups = self._backups()
        tables = self._tables()
        for table in tables:
            self._fill(table, backups)
        self._name_lost_tables({table.id for table in tables}.union(*backups.values()))
        self._sealed("tokens", "token, digest, answer, time_ms", lambda t, d, a, m: unseal(a, "token", t, d, m))
        self._sealed("documents", "kind, id, body", lambda kind, id, body: unseal(body, kind, id))
        self.transaction.flush_statistics()
        self.new.execute("COMMIT")

    def _counters(self) -> None:
        for statement in ("SELECT version, next_id FROM catalogue",):
            for version, next_id in rows_of(self.old, statement):
                self.new.execute("UPDATE catalogue SET version = ?, next_id = ?", (version + 1, next_id))
        for commits, store in rows_of(self.old, sql.READ_COMMITS):
            # A number of its own: nothing that was acknowledged for the old store is asked of this one.
            self.new.execute("INSERT INTO statistics(id, items, bytes) VALUES (0, ?, ?)", (commits, store ^ 1))

    def _tables(self) -> list[Table]:
        found = []
        for id, name, record in rows_of(self.sound, sql.READ_TABLES) or rows_of(self.old, sql.READ_TABLES):
            try:
                found.append(Table(id, self._restarted(id, unseal(record, "table", name, id))))
            except DynamoDBError:
                self.report.notes.append(f"Table {name}: its record is damaged, so its items cannot be told apart.")
        return found

    def _name_lost_tables(self, known: set[int]) -> None:
        if rows_of(self.old, "SELECT 1 FROM jobs"):
            # What was being dropped, copied or restored is nobody's yet, or any more.
            self.report.notes.append("Work under way (backups, restores, imports, drops) was given up.")
            return
        for (name,) in rows_of(self.old, "SELECT name FROM sqlite_schema WHERE name GLOB 'items_[0-9]*'"):
            if int(name.partition("_")[2]) not in known and not self.report.notes:
                self.report.notes.append(f"The record of a table is lost, and with it its items ({name}).")

    def _restarted(self, id: int, record: dict[str, Any]) -> dict[str, Any]:
        """History may have holes: a restore to an earlier second is possible from now on only. Jobs end here."""
        record = copy.deepcopy(record)
        record.pop("Copies", None)
        open_streams = self.new.execute("SELECT 1 FROM streams WHERE table_id = ? AND last_seq IS NULL", (id,))
        if "StreamSpecification" in record and not open_streams.fetchall():
            del record["StreamSpecification"]
            self.report.notes.append(f"Table {record['TableName']}: its stream is lost, and is off from now on.")
        if "PointInTimeRecovery" in record:
            record["PointInTimeRecovery"]["Since"] = SYSTEM.now()
        return record

    def _fill(self, table: Table, backups: dict[str, list[int]]) -> None:
        self.new.execute(sql.INSERT_TABLE, (table.id, table.name, seal(table.record, "table", table.name, table.id)))
        self.transaction.create_items(table.id)
        for index in table.indexes.values():
            self.transaction.create_index(index.id)
        if table.ttl_index_id is not None:
            self.transaction.create_index(table.ttl_index_id)
        found = salvage(self.sound, self.old, table.id)
        for key, (blob, size, crc) in self._kept(found):
            row = self.transaction.load(table.id, key, blob, size, crc)
            self.transaction.index(table, key, row, ABSENT, (orjson.loads(blob), size))
            self.report.items += 1
        for why, keys in (("missing", found.missing), ("doubtful", sorted(found.doubtful))):
            self.report.gaps += self._gaps(table, found, keys, why, backups.get(table.name, []))
        if found.unreadable:
            self.report.notes.append(f"Table {table.name}: a part of its keys cannot be read; more may be missing.")

    def _kept(self, found: Found) -> Iterator[tuple[bytes, tuple[bytes, int, int]]]:
        yield from found.whole.items()
        if self.with_doubtful:
            yield from found.doubtful.items()

    def _gaps(self, table: Table, found: Found, keys: list[bytes], why: str, backups: list[int]) -> Iterator[Gap]:
        """Keys that no kept item lies between make one gap."""
        kept = sorted(found.whole)
        runs: list[list[bytes]] = []
        place = 0
        for key in keys:
            before = place
            while place < len(kept) and kept[place] < key:
                place += 1
            if runs and place == before:
                runs[-1].append(key)
            else:
                runs.append([key])
        for run in runs:
            held = sum(any(self._has(backup, key) for backup in backups) for key in run)
            yield Gap(table.name, readable_key(table, run[0]), readable_key(table, run[-1]), len(run), why, held)

    def _has(self, backup: int, key: bytes) -> bool:
        return bool(self.new.execute(f"SELECT 1 FROM items_{backup} WHERE key = ?", (key,)).fetchall())

    def _backups(self) -> dict[str, list[int]]:
        """The backups inside the store, by their table's name; a backup that is not whole is left out."""
        made: dict[str, list[int]] = {}
        for id, arn, record in rows_of(self.sound, "SELECT id, arn, record FROM backups"):
            try:
                description = unseal(record, "backup", arn, id)
            except DynamoDBError:
                self.report.notes.append(f"Backup {arn}: its record is damaged.")
                continue
            found = salvage(self.sound, self.old, id)
            if found.missing or found.doubtful or found.unreadable or description["BackupStatus"] != "AVAILABLE":
                self.report.notes.append(f"Backup {arn}: it is not whole and was left out.")
                continue
            self.new.execute("INSERT INTO backups(id, arn, record) VALUES (?, ?, ?)", (id, arn, record))
            self.transaction.create_items(id)
            for key, (blob, size, crc) in found.whole.items():
                self.transaction.load(id, key, blob, size, crc)
            made.setdefault(description["Table"]["TableName"], []).append(id)
        return made

    def _changes(self) -> None:
        """Stream records that are whole, and the streams they belong to."""
        last = 0
        for row in rows_of(self.sound, f"SELECT {COLUMNS} FROM changes ORDER BY seq"):
            change = ChangeRecord(*row)
            if change.is_sound:
                places = ", ".join("?" * len(row))
                self.new.execute(f"INSERT INTO changes VALUES ({places})", tuple(row))
                last = max(last, change.seq)
            else:
                self.report.notes.append(f"Stream record {change.seq} is damaged and was left out.")
        for row in rows_of(self.sound, "SELECT id, table_id, arn, record, first_seq, last_seq, closed_ms FROM streams"):
            last = max(last, row[4] - 1, row[5] or 0)
            self.new.execute("INSERT INTO streams VALUES (?, ?, ?, ?, ?, ?, ?)", tuple(row))
        self.new.execute("DELETE FROM sqlite_sequence WHERE name = 'changes'")
        self.new.execute("INSERT INTO sqlite_sequence(name, seq) VALUES ('changes', ?)", (last,))

    def _sealed(self, name: str, columns: str, check: Any) -> None:
        for row in rows_of(self.sound, f"SELECT {columns} FROM {name}"):
            try:
                check(*row)
            except DynamoDBError:
                self.report.notes.append(f"A record of {name} is damaged and was left out.")
                continue
            places = ", ".join("?" * len(row))
            self.new.execute(f"INSERT INTO {name}({columns}) VALUES ({places})", tuple(row))
