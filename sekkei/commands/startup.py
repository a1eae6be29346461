"""What most commands begin with: settings and a store, or one sentence that says what is wrong and what to do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sekkei.commands import STORE_FILE, CouldNotRun

if TYPE_CHECKING:
    from sekkei.runtime.settings import Settings
    from sekkei.store.protocol import Store


def settings_of(**overrides: object) -> Settings:
    """Settings from `SEKKEI_*`, and what the command line says otherwise."""
    from sekkei.runtime.settings import from_environment

    try:
        return from_environment(None, **overrides)
    except ValueError as error:
        raise CouldNotRun(str(error)) from error
    except OSError as error:
        raise CouldNotRun(
            f"{error.filename}: {error.strerror}. Sekkei keeps its data there; name a folder that you may write to "
            "with --data, or make this one writable."
        ) from error


def open_the_store(settings: Settings) -> Store:
    from sekkei.store import ConfigurationError, open_store

    path = settings.store or str(settings.data / STORE_FILE)
    try:
        with file_errors(path):
            return open_store(path)
    except ConfigurationError as error:
        raise CouldNotRun(f"SEKKEI_STORE: {error}") from error


@contextmanager
def store_errors(store: str) -> Iterator[None]:
    """Whatever the first calls of a store can run into, in words."""
    from sekkei.errors import DynamoDBError, ResourceNotFoundException
    from sekkei.store import CredentialsError, NoAnswer

    try:
        yield
    except NoAnswer as error:
        raise CouldNotRun(f"The store does not answer. {error}. Is SEKKEI_STORE right, and is it running?") from error
    except CredentialsError as error:
        raise CouldNotRun(f"{store}: {error}") from error
    except ResourceNotFoundException as error:
        raise CouldNotRun(
            f"The store {store} lacks a table that this needs. `sekkei tables create DESIGN` makes a design's tables, "
            "`sekkei up` and `sekkei serve` all that a system needs; SEKKEI_ENV is part of their names."
        ) from error
    except DynamoDBError as error:
        raise CouldNotRun(f"The store {store} refused: {error.code}: {error.message}") from error


def file_of(data: str | None) -> Path:
    """The store's file that a command is about: in the folder given, or in SEKKEI_DATA, or in ./data."""
    return Path(data or os.environ.get("SEKKEI_DATA") or "data") / STORE_FILE


@contextmanager
def file_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever opening a file of ours can run into, in words."""
    import apsw

    from sekkei.errors import InternalServerError, NotOurFile

    try:
        yield
    except NotOurFile as error:
        raise CouldNotRun(str(error)) from error
    except (InternalServerError, apsw.CorruptError) as error:
        raise CouldNotRun(
            f"{path} is damaged: {error} Nothing was changed. `sekkei verify {path}` lists all that is wrong with it; "
            f"`sekkei restore BACKUP {path} --overwrite` puts a backup in its place (keep a copy of the damaged file)."
        ) from error
    except (apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise CouldNotRun(f"{path} cannot be written: {error}. Make the file and its folder writable.") from error
    except apsw.FullError as error:
        raise CouldNotRun(f"{path}: the disk is full. Make room and start again; nothing is lost.") from error
    except apsw.BusyError as error:
        raise CouldNotRun(
            f"{path} is locked by another program for longer than we waited. End it, or try again."
        ) from error
    except (apsw.IOError, apsw.CantOpenError) as error:
        raise CouldNotRun(f"{path} cannot be read or written: {error}. Check the disk and whose file it is.") from error
