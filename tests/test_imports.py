"""What an import costs, in modules: how long one takes depends on the machine, how many there are does not. And modules
that import each other, where an import for a type or within a function counts as any other."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")
DESIGN_MAX = 60
HELP_MAX = 12
HEAVY = {"starlette", "jinja2", "msgspec", "cryptography", "httptools", "apsw", "PIL", "uvicorn", "asyncio"}
"""What neither a design nor `sekkei --help` has a use for."""
LOADED = """
import sys
kept = {name for name in sys.modules}
print(*sorted(name for name in kept if name.partition(".")[0] in ("sekkei", "sekkei_systems")))
print(*sorted({name.partition(".")[0] for name in kept}))
"""


def loaded(program: str) -> tuple[list[str], set[str]]:
    """Return our modules that a program has loaded when it is done, and the packages of all modules."""
    arguments = [sys.executable, "-c", program + LOADED]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=60)
    ours, packages = done.stdout.splitlines()[-2:]
    return ours.split(), set(packages.split())


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_design_loads_what_a_design_needs(system: str) -> None:
    program = f"import sekkei_systems.{system}.design as design\nassert type(design).__name__ == 'module', design\n"
    ours, packages = loaded(program)
    assert len(ours) <= DESIGN_MAX, ours
    assert packages & HEAVY == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_the_command_says_what_there_is_without_loading_it(arguments: list[str]) -> None:
    program = f"from sekkei.cli import main\ntry:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
    ours, packages = loaded(program)
    assert len(ours) <= HELP_MAX, ours
    assert packages & HEAVY == set()


@cache
def imports() -> dict[str, set[str]]:
    """Return each of our modules and those of ours that it imports, wherever in it."""
    paths = {}
    for folder in ("sekkei", "systems/sekkei_systems", "fakes/sekkei_fakes"):
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to((ROOT / folder).parent).with_suffix("").parts
            paths[".".join(parts[:-1] if path.name == "__init__.py" else parts)] = path
    return {name: set(imported(name, path, set(paths))) - {name} for name, path in paths.items()}


def imported(name: str, path: Path, ours: set[str]) -> Iterator[str]:
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            named = {f"{module}.{each.name}" for each in node.names}
            yield from named & ours
            if named - ours and module in ours:
                yield module
        elif isinstance(node, ast.Import):
            yield from {each.name for each in node.names} & ours


def reached(start: str) -> set[str]:
    seen, waiting = set[str](), [start]
    while waiting:
        for each in imports()[waiting.pop()] - seen:
            seen.add(each)
            waiting.append(each)
    return seen


def cycles() -> list[set[str]]:
    """Return the groups of modules that all need each other."""
    reach = {name: reached(name) for name in imports()}
    return [set(one) for one in {frozenset(m for m in reach[name] if name in reach[m]) for name in imports()} if one]


def known_cycles() -> dict[str, list[str]]:
    listed: dict[str, list[str]] = tomllib.loads((ROOT / "tests" / "import_cycles.toml").read_text("utf-8"))
    return listed


def test_modules_that_import_each_other_only_get_fewer() -> None:
    known = [set(group) for group in known_cycles().values()]
    for group in cycles():
        assert any(group <= each for each in known), f"Move what both need below them: {sorted(group)}"
    for name, listed in known_cycles().items():
        still = {module for group in cycles() if group <= set(listed) for module in group}
        rest = set(listed) - still
        assert not rest, f"These need each other no longer; take them off import_cycles.toml, {name}: {sorted(rest)}"
