"""mypy and pyright accept right use and refuse wrong use, line by line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "typing"


def errors_of_mypy(*paths: Path) -> dict[str, set[int]]:
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--no-warn-unused-ignores",
        *map(str, paths),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, set[int]] = {path.name: set() for path in paths}
    for path, line in re.findall(r"^(.+?):(\d+): error:", done.stdout, re.MULTILINE):
        found.setdefault(Path(path).name, set()).add(int(line))
    return found


def errors_of_pyright(*paths: Path) -> dict[str, set[int]]:
    beside_python = str(Path(sys.executable).parent)
    program = shutil.which("pyright", path=os.pathsep.join([beside_python, os.environ.get("PATH", "")]))
    if program is None:
        pytest.skip("pyright is not installed: pip install pyright, or npm install pyright")
    command = [program, "--outputjson", "--pythonpath", sys.executable, *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        pytest.skip(f"pyright did not run: {done.stdout[:200]}{done.stderr[:200]}")
    found: dict[str, set[int]] = {path.name: set() for path in paths}
    for one in report["generalDiagnostics"]:
        if one["severity"] == "error":
            found.setdefault(Path(one["file"]).name, set()).add(one["range"]["start"]["line"] + 1)
    return found


def wrong_lines() -> set[int]:
    lines = (FOLDER / "wrong.py").read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# WRONG")}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("errors_of", [errors_of_mypy, errors_of_pyright], ids=["mypy", "pyright"])
def test_right_use_is_accepted_and_wrong_use_refused(errors_of: object) -> None:
    assert callable(errors_of)
    found = errors_of(FOLDER / "correct.py", FOLDER / "wrong.py")
    assert found["correct.py"] == set()
    assert len(wrong_lines()) > 45
    assert found["wrong.py"] == wrong_lines()
