"""A wheel alone, in an environment with nothing but what it asks for: the examples of README and plugin run there."""

from __future__ import annotations

import compileall
import json
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import boto3
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
SIZE_MAX = 25_000_000
README = """
import ast, asyncio, inspect, pathlib, re, sys

async def main() -> None:
    names = {}
    text = pathlib.Path(sys.argv[1]).read_text("utf-8")
    for block in re.findall(r"^```python\\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        running = eval(compile(block, sys.argv[1], "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.iscoroutine(running):
            await running

asyncio.run(main())
"""
PLUGIN = """
from sekkei.design import Attr, Design, Key, attr, model, part

design = Design("notes")
table = design.table("notes", "PK", discriminator="type")


@model
class Note:
    id: Attr[str] = part()
    text: Attr[str] = attr()


@table.entity(Note, type="note")
def notes(id: str) -> Key:
    return Key(f"NOTE#{id}")


def test_a_design(sekkei_sync_db):
    db = sekkei_sync_db(design)
    db.write(notes.create(Note(id="1", text="a")))
    assert db.get(notes("1")).text == "a"


def test_an_endpoint(sekkei_server):
    import boto3

    assert boto3.client("dynamodb", **sekkei_server.boto3).list_tables()["TableNames"] == []
"""


def _needed(roots: list[str]) -> Iterator[metadata.Distribution]:
    """Distributions that these requirements bring, as installed here."""
    waiting, seen = [Requirement(root) for root in roots], set[str]()
    while waiting:
        one = waiting.pop()
        if one.name in seen or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        seen.add(one.name)
        found = metadata.distribution(one.name)
        waiting += [Requirement(text) for text in found.requires or []]
        yield found


def _link(found: metadata.Distribution, packages: Path) -> None:
    """Make a distribution that is installed here importable there too."""
    tops = {file.parts[0] for file in found.files or [] if file.parts[0] not in ("..", "__pycache__")}
    for top in tops:
        here = Path(str(found.locate_file(top)))
        if here.exists() and not (packages / top).exists():
            (packages / top).symlink_to(here)


def _bytes(found: metadata.Distribution) -> int:
    paths = [Path(str(file.locate())) for file in found.files or []]
    return sum(path.stat().st_size for path in paths if path.exists())


class Clean:
    """A virtual environment that holds the wheel and what it asks for."""

    def __init__(self, folder: Path) -> None:
        build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
        making = [sys.executable, "-c", build, str(folder)]
        done = subprocess.run(making, cwd=ROOT, capture_output=True, text=True, check=True, timeout=100)
        venv.create(folder / "env", with_pip=False)
        paths = sysconfig.get_paths("venv", vars={"base": str(folder / "env"), "platbase": str(folder / "env")})
        self.folder, self.packages = folder, Path(paths["purelib"])
        self.python = Path(paths["scripts"]) / Path(sys.executable).name
        with zipfile.ZipFile(folder / done.stdout.split()[-1]) as wheel:
            wheel.extractall(self.packages)
        [own] = metadata.distributions(path=[str(self.packages)])
        self.needed = list(_needed(own.requires or []))
        for found in self.needed:
            _link(found, self.packages)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.python), "-I", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=100)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    return Clean(tmp_path_factory.mktemp("wheel"))


def test_it_asks_for_little(clean: Clean) -> None:
    assert {found.name for found in clean.needed} == {"apsw", "httptools", "orjson"}


def test_it_is_small_once_installed(clean: Clean) -> None:
    compileall.compile_dir(clean.packages / "sekkei", quiet=2)  # as pip does
    own = sum(path.stat().st_size for path in clean.packages.glob("sekkei*/**/*") if path.is_file())
    total = own + sum(map(_bytes, clean.needed))
    assert own > 1_000_000
    assert total < SIZE_MAX, f"{total / 1e6:.1f} MB"


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
def test_the_examples_of_the_readme_run(clean: Clean, readme: str) -> None:
    done = clean.run("-c", README, str(ROOT / readme))
    assert done.returncode == 0, done.stderr


def test_the_command_runs(clean: Clean) -> None:
    done = clean.run("-m", "sekkei", "--version")
    assert (done.returncode, done.stdout.split()[0]) == (0, "sekkei")


def test_the_engine_serves_without_uvloop(clean: Clean) -> None:
    command = [str(clean.python), "-I", "-m", "sekkei", "engine", "--memory", "--port", "0", "--log-format", "json"]
    with subprocess.Popen(
        command, cwd=clean.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as serving:
        try:
            assert serving.stdout is not None
            assert serving.stderr is not None
            url = next(found[0] for line in serving.stdout if (found := re.search(r"http://[\d.:]+", line)))
            asking = {"region_name": "us-east-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}
            client = boto3.client("dynamodb", endpoint_url=url, **asking)
            assert client.list_tables()["TableNames"] == []
            started = next(line for line in serving.stderr if '"started"' in line)
            assert json.loads(started)["event_loop"] == "asyncio"
        finally:
            serving.terminate()
            serving.communicate(timeout=60)
    assert serving.returncode == 0


def test_the_plugin_runs(clean: Clean) -> None:
    for found in _needed(["pytest", "boto3"]):
        _link(found, clean.packages)
    (clean.folder / "test_notes.py").write_text(PLUGIN)
    done = clean.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_notes.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
