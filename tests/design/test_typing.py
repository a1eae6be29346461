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


def said_by_mypy(*paths: Path) -> str:
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
    return done.stdout


def errors_of_mypy(*paths: Path) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {path.name: set() for path in paths}
    for path, line in re.findall(r"^(.+?):(\d+): error:", said_by_mypy(*paths), re.MULTILINE):
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


EXPLAINED = {
    "set(Task.title, 3)": 'Argument 2 to "set" of "Update" has incompatible type "int"; expected "str"',
    "set(Task.title, None)": 'Argument 2 to "set" of "Update" has incompatible type "None"; expected "str"',
    'set(Task.status, "todo")': 'Argument 2 to "set" of "Update" has incompatible type "str"; expected "Status"',
    "set(Task.title)": 'Missing positional argument "value" in call to "set" of "Update"',
}


@pytest.mark.timeout(200)
def test_mypy_explains_a_wrong_value_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "explained.py"
    lines = ["from tests.design.example import Task, tasks", *(f'tasks.update("t", "k").{call}' for call in EXPLAINED)]
    path.write_text("\n".join(lines) + "\n")
    said = said_by_mypy(path).splitlines()
    assert [line.split(" error: ")[1].rpartition("  [")[0] for line in said] == list(EXPLAINED.values())
