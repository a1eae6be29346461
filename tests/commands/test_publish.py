"""`sekkei publish`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekkei import cli


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("cloudformation", "eventbot.template.json"),
        ("terraform", "main.tf.json"),
        ("workbench", "eventbot.workbench.json"),
        ("iam", "eventbot.policy.json"),
    ],
)
def test_files_are_written_and_compared(
    target: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["publish", "eventbot", "--to", target, "--out", str(tmp_path / "deploy")]
    assert cli.main([*arguments, "--check"]) == 1
    assert cli.main(arguments) == 0
    assert json.loads((tmp_path / "deploy" / name).read_text())
    assert cli.main([*arguments, "--check"]) == 0
    (tmp_path / "deploy" / name).write_text("{}")
    assert cli.main([*arguments, "--check"]) == 1
    assert "is not what the design says" in capsys.readouterr().out


def test_the_api_of_a_system(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["publish", "tasks", "--to", "openapi"]) == 0
    assert json.loads(capsys.readouterr().out)["openapi"].startswith("3.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eventbot", "--to", "punch-cards"], "There is no target punch-cards"),
        (["nothing", "--to", "iam"], "names no design"),
        (["eventbot", "--to", "iam", "--pattern", "nothing"], "has no pattern nothing"),
        (["eventbot", "--to", "iam", "--env", "a/b"], "--env"),
        (["eventbot", "--to", "iam", "--check"], "--out"),
        (["sekkei.runtime", "--to", "openapi"], "is no system"),
    ],
)
def test_mistakes_are_said_before_anything_is_written(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["publish", *arguments]) == 2
    assert said in capsys.readouterr().err
