"""What most commands begin with: settings and a store, or one sentence that says what is wrong and what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sekkei.commands import STORE_FILE, CouldNotRun

SILENT_SECONDS = 1.0
"""For a store that has not answered yet."""

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


def settings_to_look(data: str | None) -> Settings:
    """The same for a command that only reads: no folder and no secret is made for it."""
    from sekkei.runtime.settings import Secrets

    known = os.environ.get("SEKKEI_SECRET") or _file_of(data).with_name("secret").is_file()
    return settings_of(data=data, **({} if known else {"secrets": Secrets(os.urandom(32))}))


def open_the_store(settings: Settings) -> Store:
    from sekkei.store import ConfigurationError, open_store

    path = settings.store or str(settings.data / STORE_FILE)
    try:
        with file_errors(path):
            return open_store(path)
    except ConfigurationError as error:
        raise CouldNotRun(f"SEKKEI_STORE: {error}") from error


@asynccontextmanager
async def said_while_waiting(store: str) -> AsyncIterator[None]:
    """Whoever starts something soon hears what it waits for; it goes on waiting."""
    import asyncio

    words = f"Waiting for the store {store} to answer; it is asked again and again, for 20 seconds or more."
    timer = asyncio.get_running_loop().call_later(SILENT_SECONDS, partial(print, words, file=sys.stderr, flush=True))
    try:
        yield
    finally:
        timer.cancel()


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


def _file_of(data: str | None) -> Path:
    """The store's file that a command is about: in the folder given, or in SEKKEI_DATA, or in ./data."""
    return Path(data or os.environ.get("SEKKEI_DATA") or "data") / STORE_FILE


def what_helps(damaged: str | os.PathLike[str]) -> str:
    return (
        f"`sekkei recover {damaged} --out NEW` saves what can be proven whole and lists the rest; "
        f"`sekkei restore BACKUP {damaged} --overwrite` puts a backup in its place (keep a copy of the damaged file)."
    )


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
            f"{path} is damaged: {error} Nothing was changed. `sekkei verify {path}` lists all that is wrong with it. "
            + what_helps(path)
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


STORE_HELP = "a file, dynamodb://REGION or an endpoint's URL (default: SEKKEI_STORE, or data/sekkei.db)"


def store_named(given: str | None, data: str | None = None) -> str:
    """What a command looks at: what it was given, or SEKKEI_STORE, or the file in the data folder."""
    return given or os.environ.get("SEKKEI_STORE") or str(_file_of(data))


def open_to_look(name: str, *, write: bool = False) -> Store:
    """A store that is there already. Unless `write`, it refuses whatever would change it, and nothing tends it."""
    from sekkei.store import ConfigurationError
    from sekkei.store.read_only import ReadOnly

    try:
        store = _open_remote(name) if "://" in name and not name.startswith("file:") else _open_file(name, write)
    except ConfigurationError as error:
        raise CouldNotRun(f"{name}: {error}") from error
    return store if write else ReadOnly(store)


def store_file(name: str) -> Path:
    """The file that a store's name means; a folder means the file in it."""
    path = Path(name.removeprefix("file://").removeprefix("file:"))
    return path / STORE_FILE if path.is_dir() else path


def _open_file(name: str, write: bool) -> Store:
    from sekkei.engine import Engine
    from sekkei.store import Embedded

    path = store_file(name)
    if not path.is_file():
        raise CouldNotRun(
            f"There is no store {path}. Name one that is there (--store or --data where the command has them, or "
            "SEKKEI_STORE), or make one: sekkei up, sekkei engine."
        )
    with file_errors(path):
        # Housekeeping deletes what has expired: nobody asked a looker for that.
        return Embedded(Engine(path) if write else Engine(path, housekeeping_seconds=None))


def _open_remote(name: str) -> Store:
    """An endpoint on this machine takes any signature, so nobody needs keys for it."""
    from urllib.parse import urlsplit

    from sekkei.store import Credentials, Remote, open_store

    local = name.startswith("http") and urlsplit(name).hostname in ("127.0.0.1", "::1", "localhost")
    if not local or os.environ.get("AWS_ACCESS_KEY_ID") or os.environ.get("AWS_PROFILE"):
        return open_store(name)
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
    return Remote(region, name, Credentials("local", "local"))
