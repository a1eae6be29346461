"""The command's frame: help with examples, exit codes, and no heavy import before a command runs."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version

import pytest

from sekkei import cli
from sekkei.commands import CouldNotRun

HEAVY = ("apsw", "asyncio", "httptools", "orjson", "uvloop", "sekkei.engine", "sekkei.wire")


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "examples:" in said
    assert f"  sekkei {name}" in said


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    listed = {line.split()[0] for line in capsys.readouterr().out.splitlines() if re.match(r"    \w", line)}
    assert listed == set(cli.COMMANDS)


@pytest.mark.parametrize("arguments", [[], ["no-such-command"], ["verify"], ["engine", "--no-such-option"]])
def test_wrong_use(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    assert "usage: sekkei" in capsys.readouterr().err


def test_what_could_not_run_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(_: object) -> int:
        raise CouldNotRun("No. Do this instead.")

    monkeypatch.setattr("sekkei.commands.verify.run", run)
    assert cli.main(["verify", "x"]) == 2
    assert capsys.readouterr().err == "sekkei: No. Do this instead.\n"


@pytest.mark.parametrize("command", [["up"], ["serve", "tasks"], ["world", "tasks"]])
def test_a_command_without_the_packages_of_the_server_says_what_to_install(command: list[str]) -> None:
    program = (
        "import sys; sys.modules['starlette'] = None; sys.modules['msgspec'] = None;"
        f"from sekkei.cli import main; sys.exit(main({command!r}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("sekkei: ")
    assert last.endswith("pip install 'sekkei[server]'")


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from sekkei.cli import parser; parser().format_help();"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["engne"], "there is no command 'engne'. Did you mean engine?"),
        (["engine", "--memroy"], "unrecognized arguments: --memroy. Did you mean --memory?"),
        (["tables", "aply", "q"], "Did you mean apply?"),
        (["tables", "diff", "taks", "--store", ":memory:"], "Did you mean tasks?"),
    ],
)
def test_a_slip_is_told_with_what_was_meant(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = cli.main(arguments)
    except SystemExit as exit:
        code = exit.code
    assert code == 2
    assert told in capsys.readouterr().err


def test_version_and_python_m() -> None:
    done = subprocess.run([sys.executable, "-m", "sekkei", "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()[0]) == (0, "sekkei")
    assert done.stdout.split()[1] == version("sekkei")
