"""`sekkei publish`."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.runtime.http import Http
from sekkei.store.http import Answer


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


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00", b"[1]", b'{"Resources": []}', b'{"Resources": {"EventsTable": []}}', b"[" * 100_000]
)
def test_a_file_that_is_none_of_ours_is_told_and_replaced(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["publish", "eventbot", "--to", "cloudformation", "--out", str(tmp_path)]
    file = tmp_path / "eventbot.template.json"
    file.write_bytes(content)
    assert cli.main([*arguments, "--check"]) == 1
    assert "is not what the design says" in capsys.readouterr().out
    assert cli.main(arguments) == 0
    assert cli.main([*arguments, "--check"]) == 0


SECRET = "planted-value-of-a-secret"


@pytest.mark.parametrize("system", ["chiipochi", "eventbot", "lessons", "q", "tasks"])
def test_nothing_of_the_environment_is_written_and_all_is_written_alike_twice(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SECRET", "STRIPE_SECRET_KEY", "LINE_CHANNEL_SECRET", "DISCORD_BOT_TOKEN", "SMTP_URL", "OPERATORS"):
        monkeypatch.setenv(f"SEKKEI_{name}", SECRET)
    for target in ("cloudformation", "sam", "cdk", "terraform", "workbench", "iam"):
        for time in ("once", "twice"):
            assert cli.main(["publish", system, "--to", target, "--out", str(tmp_path / time / target)]) == 0
    once, twice = (
        {path.relative_to(tmp_path / time): path.read_bytes() for path in sorted((tmp_path / time).rglob("*.*"))}
        for time in ("once", "twice")
    )
    assert len(once) >= 8
    assert once == twice
    assert SECRET not in capsys.readouterr().out
    assert not [name for name, content in once.items() if SECRET.encode() in content]


def test_a_policy_that_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["publish", "q", "--to", "iam", "--pattern", "user_by_email", "--env", "dev"]) == 0
    (statement,) = json.loads(capsys.readouterr().out)["Statement"]
    assert statement["Resource"] == ["arn:aws:dynamodb:*:*:table/dev-q-Users/index/email-index"]
    assert cli.main(["publish", "q", "--to", "iam"]) == 0
    assert "Fn::" not in capsys.readouterr().out


def test_the_api_of_a_system(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["publish", "tasks", "--to", "openapi"]) == 0
    assert json.loads(capsys.readouterr().out)["openapi"].startswith("3.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eventbot", "--to", "punch-cards"], "There is no target punch-cards"),
        (["eventbot", "--to", "cloudformatoin"], "Did you mean cloudformation?"),
        (["eventbot"], "--to"),
        (["eventbot", "--to", "iam", "--store", "x.db"], "--store is for --check"),
        (["eventbot", "--to", "cloudformation", "--stack", "my_bot"], "Try --stack my-bot"),
        (["eventbot", "--to", "cloudformation", "--stack", "s" * 60], "Lambda takes 64"),
        (["eventbot", "--to", "cloudformation", "--region", "us-east-1"], "--stack"),
        (["eventbot", "--to", "cloudformation", "--tag", "aws:x=1"], "aws:"),
        (["eventbot", "--to", "cloudformation", "--tag", "team"], "NAME=VALUE"),
        (["eventbot", "--to", "cloudformation", "--rate", "nothing=1/s"], "has no pattern nothing"),
        (["eventbot", "--to", "cloudformation", "--rate", "one_event=often"], "is no rate"),
        (["eventbot", "--to", "cloudformation", "--peak", "0"], "--peak"),
        (["nothing", "--to", "iam"], "names no design"),
        (["eventbot", "--to", "iam", "--pattern", "nothing"], "has no pattern nothing"),
        (["eventbot", "--to", "iam", "--leading-key", "x"], "name the patterns with --pattern"),
        (["eventbot", "--to", "iam", "--pattern", "one_event", "--leading-key", ""], "--leading-key binds"),
        (["eventbot", "--to", "sam", "--pattern", "one_event"], "are for --to iam"),
        (["tasks", "--to", "terraform", "--rate", "default_board=1M/s"], "40,000 of each for a table"),
        (["eventbot", "--to", "iam", "--env", "a/b"], "--env"),
        (["eventbot", "--to", "iam", "--check"], "--out"),
        (["sekkei.runtime", "--to", "openapi"], "is no system"),
    ],
)
def test_mistakes_are_said_before_anything_is_written(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = [] if "--check" in arguments else ["--out", str(tmp_path / "deploy")]
    assert cli.main(["publish", *arguments, *out]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "deploy").exists()


DESIGN = """
from sekkei.design import Attr, Design, Index, Key, attr, model

design = Design("my_shop", tables="{{env}}-{{table}}")
orders_table = design.table({name!r}, "id", indexes=[{indexes}])


@model
class Order:
    id: Attr[str]
    day: Attr[str] = attr(default="")
    who: Attr[str] = attr(default="")


@orders_table.entity(Order)
def orders(id: str) -> Key:
    return Key(id)
"""
NUMBERS = count()
"""A module is loaded once, so each design is another one."""


def written(folder: Path, *indexes: str, name: str = "orders") -> str:
    path = folder / f"shop_{next(NUMBERS)}.py"
    path.write_text(DESIGN.format(name=name, indexes=", ".join(indexes)))
    return str(path)


def test_a_name_that_is_too_long_in_one_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    design = written(tmp_path, name="o" * 200)
    out = ["--to", "terraform", "--out", str(tmp_path / "deploy")]
    assert cli.main(["publish", design, *out, "--env", "e" * 60]) == 2
    assert "3 to 255" in capsys.readouterr().err
    assert not (tmp_path / "deploy").exists()


def test_an_app_of_the_cdk_needs_a_name_for_its_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["publish", written(tmp_path), "--to", "cdk", "--out", str(tmp_path / "deploy")]
    assert cli.main(command) == 2
    assert "--stack my-shop" in capsys.readouterr().err
    assert cli.main([*command, "--stack", "my-shop"]) == 0
    assert '"my-shop"' in (tmp_path / "deploy/app.py").read_text()


def test_what_differs_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["--to", "cloudformation", "--out", str(tmp_path / "deploy")]
    assert cli.main(["publish", written(tmp_path, 'Index("by_day", "day")'), *out]) == 0
    design = written(tmp_path, 'Index("by_day", "day", "who")', 'Index("by_who", "who")')
    assert cli.main(["publish", design, *out, "--tag", "team=web", "--check"]) == 1
    said = capsys.readouterr().out
    place = "Resources.OrdersTable.Properties."
    assert f"{place}GlobalSecondaryIndexes.by_who: is missing" in said
    assert f"{place}GlobalSecondaryIndexes.by_day.KeySchema.who: is missing" in said
    assert f"{place}Tags.team: is missing" in said


def test_indexes_that_change_together_are_deployed_one_after_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deploy = tmp_path / "deploy"
    out = ["--to", "cloudformation", "--out", str(deploy)]
    assert cli.main(["publish", written(tmp_path, 'Index("by_day", "day")'), *out]) == 0
    assert cli.main(["publish", written(tmp_path, 'Index("by_who", "who")'), *out]) == 0
    said = capsys.readouterr().out
    assert "OrdersTable: removes by_day, makes by_who" in said
    assert f"deploy {deploy / 'my_shop.template.step-1.json'} first" in said
    step = json.loads((deploy / "my_shop.template.step-1.json").read_text())
    properties = step["Resources"]["OrdersTable"]["Properties"]
    assert "GlobalSecondaryIndexes" not in properties
    assert properties["AttributeDefinitions"] == [{"AttributeName": "id", "AttributeType": "S"}]
    both = written(tmp_path, 'Index("by_who", "who")', 'Index("by_day", "day")')
    assert cli.main(["publish", both, *out]) == 0
    assert not list(deploy.glob("*.step-*"))


def test_live_tables_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "store.db")
    design = written(tmp_path, 'Index("by_day", "day")')
    assert cli.main(["tables", "create", design, "--store", store, "--env", "prod"]) == 0
    assert cli.main(["publish", design, "--check", "--store", store]) == 0
    assert "1 tables are as the design says" in capsys.readouterr().out
    design = written(tmp_path, 'Index("by_who", "who")')
    assert cli.main(["publish", design, "--check", "--store", store, "--tag", "team=web"]) == 1
    said = capsys.readouterr().out
    assert "prod-orders: index by_who is missing" in said
    assert "prod-orders: index by_day is not in the design" in said
    assert "prod-orders: the design says the tags team=web (is missing)" in said


def test_units_come_from_measurements(tmp_path: Path) -> None:
    command = ["publish", "tasks", "--to", "terraform", "--out", str(tmp_path)]
    assert cli.main([*command, "--rate", "default_board=50/s", "--peak", "2"]) == 0
    tables = json.loads((tmp_path / "main.tf.json").read_text())["resource"]["aws_dynamodb_table"]
    assert tables["task_table_v3"]["billing_mode"] == "PROVISIONED"
    units = {index["name"]: index["read_capacity"] for index in tables["task_table_v3"]["global_secondary_index"]}
    assert max(units.values()) > 1
    assert tables["sekkei_runtime"]["billing_mode"] == "PAY_PER_REQUEST"


@pytest.mark.parametrize(
    ("state", "code", "said"),
    [
        ("UPDATE_COMPLETE", 0, ""),
        ("DELETE_COMPLETE", 0, ""),
        (None, 0, ""),
        ("ROLLBACK_COMPLETE", 2, "delete-stack"),
        ("UPDATE_ROLLBACK_FAILED", 2, "continue-update-rollback"),
        ("UPDATE_IN_PROGRESS", 2, "wait until it has ended"),
        ("", 2, "CloudFormation answered 403: not yours"),
    ],
)
def test_a_stack_that_failed_is_told_before_anything_is_written(
    state: str | None,
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[str] = []

    async def request(self: Http, method: str, url: str, **rest: object) -> Answer:
        asked.append(url)
        if state == "":
            return Answer(403, {}, b"<Error><Message>not yours</Message></Error>")
        if state is None:
            return Answer(400, {}, b"<Error><Message>Stack with id my-shop does not exist</Message></Error>")
        return Answer(200, {}, f"<Stacks><member><StackStatus>{state}</StackStatus></member></Stacks>".encode())

    monkeypatch.setattr(Http, "request", request)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL_CLOUDFORMATION", "http://127.0.0.1:4566")
    out = ["--to", "cloudformation", "--out", str(tmp_path / "deploy"), "--stack", "my-shop", "--region", "us-east-1"]
    assert cli.main(["publish", written(tmp_path), *out]) == code
    assert said in capsys.readouterr().err
    assert (tmp_path / "deploy").exists() == (code == 0)
    assert asked == ["http://127.0.0.1:4566/?Action=DescribeStacks&StackName=my-shop&Version=2010-05-15"]
