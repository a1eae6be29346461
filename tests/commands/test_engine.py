"""`sekkei engine` as a process: what it prints, what it serves, how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from sekkei.commands import CouldNotRun
from sekkei.commands.engine import WEATHER, introduction, keys_from_environment
from sekkei.store.weather import PRESETS

COMMAND = [sys.executable, "-m", "sekkei.cli", "engine"]
SECRET = "a-secret-that-nobody-may-see"


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SEKKEI_", "AWS_"))}
    return {**kept, **more}


class Running:
    """An engine in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.printed = ""
        assert process.stdout is not None
        for line in process.stdout:
            self.printed += line
            if line.startswith("Stop it with"):
                break
        found = re.search(r"DynamoDB at (http://\S+),", self.printed)
        assert found, self.printed
        self.url = found[1]

    def client(self, access_key: str = "local", secret: str = "local") -> boto3.client:
        return boto3.client(
            "dynamodb",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=access_key,
            aws_secret_access_key=secret,
            config=Config(retries={"total_max_attempts": 1}),
        )

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, list[dict[str, object]]]:
        """Its exit code and what it logged."""
        self.process.send_signal(number)
        _, logged = self.process.communicate(timeout=60)
        return self.process.returncode, [json.loads(line) for line in logged.splitlines()]


@contextmanager
def running(*arguments: str, **variables: str) -> Iterator[Running]:
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**variables),
    )
    try:
        yield Running(process)
    finally:
        process.kill()
        process.communicate()


def refused(*arguments: str, **variables: str) -> str:
    """What it says when it cannot run."""
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=60, env=environment(**variables)
    )
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


def create_table(client: boto3.client) -> None:
    client.create_table(
        TableName="things",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_and_ends_cleanly(number: signal.Signals) -> None:
    with running("--memory") as engine:
        assert engine.client().list_tables()["TableNames"] == []
        code, logged = engine.end(number)
    assert code == 0
    assert [line["message"] for line in logged] == ["started", "stopping", "stopped"]
    assert (logged[0]["url"], logged[1]["signal"]) == (engine.url, number.name)


def test_it_says_what_to_set() -> None:
    with running("--memory") as engine:
        for part in (f"AWS_ENDPOINT_URL_DYNAMODB={engine.url}", "boto3.client(", f"--endpoint-url {engine.url}"):
            assert part in engine.printed


def test_data_outlives_the_process(tmp_path: Path) -> None:
    with running("--data", str(tmp_path / "new" / "folder")) as engine:
        create_table(engine.client())
        engine.client().put_item(TableName="things", Item={"pk": {"S": "kept"}})
        assert engine.end()[0] == 0
    with running("--data", str(tmp_path / "new" / "folder")) as engine:
        assert engine.client().get_item(TableName="things", Key={"pk": {"S": "kept"}})["Item"] == {"pk": {"S": "kept"}}


def test_with_keys_only_who_knows_the_secret_gets_in() -> None:
    keys = {"SEKKEI_ACCESS_KEY_ID": "AKIDLOCAL", "SEKKEI_SECRET_ACCESS_KEY": SECRET}
    with running("--memory", "--host", "0.0.0.0", "--log-level", "debug", **keys) as engine:
        assert engine.client("AKIDLOCAL", SECRET).list_tables()["TableNames"] == []
        with pytest.raises(ClientError, match="InvalidSignatureException"):
            engine.client("AKIDLOCAL", "guess").list_tables()
        with pytest.raises(ClientError, match="UnrecognizedClientException"):
            engine.client("AKIDOTHER", SECRET).list_tables()
        code, logged = engine.end()
    assert code == 0
    assert SECRET not in engine.printed + json.dumps(logged)
    requests = [line for line in logged if line["message"] == "request"]
    assert [line["status"] for line in requests] == [200, 400, 400]
    assert requests[0]["operation"] == "ListTables"


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("--memory", "--port", port)
    assert said == (
        f"sekkei: Port {port} at 127.0.0.1 is in use. Choose another with --port, or stop the program that has it.\n"
    )


def test_other_machines_need_keys() -> None:
    assert "Set SEKKEI_ACCESS_KEY_ID and SEKKEI_SECRET_ACCESS_KEY" in refused("--memory", "--host", "0.0.0.0")


def test_an_address_that_is_none() -> None:
    assert "no-such-host.invalid is no address" in refused("--memory", "--host", "no-such-host.invalid")


def test_a_file_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "sekkei.db").write_text("my diary " * 1000)
    assert "is not a Sekkei store" in refused("--data", str(tmp_path))
    assert (tmp_path / "sekkei.db").read_text().startswith("my diary")


@pytest.mark.parametrize("port", ["-1", "65536", "http", "１"])
def test_a_port_that_is_none(port: str) -> None:
    assert "is no port" in refused("--memory", f"--port={port}")


def test_memory_and_data_exclude_each_other() -> None:
    assert "not allowed with" in refused("--memory", "--data", "x")


def test_half_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEKKEI_ACCESS_KEY_ID", raising=False)
    monkeypatch.setenv("SEKKEI_SECRET_ACCESS_KEY", SECRET)
    with pytest.raises(CouldNotRun, match="SEKKEI_ACCESS_KEY_ID is not") as caught:
        keys_from_environment()
    assert SECRET not in str(caught.value)
    monkeypatch.setenv("SEKKEI_ACCESS_KEY_ID", "with/slash")
    with pytest.raises(CouldNotRun, match="letters, digits"):
        keys_from_environment()
    monkeypatch.setenv("SEKKEI_ACCESS_KEY_ID", "AKIDLOCAL")
    assert SECRET not in repr(keys_from_environment())


def test_the_introduction_names_variables_and_no_secret() -> None:
    said = introduction("http://127.0.0.1:1", "data", "eu-west-1", verifies=True)
    assert "$SEKKEI_SECRET_ACCESS_KEY" in said
    assert "AWS_REGION=eu-west-1" in said


def test_weather_is_over_every_client() -> None:
    with running("--memory", "--weather", "fog", "--seed", "3") as engine:
        assert "weather: fog, seed 3" in engine.printed
        client = engine.client()
        create_table(client)
        names = client.list_tables()["TableNames"]
        client.put_item(TableName=names[0], Item={"pk": {"S": "now"}})
        assert client.get_item(TableName=names[0], Key={"pk": {"S": "now"}}, ConsistentRead=True)["Item"]
        assert "Item" not in client.get_item(TableName=names[0], Key={"pk": {"S": "now"}})
        code, logged = engine.end()
    assert code == 0, logged


def test_every_weather_that_there_is_can_be_chosen() -> None:
    assert tuple(PRESETS) == WEATHER
