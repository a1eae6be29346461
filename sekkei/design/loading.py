"""Finding a design by the name that somebody typed."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from .design import Design
from .errors import DesignError


def load(name: str) -> Design:
    """The design that `name` means: a module, `module:attribute`, a package with a `design` module, or a system.

    `sekkei_systems.q.design:design`, `sekkei_systems.q.design`, `sekkei_systems.q` and `q` are the same.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    module_name, _, attribute = name.partition(":")
    for candidate in (f"{module_name}.design", module_name, f"sekkei_systems.{module_name}.design"):
        if not _exists(candidate):
            continue
        found = getattr(import_module(candidate), attribute or "design", None)
        if isinstance(found, Design):
            return found
    raise DesignError(
        "SK148", f"{name!r} names no design. Pass a module that has one called `design`, or module:attribute."
    )


def _of_a_system(name: str) -> list[str]:
    """Where the design of an installed system of this name is."""
    return [f"{point.module}.design" for point in entry_points(group="sekkei.systems", name=name)]


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
