"""What is wrong with a script itself, and not with the systems in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from sekkei.runtime.design import design as runtime_design
from sekkei.web.identity.design import design as identity_design
from sekkei.worlds.script import Script

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
