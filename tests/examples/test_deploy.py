"""The deployment examples say what our commands and settings understand."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.runtime.ends import MAIL, problems
from sekkei.runtime.settings import from_environment

TOP = Path(__file__).parents[2]
DEPLOY = TOP / "examples" / "deploy"


def settings_in(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return {name: shlex.split(value)[0] if value else "" for name, _, value in (line.partition("=") for line in lines)}


def test_filled_in_the_settings_start_a_system() -> None:
    given = settings_in(DEPLOY / "tasks.env")
    empty = {name for name, value in given.items() if not value}
    assert empty == {"SEKKEI_SECRET", "SEKKEI_METRICS_TOKEN"}
    settings = from_environment({**given, **dict.fromkeys(empty, "0123456789abcdef")})
    assert problems([MAIL], settings, ()) == []


def test_every_setting_is_one_that_somebody_reads() -> None:
    sources = "".join(path.read_text("utf-8") for path in (TOP / "sekkei").rglob("*.py"))
    for name in settings_in(DEPLOY / "tasks.env"):
        assert name in sources, name


@pytest.mark.parametrize("name", ["sekkei.service", "Dockerfile"])
def test_the_commands_are_understood(name: str) -> None:
    text = (DEPLOY / name).read_text("utf-8")
    found = re.search(r"^ExecStart=\S+/sekkei (.+)$", text, re.MULTILINE)
    words = found[1].split() if found else json.loads(re.findall(r"^CMD (\[.+\])$", text, re.MULTILINE)[-1])
    arguments = cli.parser(words[0]).parse_args(words)
    assert (arguments.name, arguments.port, arguments.no_demo) == ("tasks", 8000, True)


def test_what_is_copied_into_the_image_is_there() -> None:
    named = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert [part for line in named for part in line.split() if not (TOP / part).exists()] == []
    let_through = (TOP / ".dockerignore").read_text("utf-8").split()
    assert {part for line in named for part in line.split()} <= {one.removeprefix("!") for one in let_through}


def test_what_the_wheels_carry_is_copied_into_the_image() -> None:
    """A wheel is not built where a file of its `sbom-files` is missing."""
    named = re.findall(r"^COPY (?!--from)(\S+) (\S+)$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    wheel = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert [file for file in wheel["sbom-files"] if (file, file) not in named] == []


def test_the_guide_names_every_file() -> None:
    guide = (TOP / "docs" / "running.md").read_text("utf-8")
    assert [path.name for path in DEPLOY.iterdir() if f"../examples/deploy/{path.name}" not in guide] == []
