"""What a store writes is for its owner alone."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from sekkei.engine import Engine
from sekkei.engine.history.buckets import Bucket
from sekkei.engine.settings import DEFAULTS
from sekkei.engine.upkeep.recover import recover
from sekkei.engine.upkeep.whole_file import copy_file
from sekkei.errors import NotOurFile
from sekkei.runtime.settings import from_environment
from tests.engine.conftest import Tables


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def lenient_umask() -> object:
    before = os.umask(0o022)
    yield
    os.umask(before)


async def test_files_and_a_new_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with Engine(folder / "store.db") as engine:
        await Tables(engine, None).create_plain()  # type: ignore[arg-type]
        files = sorted(folder.iterdir())
        assert [path.name for path in files] == ["store.db", "store.db-acknowledged", "store.db-shm", "store.db-wal"]
        assert {mode(path) for path in files} == {0o600}
        assert mode(folder) == 0o700
    copies = [tmp_path / "copies" / "copy.db", tmp_path / "recovered" / "copy.db"]
    copy_file(folder / "store.db", copies[0], lambda done, pages: None)
    recover(folder / "store.db", copies[1])
    assert [(mode(path), mode(path.parent)) for path in copies] == [(0o600, 0o700)] * 2


def test_what_is_exported(tmp_path: Path) -> None:
    Bucket(replace(DEFAULTS, s3_folder=tmp_path), "exports").write("2026/items.json", b"{}")
    assert mode(tmp_path / "exports" / "2026") == 0o700


def test_the_folder_of_a_secret_that_is_made_before_the_store(tmp_path: Path) -> None:
    from_environment({"SEKKEI_DATA": str(tmp_path / "data")})
    assert mode(tmp_path / "data") == 0o700
    assert mode(tmp_path / "data" / "secret") == 0o600


async def test_a_store_that_was_open_to_others_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    Engine(path).close()
    os.chmod(path, 0o644)
    os.chmod(tmp_path, 0o755)
    Engine(path).close()
    assert mode(path) == 0o600
    assert mode(tmp_path) == 0o755, "a folder that was there is its owner's business"


async def test_the_log_of_a_store_that_was_open_to_others(tmp_path: Path) -> None:
    alive, path = tmp_path / "alive.db", tmp_path / "store.db"
    with Engine(alive) as engine:
        await Tables(engine, None).create_plain()  # type: ignore[arg-type]
        for suffix in ("", "-wal"):
            Path(f"{path}{suffix}").write_bytes(Path(f"{alive}{suffix}").read_bytes())
            os.chmod(f"{path}{suffix}", 0o644)
    with Engine(path):
        assert {mode(found) for found in tmp_path.glob("store.db*")} == {0o600}


def test_what_is_no_store_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, text, other = tmp_path / "home", tmp_path / "text", tmp_path / "other.db"
    folder.mkdir()
    text.write_text("a letter" * 1000)
    connection = apsw.Connection(str(other))
    connection.execute("CREATE TABLE theirs(a)")
    connection.close()
    newer = tmp_path / "newer.db"
    Engine(newer).close()
    connection = apsw.Connection(str(newer))
    connection.pragma("user_version", 999)
    connection.close()
    paths = (folder, text, other, newer)
    monkeypatch.chdir(folder)
    for path in paths:
        os.chmod(path, 0o755)
    for path in (*paths, "", ".", "./"):
        with pytest.raises(NotOurFile, match="is a folder" if path in (folder, "", ".", "./") else None):
            Engine(path)
    assert [mode(path) for path in paths] == [0o755] * 4
    assert list(folder.iterdir()) == []
