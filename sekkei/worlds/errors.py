"""What breaks a world (a promise that fails, or the code of the script), and what is wrong with a script itself."""

from __future__ import annotations

import inspect
import logging
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from typing import Any

import sekkei
from sekkei.runtime.design import design as runtime_design
from sekkei.web.identity.design import design as identity_design
from sekkei.worlds.chance import ASKER
from sekkei.worlds.script import Script

# What breaks a world: a promise that does not hold, or the script's own code.


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


# What is wrong with a script itself, and not with the systems in it.


_NEVER_RUN = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)


def mistakes(script: Script) -> Iterator[str]:
    """Why hardly anything would happen in it, or a promise would never be looked at."""
    if not script.background and not script.operations:
        yield "nobody does anything in it: declare operations with `does`"
    yield from _mistakes_of_people(script)
    promises = [*(each for each, _ in script.on_commit), *script.at_the_end]
    for called in (*promises, *script.before):
        if any(kind(called) for kind in _NEVER_RUN):
            yield f"{_name(called)} is called and not awaited: make it a plain function"
    designs = (*(system.design for system in script.systems), runtime_design, identity_design)
    known = sorted({name for design in designs for name in design.tables})
    for promise, tables in script.on_commit:
        for table in tables:
            if table not in known:
                yield f"{_name(promise)} looks at the table {table}, which is in no design: {', '.join(known)}"
    if script.processes < 1 or not script.starts or not script.seconds > 0:
        yield "it needs a process, a second and a moment to start at, at least"


def _mistakes_of_people(script: Script) -> Iterator[str]:
    for role in script.roles.values():
        if role.count < 1:
            yield f"there is no {role.name}: {role.count} of them"
    for operation in script.operations:
        if operation.role not in script.roles:
            roles = ", ".join(script.roles) or "none"
            yield f"{operation.name} is done by {operation.role}, and no such role is declared: there is {roles}"
        if not operation.weight > 0:
            yield f"{operation.name} has the weight {operation.weight}: nobody would do it"


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))
