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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import orjson

from sekkei import private
from sekkei.clock import SYSTEM
from sekkei.engine.history.streams import SEQ_MAX
from sekkei.engine.items.values import Item, item_size
from sekkei.engine.settings import DEFAULTS
from sekkei.engine.storage import ack_log, file, sql
from sekkei.engine.storage.catalogue import Table
from sekkei.engine.storage.snapshot import CRC_BYTES, Catalogue, seal, unseal
from sekkei.engine.storage.transaction import ABSENT, COLUMNS, ChangeRecord, Transaction
from sekkei.engine.upkeep import salvage
from sekkei.engine.upkeep.salvage import UNREADABLE, Found, Images, Reading, make_images, readable_key, rows_of
from sekkei.errors import DynamoDBError, NotOurFile


@dataclass(frozen=True, slots=True)
class _Gap:
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
    gaps: list[_Gap] = field(default_factory=list)
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
        report = Report()
        if not images.says_ours:
            _check_is_ours(images)
            report.notes.append("The first page says that the file is not a Sekkei store, but what is in it is one.")
        damaged = [
            said for image in (images.whole, images.older) if (said := salvage.mend_schema(image, images.page_size))
        ]
        report.notes += damaged[:1]
        _rebuild(images, folder / "new.db", path, with_doubtful, report)
        (folder / "new.db").rename(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report


def _check_is_ours(images: Images) -> None:
    try:
        ours = salvage.is_ours(images.whole)
    except apsw.Error:
        ours = False
    if not ours:
        raise NotOurFile("Neither the first page nor its list of tables is a Sekkei store's; nothing can be recovered.")


def _rebuild(images: Images, new: Path, path: Path, with_doubtful: bool, report: Report) -> None:
    sound, old = salvage.open_image(images.whole), salvage.open_image(images.older)
    try:
        try:
            report.lost_commits = ack_log.lost(sound, str(path))
        except (*UNREADABLE, TypeError, ValueError):
            report.notes.append("The count of commits cannot be read: the last ones may be missing.")
        connection = file.connect(str(new))
        try:
            _Rebuilding(sound, old, connection, report, with_doubtful).run()
        finally:
            file.close(connection)
    finally:
        sound.close()
        old.close()
    settled = apsw.Connection(str(new))
    settled.pragma("journal_mode", "delete")
    settled.close()


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
        self._changes()
        self._streams()
        backups = self._backups()
        tables = self._tables()
        for table in tables:
            self._fill(table, backups)
        self._name_lost_tables({table.id for table in tables}.union(*backups.values()))
        self._sealed("tokens", "token, digest, answer, time_ms", lambda t, d, a, m: unseal(a, "token", t, d, m))
        self._sealed("documents", "kind, id, body", lambda kind, id, body: unseal(body, kind, id))
        self._counters(tables)
        self._name_shared_pages()
        self.transaction.flush_statistics()
        self.new.execute("COMMIT")

    def _name_shared_pages(self) -> None:
        """What is whole in a page that has come to the place of another is not what was there."""
        with contextlib.suppress(*UNREADABLE):
            for (finding,) in self.sound.execute("PRAGMA integrity_check(100000)"):
                if "2nd reference" in str(finding):
                    self._note("Two tables have the same pages: items may be another's, or of an older version.")

    def _rows(self, table: str, columns: str) -> list[Any]:
        """What is whole of a small table; a note if that may not be all."""
        rows, complete = rows_of(self.sound, table, columns)
        self._judge(table, complete)
        return rows

    def _judge(self, table: str, complete: bool) -> None:
        if not complete:
            self._note(f"A part of what the file keeps in `{table}` cannot be read.")
            return
        try:
            in_order = self.sound.pragma("integrity_check", table) == "ok"
        except UNREADABLE:
            in_order = False
        if not in_order:
            self._note(f"What the file keeps in `{table}` is out of order; some of it may be missing.")

    def _note(self, note: str) -> None:
        if note not in self.report.notes:
            self.report.notes.append(note)

    def _insert(self, table: str, columns: str, row: Sequence[Any]) -> None:
        """What is there twice is damaged, and one of them is kept."""
        places = ", ".join("?" * len(row))
        self.new.execute(f"INSERT OR IGNORE INTO {table}({columns}) VALUES ({places})", tuple(row))
        if not self.new.changes():
            self._note(f"A record of {table} is there twice; one was left out.")

    def _counters(self, tables: list[Table]) -> None:
        """Ids go on beyond all that were given out, whatever the damaged file says of them."""
        used = [id for table in tables for id in (table.id, table.ttl_index_id or 0)]
        used += [index.id for table in tables for index in table.indexes.values()]
        for name in ("streams", "backups"):
            used += [id for (id,) in rows_of(self.new, name, "id")[0]]
        named = [str(name).rpartition("_")[2] for (name,) in rows_of(self.old, "sqlite_schema", "name")[0]]
        used += [int(id) for id in named if id.isdigit()]
        version, next_id = 1, max(used, default=0) + 1
        for said in rows_of(self.old, "catalogue", "version, next_id")[0]:
            if all(isinstance(number, int) and 0 < number < SEQ_MAX // 2 for number in said):
                version, next_id = said[0] + 1, max(next_id, said[1])
        self.new.execute("UPDATE catalogue SET version = ?, next_id = ?", (version, next_id))
        for id, commits, store in rows_of(self.old, "statistics", "id, items, bytes")[0]:
            if id == 0 and isinstance(commits, int) and isinstance(store, int):
                # A number of its own: nothing that was acknowledged for the old store is asked of this one.
                self._insert("statistics", "id, items, bytes", (0, commits, store ^ 1))

    def _tables(self) -> list[Table]:
        found: dict[int, Table] = {}
        # As bytes: a name that is no text any more would take its row along.
        columns = "id, CAST(name AS BLOB), record"
        rows = self._rows("tables", columns)
        known = {id for id, _, _ in rows}
        for row in rows_of(self.old, "tables", columns)[0]:
            if row[0] not in known:
                self._note(f"Table {_as_text(row[1])}: its record is of an older version.")
                rows.append(row)
        for id, name, record in rows:
            opened = self._opened(id, _as_text(name), record)
            if opened is None:
                self._note(f"Table {_as_text(name)}: its record is damaged, so its items cannot be told apart.")
            elif opened[0] in found or opened[1] in [table.name for table in found.values()]:
                self._note(f"Table {opened[1]}: its record is there twice; one was left out.")
            else:
                found[opened[0]] = Table(opened[0], self._restarted(opened[0], opened[2]))
        return list(found.values())

    def _opened(self, id: Any, name: Any, record: Any) -> tuple[int, str, dict[str, Any]] | None:
        """Id, name and content of a table's record. Its seal says them even where the row says them wrongly."""
        try:
            return id, name, unseal(record, "table", name, id)
        except DynamoDBError:
            pass
        with contextlib.suppress(TypeError, ValueError, KeyError):
            said = orjson.loads(record[CRC_BYTES:])["TableName"]
            for other in {id, *self._ids_of_items()}:
                with contextlib.suppress(DynamoDBError):
                    found = (other, said, unseal(record, "table", said, other))
                    self._note(f"Table {said}: its record was told by its seal.")
                    return found
        return None

    def _ids_of_items(self) -> list[int]:
        names = [str(name).partition("_") for (name,) in rows_of(self.old, "sqlite_schema", "name")[0]]
        return [int(id) for kind, _, id in names if kind == "items" and id.isdigit()]

    def _name_lost_tables(self, known: set[int]) -> None:
        if self._rows("jobs", "id"):
            # What was being dropped, copied or restored is nobody's yet, or any more.
            self._note("Work under way (backups, restores, imports, drops) was given up.")
            return
        for id in self._ids_of_items():
            if id not in known and not self.report.notes:
                self._note(f"The record of a table is lost, and with it its items (items_{id}).")

    def _restarted(self, id: int, record: dict[str, Any]) -> dict[str, Any]:
        """History may have holes: a restore to an earlier second is possible from now on only. Jobs end here."""
        record = copy.deepcopy(record)
        record.pop("Copies", None)
        open_streams = self.new.execute("SELECT 1 FROM streams WHERE table_id = ? AND last_seq IS NULL", (id,))
        if "StreamSpecification" in record and not open_streams.fetchall():
            del record["StreamSpecification"]
            self._note(f"Table {record['TableName']}: its stream is lost, and is off from now on.")
        if record.pop("TableStatus", None) is not None:
            record.get("RestoreSummary", {}).update(RestoreInProgress=False)
            self._note(f"Table {record['TableName']}: it was being restored or imported, and has what had come so far.")
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
        found = salvage.rescue(self.sound, self.old, table.id)
        for key, (blob, _, crc) in self._kept(found):
            item = orjson.loads(blob)
            if not _is_of(table, key, item):
                self._note(f"Table {table.name}: an item that is not at its own key was left out.")
                continue
            size = item_size(item)
            row = self.transaction.load(table.id, key, blob, size, crc)
            self.transaction.index(table, key, row, ABSENT, (item, size))
            self.report.items += 1
        for why, keys in (("missing", found.missing), ("doubtful", sorted(found.doubtful))):
            self.report.gaps += self._gaps(table, found, keys, why, backups.get(table.name, []))
        if found.unreadable:
            self._note(f"Table {table.name}: a part of its keys cannot be read; more may be missing.")

    def _kept(self, found: Found) -> Iterator[tuple[bytes, tuple[bytes, int, int]]]:
        yield from found.whole.items()
        if self.with_doubtful:
            yield from found.doubtful.items()

    def _gaps(self, table: Table, found: Found, keys: list[bytes], why: str, backups: list[int]) -> Iterator[_Gap]:
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
            yield _Gap(table.name, readable_key(table, run[0]), readable_key(table, run[-1]), len(run), why, held)

    def _has(self, backup: int, key: bytes) -> bool:
        return bool(self.new.execute(f"SELECT 1 FROM items_{backup} WHERE key = ?", (key,)).fetchall())

    def _backups(self) -> dict[str, list[int]]:
        """The backups inside the store, by their table's name; a backup that is not whole is left out."""
        made: dict[str, list[int]] = {}
        for id, arn, record in self._rows("backups", "id, arn, record"):
            try:
                description = unseal(record, "backup", arn, id)
            except DynamoDBError:
                self._note(f"Backup {arn}: its record is damaged.")
                continue
            found = salvage.rescue(self.sound, self.old, id)
            if found.missing or found.doubtful or found.unreadable or description["BackupStatus"] != "AVAILABLE":
                self._note(f"Backup {arn}: it is not whole and was left out.")
                continue
            self._insert("backups", "id, arn, record", (id, arn, record))
            self.transaction.create_items(id)
            for key, (blob, _, crc) in found.whole.items():
                self.transaction.load(id, key, blob, item_size(orjson.loads(blob)), crc)
            made.setdefault(description["Table"]["TableName"], []).append(id)
        return made

    def _changes(self) -> None:
        """Stream records that are whole. New ones get numbers beyond all that were given out."""
        last = 0
        reading = Reading()
        for _, *row in reading.rows(self.sound, "changes", COLUMNS):  # one by one: there can be many
            change = ChangeRecord(*row)
            if change.is_sound:
                self._insert("changes", COLUMNS.replace("changes.", ""), row)
                last = max(last, change.seq)
            else:
                self._note(f"Stream record {change.seq} is damaged and was left out.")
        self._judge("changes", reading.complete)
        for name, seq in rows_of(self.sound, "sqlite_sequence", "name, seq")[0]:
            if name == "changes" and isinstance(seq, int) and seq < SEQ_MAX // 2:
                last = max(last, seq)
        self.new.execute("DELETE FROM sqlite_sequence WHERE name = 'changes'")
        self.new.execute("INSERT INTO sqlite_sequence(name, seq) VALUES ('changes', ?)", (last,))

    def _streams(self) -> None:
        columns = "id, table_id, arn, first_seq, last_seq, closed_ms, record"
        last = 0
        for row in self._rows("streams", columns):
            try:
                unseal(row[-1], "stream", *row[:-1])
            except DynamoDBError:
                self._note(f"The record of stream {row[2]} is damaged and was left out.")
                continue
            self._insert("streams", columns, row)
            last = max(last, row[3] - 1, row[4] or 0)
        self.new.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'changes'", (last,))

    def _sealed(self, name: str, columns: str, check: Any) -> None:
        for row in self._rows(name, columns):
            try:
                check(*row)
            except DynamoDBError:
                self._note(f"A record of {name} is damaged and was left out.")
                continue
            self._insert(name, columns, row)


def _as_text(name: object) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _is_of(table: Table, key: bytes, item: Item) -> bool:
    try:
        return table.key_bytes(item) == key
    except (KeyError, TypeError, ValueError):
        return False
