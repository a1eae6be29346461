"""`sekkei import-design`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sekkei import cli

DESCRIPTION = json.dumps(
    {
        "TableName": "orders",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    }
).encode()


def test_from_a_template_to_a_design_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["publish", "sekkei.runtime", "--to", "cloudformation", "--out", str(tmp_path)]) == 0
    (file,) = tmp_path.glob("*.template.json")
    out = tmp_path / "brought_in.py"
    assert cli.main(["import-design", str(file), "--out", str(out), "--name", "shop"]) == 0
    _, docs, _, check, _ = capsys.readouterr().out.split("`")  # what it says to do next can be done
    assert cli.main(check.split()[1:]) in (0, 1)
    assert cli.main(docs.split()[1:]) == 0
    assert "due" in capsys.readouterr().out
    assert cli.main(["import-design", str(file), "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Give a file, or --table"),
        (["no-such-file.json"], "No such file"),
        (["--table", "nothing", "--data", "DATA"], "There is no table nothing"),
        (["--table", "nothing", "--store", "DATA/live.db"], "There is no table nothing"),
        (["template.json", "--store", "DATA/live.db"], "name them with --table"),
    ],
)
def test_mistakes(arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [text.replace("DATA", str(tmp_path)) for text in arguments]
    for name in ("sekkei.db", "live.db"):
        assert cli.main(["tables", "create", "chiipochi", "--store", str(tmp_path / name)]) == 0
    assert cli.main(["import-design", *given]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.json", b"", "is no JSON"),
        ("binary.json", b"\x89PNG\r\n\x00\xff", "no text in UTF-8"),
        ("deep.json", b"[" * 100_000, "nested too deep"),
        ("number.json", b"17", "There is no table in it"),
        ("text.json", b'"Resources"', "There is no table in it"),
        ("list.json", b"[1, 2, 3]", "There is no table in it"),
        (
            "wrong.json",
            b'{"Table": {"TableName": 1, "KeySchema": "pk"}}',
            "Table.KeySchema should be a list, but it is a text",
        ),
        ("two.json", b'{"DataModel": [{"KeyAttributes": []}]}', "DataModel[0].KeyAttributes should be an object"),
        ("loop.yaml", b"Resources: &a\n  b: *a\n", "nested more than"),
        ("deep.yaml", b"[" * 20_000, "nested too deep"),
        ("control.yaml", b"a: \x01", "no YAML"),
        ("names.json", DESCRIPTION.replace(b"orders", b"o"), "DynamoDB takes 3 to 255"),
        ("huge.json", b" " * 2_000 + b"{}", "larger than"),
    ],
)
def test_garbage(
    name: str,
    content: bytes,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if name == "huge.json":
        monkeypatch.setattr("sekkei.commands.import_design.BYTES_MAX", 1_000)
    (tmp_path / name).write_bytes(content)
    assert cli.main(["import-design", str(tmp_path / name), "--out", str(tmp_path / "shop.py")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "shop.py").exists()


@pytest.mark.parametrize(
    ("out", "said"),
    [("no/shop.py", "could not be written: No such file"), ("my-shop.py", "such as shop.py"), ("shop", "shop.py")],
)
def test_where_it_cannot_be_written(out: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "table.json").write_bytes(DESCRIPTION)
    assert cli.main(["import-design", str(tmp_path / "table.json"), "--out", str(tmp_path / out)]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["import-design", str(tmp_path)]) == 2
    assert "Is a directory" in capsys.readouterr().err


def test_yaml_by_any_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stack.template").write_text(
        "Resources: {Orders: {Type: 'AWS::Serverless::SimpleTable', Properties: {TableName: !Ref Nothing}}}"
    )
    assert cli.main(["import-design", str(tmp_path / "stack.template")]) == 0
    assert "# TableName is !Ref Nothing" in capsys.readouterr().out


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
