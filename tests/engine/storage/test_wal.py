"""SQLite's log read as bytes while others write to it: what they add or begin anew is no damage."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from sekkei.engine import Engine
from sekkei.engine.storage import file, wal

TABLE = {
    "TableName": "things",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A store whose log has a few commits, as a process that was killed leaves it."""
    made = tmp_path / "live.db"
    with Engine(made) as engine:
        await engine.call("CreateTable", TABLE)
        for number in range(4):
            await engine.call("PutItem", {"TableName": "things", "Item": {"id": {"S": str(number)}}})
        copy = tmp_path / "store.db"
        for suffix in ("", "-wal", "-shm"):
            Path(f"{copy}{suffix}").write_bytes(Path(f"{made}{suffix}").read_bytes())
    return copy


def damaged_frame(path: Path) -> int | None:
    connection = file.connect_to_read(str(path))
    try:
        return wal.damaged_frame(connection, str(path))
    finally:
        connection.close()


def commit_ends(path: Path) -> list[int]:
    header = wal._header(Path(f"{path}-wal"))
    assert header is not None
    found = wal.frames(Path(f"{path}-wal"), header)
    return [frame.number for frame in found if frame.pages and frame.salts == header.salts]


def told(monkeypatch: pytest.MonkeyPatch, *answers: int) -> None:
    """How far SQLite says it can read, one time after the other."""
    said: Iterator[int] = iter(answers)
    monkeypatch.setattr(wal, "_frames_read", lambda connection: next(said))


def test_all_is_well(path: Path) -> None:
    assert damaged_frame(path) is None
    assert len(commit_ends(path)) >= 4


def test_commits_made_meanwhile_are_no_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One was made and the next is under way: its frames are there, and the shared memory does not know them yet."""
    *_, before, made, _under_way = commit_ends(path)
    told(monkeypatch, before, made)
    assert damaged_frame(path) is None


def test_commits_that_cannot_be_read_are_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    *_, before, _, _ = commit_ends(path)
    told(monkeypatch, before, before)
    assert damaged_frame(path) == before + 1


def test_a_log_begun_anew_meanwhile_is_no_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Path(f"{path}-wal")

    def begun_anew(connection: object) -> int:
        """Another process has begun the log from its start: other salts, and frames of before behind them."""
        head = log.read_bytes()[:24]
        fresh = head[:16] + bytes(byte ^ 0xFF for byte in head[16:24])
        big_endian = bool(struct.unpack(">I", head[:4])[0] & 1)
        content = fresh + struct.pack(">2I", *wal.added((0, 0), fresh, big_endian))
        monkeypatch.setattr(wal, "_frames_read", lambda connection: 0)
        with open(log, "r+b") as opened:
            os.pwrite(opened.fileno(), content, 0)
        return 0

    monkeypatch.setattr(wal, "_frames_read", begun_anew)
    assert damaged_frame(path) is None
