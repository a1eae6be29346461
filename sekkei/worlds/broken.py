"""What breaks a world: a promise that does not hold, or the script's own code."""

from __future__ import annotations

import logging
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb

import sekkei
from sekkei.worlds.chance import ASKER

_ITSELF = "its own code failed: "
"""Of a promise or an operation: before what the error was."""
OTHERS = (str(Path(sekkei.__file__).parent), sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))


class Broken(AssertionError):
    """An invariant does not hold; `name` says which."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name = name


class Gone(ConnectionError):
    """The process that was asked has died, or does not answer."""


def is_mistake(broken: str) -> bool:
    """The script's own code failed, which says nothing of the system, or little."""
    return broken.partition(": ")[2].startswith(_ITSELF)


@contextmanager
def own_code(name: str) -> Iterator[None]:
    """A function of the script; what goes wrong in it breaks the world, by its name."""
    try:
        yield
    except (Broken, Gone):
        raise
    except AssertionError as error:
        raise Broken(name, str(error).split("\n")[0]) from error
    except Exception as error:
        raise Broken(name, _ITSELF + told(error)) from error


def told(error: BaseException) -> str:
    """What it was, and where in the code of whoever has to mend it."""
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    theirs = [place for place in places if not place[0].startswith((*OTHERS, "<"))]
    first = str(error).partition("\n")[0][:300]
    what = f"{type(error).__name__}: {first}" if first else type(error).__name__
    file, line = (theirs or places or [("nowhere", 0)])[-1]
    return f"{what} ({Path(file).name}:{line})"


class Errors(dict[str, str]):
    """What was logged last on behalf of whoever asked, by their name."""

    def note(self, error: BaseException) -> None:
        asker = ASKER.get(None)
        if asker is not None:
            self[asker.name] = told(error)


@contextmanager
def overheard() -> Iterator[Errors]:
    """Nobody reads the logs of a world. The errors in them are noted: an answer with 500 does not say why."""
    owner, errors = logging.Logger, Errors()
    handle, disabled = owner.handle, logging.root.manager.disable

    def hear(logger: logging.Logger, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and logger.name != "asyncio":
            errors.note(error)

    setattr(owner, "handle", hear)  # noqa: B010
    logging.disable(logging.ERROR - 1)
    try:
        yield errors
    finally:
        setattr(owner, "handle", handle)  # noqa: B010
        logging.disable(disabled)
