"""Which systems are installed: what packages say in their entry points `sekkei.systems`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from sekkei.errors import ConfigurationError
from sekkei.runtime.system import System

GROUP = "sekkei.systems"

log = logging.getLogger("sekkei.runtime.discovery")


def optional(group: str, name: str, distribution: str) -> Any:
    """What an entry point names; where there is none, the error says which distribution brings it."""
    for point in entry_points(group=group, name=name):
        return point.load()
    raise ConfigurationError(f"{name} is not installed: pip install {distribution} (in a checkout: make setup).")


class NoSuchSystem(LookupError):
    """No system of this name is installed, or it does not load."""


def names() -> dict[str, str]:
    """Every system's name and where it is, as `module:attribute`; nothing is imported yet."""
    return {point.name: point.value for point in entry_points(group=GROUP)}


def load(name: str) -> System:
    """One system; raises NoSuchSystem."""
    known = names()
    if name not in known:
        installed = ", ".join(sorted(known)) or "none; five of them come with sekkei-systems"
        raise NoSuchSystem(f"There is no system {name}. Installed: {installed}.")
    return _load(known[name])


def _load(place: str) -> System:
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute, None)
    if not isinstance(found, System):
        raise NoSuchSystem(f"{module} has no {attribute}, so it is not a system yet.")
    return found


def load_all() -> tuple[list[System], Mapping[str, str]]:
    """Every system that loads, in the order of their names, and why the others do not."""
    systems: list[System] = []
    missing: dict[str, str] = {}
    for name, place in sorted(names().items()):  # asked once: it reads a file of every package that is installed
        try:
            systems.append(_load(place))
        except NoSuchSystem as error:
            missing[name] = str(error)
        except Exception as error:  # one broken system must not take the others with it
            log.exception("a system does not load", extra={"system": name})
            missing[name] = f"{type(error).__name__}: {error}"
    return systems, missing
