"""Finding a design by the name that somebody typed."""

from __future__ import annotations

import hashlib
import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
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
    reach(file.resolve().parent if is_file else Path.cwd(), file.stem)
    for candidate in (name_of(file),) if is_file else _candidates(module_name):
        module = imported(candidate, module_name)
        found = getattr(module, attribute or "design", None)
        if isinstance(found, Design):
            return found, _home(sys.modules[candidate])
    raise DesignError("SK148", _no_design(name, file, is_file))


def reach(folder: Path, wanted: str) -> None:
    """Have modules of a folder found: first of all, unless one of Python's own has the name that is wanted."""
    here = str(folder)
    if here not in sys.path:
        sys.path.insert(len(sys.path) if wanted in sys.stdlib_module_names else 0, here)


def _no_design(name: str, file: Path, is_file: bool) -> str:
    systems = [point.name for point in entry_points(group="sekkei.systems")]
    close = get_close_matches(str(file), [*systems, *map(str, file.parent.glob("*.py"))], 1)
    meant = f" Did you mean {close[0]}?" if close and not is_file else ""
    if file.suffix == ".py" and not is_file:
        return f"{name!r} names no design: there is no such file.{meant}"
    return f"{name!r} names no design. Pass a module or file that has one called `design`, or module:attribute.{meant}"


def name_of(file: Path) -> str:
    """The module that a file is: its own name, unless that means something else already, as json.py would."""
    path = file.resolve()
    known = sys.modules.get(file.stem)
    if known is not None:
        origin = getattr(known, "__file__", None)
    else:
        spec = find_spec(file.stem)
        origin = spec.origin if spec is not None else None
    if origin is not None and Path(origin).resolve() == path and file.stem not in sys.stdlib_module_names:
        return file.stem
    name = f"{file.stem}_of_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    _FILES[name] = path
    return name


_FILES: dict[str, Path] = {}
"""Modules of files whose own name is taken."""


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
    return [
        f"{point.module.removesuffix('.system')}.design" for point in entry_points(group="sekkei.systems", name=name)
    ]


def imported(name: str, asked: str) -> ModuleType | None:
    """The module; None when there is none of this name. What goes wrong inside it is told."""
    try:
        if name in _FILES:
            return _of_file(name)
        return import_module(name) if find_spec(name) is not None else None
    except SekkeiError:
        raise
    except Exception as error:
        if _missing(error, name):
            return None
        what, where = _last_place(error)
        raise DesignError("SK160", f"{asked} could not be loaded: {what} ({where})") from error


def _of_file(name: str) -> ModuleType:
    if name not in sys.modules:
        spec = spec_from_file_location(name, _FILES[name])
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _missing(error: Exception, name: str) -> bool:
    """Is it this very module that is not there, and not one that it imports? Its parent may be no package either."""
    return isinstance(error, ModuleNotFoundError) and error.name is not None and f"{name}.".startswith(f"{error.name}.")


def _last_place(error: Exception) -> tuple[str, str]:
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg}", f"{error.filename}:{error.lineno}"
    places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    file, line = next(place for place in reversed(places) if "importlib" not in place[0])
    return f"{type(error).__name__}: {error}", f"{file}:{line}"
