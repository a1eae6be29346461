"""`sekkei import-design`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sekkei import cli


def test_from_a_template_to_a_design_that_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["publish", "sekkei.runtime", "--to", "cloudformation", "--out", str(tmp_path)]) == 0
    (file,) = tmp_path.glob("*.template.json")
    out = tmp_path / "brought_in.py"
    assert cli.main(["import-design", str(file), "--out", str(out)]) == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    assert cli.main(["docs", "brought_in"]) == 0
    assert "due" in capsys.readouterr().out
    assert cli.main(["import-design", str(file), "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give a file, or --table"),
        (["no-such-file.json"], "No such file"),
        (["--table", "nothing", "--data", "DATA"], "There is no table nothing"),
    ],
)
def test_mistakes(arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [text.replace("DATA", str(tmp_path)) for text in arguments]
    assert cli.main(["import-design", *given]) == 2
    assert said in capsys.readouterr().err


def test_what_is_no_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stack.json").write_text("Resources: {}")
    assert cli.main(["import-design", str(tmp_path / "stack.json")]) == 2
    assert "is no JSON" in capsys.readouterr().err


def test_a_template_in_yaml(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stack.yaml").write_text(
        """
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${Env}-orders"
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      Tags: [{Key: team, Value: !GetAtt Team.Name}]
"""
    )
    assert cli.main(["import-design", str(tmp_path / "stack.yaml")]) == 0
    assert 'tables="{env}-{table}"' in capsys.readouterr().out
    (tmp_path / "evil.yaml").write_text("!!python/object/apply:os.system ['true']")
    assert cli.main(["import-design", str(tmp_path / "evil.yaml")]) == 2
