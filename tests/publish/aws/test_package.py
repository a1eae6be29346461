"""What goes into a function's package."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sekkei.publish.aws.package import LEFT_OUT, wheels

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
