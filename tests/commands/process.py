"""Sekkei in a process of its own, for tests of what it prints, serves and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import urlopen

import boto3

COMMAND = [sys.executable, "-m", "sekkei.cli"]


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SEKKEI_", "AWS_"))}
    return {**kept, **more}


class Running:
    """Sekkei in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.printed = ""
        assert process.stdout is not None
        for line in process.stdout:
            self.printed += line
            if line.startswith("Stop it with"):
                break
        found = re.search(r"Sekkei runs: (http://\S+)", self.printed)
        assert found, self.printed + (process.stderr.read() if process.stderr else "")
        self.url = found[1]
        dynamodb = re.search(r"DynamoDB API: (http://\S+)", self.printed)
        self.dynamodb_url = dynamodb[1] if dynamodb else ""

    def page(self, path: str) -> str:
        with urlopen(self.url + path, timeout=30) as answer:
            return str(answer.read().decode())

    def tables(self) -> list[str]:
        client = boto3.client(
            "dynamodb",
            endpoint_url=self.dynamodb_url,
            region_name="us-east-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
        )
        return list(client.list_tables()["TableNames"])

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(number)
        _, logged = self.process.communicate(timeout=60)
        return self.process.returncode, logged


@contextmanager
def running(*arguments: str, **variables: str) -> Iterator[Running]:
    process = subprocess.Popen(
        [*COMMAND, *arguments, "--port", "0", "--dynamodb-port", "0"],
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
