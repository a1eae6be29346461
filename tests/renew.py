"""`make renew`: write anew what is made from the code; `make renew WHAT="docs lock"` does a part of it.

    faces      sekkei/design/sync_database.py, from database.py
    lock       requirements/*.txt, the bill of materials and the list of licences, from pyproject.toml (needs uv)
    measure    measured.json beside the designs: units of every pattern
    journeys   journeys.json beside the designs: units of what users do
    docs       docs/designs, docs/scale.md and its pictures, from the designs and the units
    budgets    tests/budgets.toml: store calls of every route
    calls      calls.json beside the designs: what functions may ask of their tables (takes as long as the tests)
    pictures   docs/pictures of the console (needs Chromium)

tests/test_renew.py names every file of faces, lock and docs that is stale; what is measured has tests of its own.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from sekkei import cli
from sekkei.design import sync_codegen

ROOT = Path(__file__).parents[1]
SYSTEMS = ("chiipochi", "eventbot", "lessons", "q", "tasks")
COST = ["cost", *SYSTEMS, "--users", "1k,100k,10M", "--format", "md", "--pictures", "docs/pictures"]
CALLED_BY = ("tests/systems", "tests/web", "tests/runtime", "tests/worlds/test_seeds.py")
LOCK = (
    *("uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"),
    *("--no-emit-index-url", "--no-header", "--no-emit-package", "sekkei", "--extra", "server", "--extra", "build"),
)
PROJECTS = ("pyproject.toml", "systems/pyproject.toml")


def face() -> dict[str, str]:
    """Return the synchronous face of a database."""
    return {"sekkei/design/sync_database.py": sync_codegen.generate()}


def documents() -> dict[str, str]:
    """Return the documents of the designs, and the page about scale with its pictures, by path."""
    made = {
        f"docs/designs/{system}.{language}.md": _printed("docs", system, "--lang", language)
        for system in SYSTEMS
        for language in ("ja", "en")
    }
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        pictures = Path("docs/pictures")
        pictures.mkdir(parents=True)
        made["docs/scale.md"] = _printed(*COST)
        made |= {path.as_posix(): path.read_text("utf-8") for path in pictures.iterdir()}
    return made


def _printed(*arguments: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = cli.main(list(arguments))
    if code:
        raise SystemExit(f"sekkei {' '.join(arguments)}: exit code {code}")
    return out.getvalue()


def _write(made: Callable[[], dict[str, str]]) -> None:
    for path, text in made().items():
        (ROOT / path).write_text(text, "utf-8")


def _python(*arguments: str, **environ: str) -> None:
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=os.environ | environ, check=True)


def _lock() -> None:
    """Pin what tests need, then what runs, with the same versions."""
    dev = ("--extra", "dev", "--override", "requirements/overrides.txt", "-o", "requirements/dev.txt")
    run = ("--constraint", "requirements/dev.txt", "-o", "requirements/run.txt")
    for options in (dev, run):
        subprocess.run([*LOCK, *options, *PROJECTS], cwd=ROOT, check=True)
    _python("requirements/supply.py", "write")


def _measure(*options: str) -> None:
    for system in SYSTEMS:
        if cli.main(["measure", system, *options]):
            raise SystemExit(f"{system} could not be measured")


def _calls() -> None:
    shutil.rmtree(ROOT / ".calls", ignore_errors=True)
    noting = {"SEKKEI_WRITE_CALLS": str(ROOT / ".calls")}
    _python("-m", "pytest", "-q", *CALLED_BY, "-m", "not torture", "-n", "auto", **noting)
    _python("-m", "tests.calls", ".calls")


STEPS: dict[str, Callable[[], None]] = {
    "faces": lambda: _write(face),
    "lock": _lock,
    "measure": _measure,
    "journeys": lambda: _measure("--journeys"),
    "docs": lambda: _write(documents),
    "budgets": lambda: _python("-m", "pytest", "-q", "tests", "-k", "test_authorisation", SEKKEI_WRITE_BUDGETS="1"),
    "calls": _calls,
    "pictures": lambda: _python("-m", "tests.pictures"),
}


def main(names: list[str]) -> None:
    """Run these steps, or all of them, in the order in which one needs another."""
    if unknown := [name for name in names if name not in STEPS]:
        raise SystemExit(f"Nothing to renew is called {', '.join(unknown)}. Choose from: {', '.join(STEPS)}.")
    for name, step in STEPS.items():
        if name in names or not names:
            print(f"renewing {name} ...", flush=True)
            step()


if __name__ == "__main__":
    main(sys.argv[1:])
