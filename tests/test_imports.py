"""What an import costs, in modules: how long one takes depends on the machine, how many there are does not."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
