"""Finding a design by the name that somebody typed."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

from .design import Design
from .errors import DesignError, SekkeiError


def load(name: str) -> Design:
    """The design that `name` means: a module, `module:attribute`, a package with a `design` module, a file or a system.

    `sekkei_systems.q.design:design`, `sekkei_systems.q.design`, `sekkei_systems.q` and `q` are the same, and so are
    `shop.py:design`, `shop.py` and `shop`.
    """
    return find(name)[0]


def find(name: str) -> tuple[Design, Path]:
    """The design that `name` means, and the file or folder that it lives in."""
    module_name, _, attribute = name.partition(":")
    file = Path(module_name)
    is_file = file.suffix == ".py" and file.is_file()
    here = str(file.resolve().parent if is_file else Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    for candidate in (file.stem,) if is_file else _candidates(module_name):
        module = _import(candidate, module_name)
        found = getattr(module, attribute or "design", None)
        if isinstance(found, Design):
            return found, _home(sys.modules[candidate])
    close = get_close_matches(module_name, [point.name for point in entry_points(group="sekkei.systems")], 1)
    meant = f" Did you mean {close[0]}?" if close else ""
    raise DesignError(
        "SK148",
        f"{name!r} names no design. Pass a module or file that has one called `design`, or module:attribute.{meant}",
    )


def measurements_beside(home: Path) -> Path:
    """Where the measured units of a design are kept."""
    return home / "measured.json" if home.is_dir() else home.with_suffix(".measured.json")


def _home(module: ModuleType) -> Path:
    path = Path(module.__file__ or "")
    return path.parent if path.name == "__init__.py" else path


def _candidates(name: str) -> tuple[str, ...]:
    return (f"{name}.design", name, *_of_a_system(name)) if name.strip(".") else ()


def _of_a_system(name: str) -> list[str]:
    """Where the design of an installed system of this name is."""
    return [f"{point.module}.design" for point in entry_points(group="sekkei.systems", name=name)]


def _import(name: str, asked: str) -> ModuleType | None:
    """The module; None when there is none of this name. What goes wrong inside it is told."""
    try:
        return import_module(name) if find_spec(name) is not None else None
    except SekkeiError:
        raise
    except Exception as error:
        if _missing(error, name):
            return None
        what, where = _last_place(error)
        raise DesignError("SK160", f"{asked} could not be loaded: {what} ({where})") from error


def _missing(error: Exception, name: str) -> bool:
    """Is it this very module that is not there, and not one that it imports? Its parent may be no package either."""
    return isinstance(error, ModuleNotFoundError) and error.name is not None and f"{name}.".startswith(f"{error.name}.")


def _last_place(error: Exception) -> tuple[str, str]:
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg}", f"{error.filename}:{error.lineno}"
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    file, line = next(place for place in reversed(places) if "importlib" not in place[0])
    return f"{type(error).__name__}: {error}", f"{file}:{line}"
