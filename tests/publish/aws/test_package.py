"""What goes into a function's package."""

from __future__ import annotations

import marshal
import subprocess
import sys
from pathlib import Path

import pytest

from sekkei.publish.aws import package
from sekkei.publish.aws.package import LEFT_OUT, wheels

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
WITHOUT = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {left_out!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Without())
import sekkei.web.on_lambda
from sekkei.runtime import discovery
discovery.load({system!r})
assert "jwt" not in sys.modules, "only who reads a token needs it"
"""


def test_what_pages_need_and_nothing_that_serves_or_stores() -> None:
    found = {each.partition("==")[0] for each in wheels(["sekkei[web]", "sekkei-systems"])}
    assert {"starlette", "msgspec", "jinja2", "cryptography", "orjson", "httptools"} <= found
    assert not found & LEFT_OUT
    assert "pytest" not in found


def test_versions_are_those_that_are_installed() -> None:
    assert all(each.count("==") == 1 and each.partition("==")[2] for each in wheels(["sekkei"]))


@pytest.mark.parametrize("system", ["chiipochi", "eventbot", "lessons", "q", "tasks"])
def test_functions_start_without_what_is_left_out(system: str) -> None:
    left_out = sorted(LEFT_OUT - {"sekkei", "sekkei-systems"})
    program = WITHOUT.format(left_out=left_out, system=system)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


def test_modules_are_compiled_for_the_place_where_they_run_alike_each_time(tmp_path: Path) -> None:
    made = []
    for time in ("once", "twice"):
        (tmp_path / time / "shop").mkdir(parents=True)
        (tmp_path / time / "shop/__init__.py").write_text("def where():\n    return where.__code__.co_filename\n")
        (tmp_path / time / "shop/template.py").write_text("{{ no python }}")
        package._compile(tmp_path / time, HERE)
        (compiled,) = (tmp_path / time).rglob("*.pyc")
        made.append(compiled.read_bytes())
    assert made[0] == made[1]
    assert marshal.loads(made[0][16:]).co_filename == "/var/task/shop/__init__.py"
    (tmp_path / "once/shop/__init__.py").write_text("raise SystemExit('compiled again')")
    done = subprocess.run([sys.executable, "-c", "import shop"], cwd=tmp_path / "once", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_without_an_interpreter_of_that_version_there_is_no_bytecode(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("")
    package._compile(tmp_path, "2.9")
    assert [path.name for path in tmp_path.rglob("*")] == ["shop.py"]
