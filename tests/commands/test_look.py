"""`sekkei look`: any design and any store."""

from __future__ import annotations

import argparse
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest

from examples.online_shop import Order, design, orders
from sekkei import cli
from sekkei.commands import CouldNotRun
from sekkei.commands.look import introduction, looked_at
from sekkei.design import tables
from sekkei.engine import Engine
from sekkei.errors import AccessDeniedException
from sekkei.store import Embedded
from sekkei.store.retries import Retries
from sekkei.web.console.target import Looked, is_remote
from sekkei.web.testing import opened
from sekkei.wire.server import Server
from tests.commands.process import COMMAND, Running, environment

ROOT = Path(__file__).parents[2]
ITEM = {"PK": {"S": "x"}, "SK": {"S": "y"}}


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SEKKEI_STORE", "SEKKEI_DATA", "SEKKEI_ENV", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)


def asked(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"design": None, "store": None, "sample": False, "env": "dev", "write": False, **given})


async def filled(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    store = Embedded(path)
    await tables.create(store, design, "dev")
    order = Order(order_id="1", customer_id="mei", at=datetime(2026, 11, 15, tzinfo=UTC))
    await store.call("PutItem", {"TableName": "OnlineShop", "Item": orders.encode(order)})
    await store.close()


async def shown(looked: Looked, path: str) -> str:
    try:
        async with opened(looked=looked) as client:
            reply = await client.get(path, follow=True)
            assert reply.status == 200, reply.text
            return reply.text
    finally:
        await looked.store.close()


async def test_a_design_without_a_store_is_shown_with_made_up_items() -> None:
    looked = await looked_at(asked(design="online_shop"), design)
    assert looked.sampled
    text = await shown(looked, "/")
    assert "OnlineShop" in text
    assert "送信箱" not in text, "nothing else runs here"
    assert "made-up items" in introduction("http://x", looked)


async def test_a_store_in_a_file_with_and_without_a_design(tmp_path: Path) -> None:
    await filled(tmp_path / "data" / "sekkei.db")
    for given, known in ((design, ["online-shop"]), (None, [])):
        looked = await looked_at(asked(design="shop" if given else None), given)
        assert (list(looked.designs), looked.sampled, looked.remote) == (known, False, False)
        assert "o#1" in await shown(looked, "/console/tables/OnlineShop")


async def test_an_endpoint_without_keys_of_ones_own() -> None:
    engine = Engine(None)
    server = Server(engine, {}, region="us-east-1")
    await server.start("127.0.0.1", 0)
    try:
        await engine.call("CreateTable", table_of_its_own())
        await engine.call("PutItem", {"TableName": "plain", "Item": ITEM})
        looked = await looked_at(asked(store=f"http://127.0.0.1:{server.port}"), None)
        assert "plain" in await shown(looked, "/console/tables")
    finally:
        await server.stop()
        engine.close()


def table_of_its_own() -> dict[str, Any]:
    return {
        "TableName": "plain",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
        "BillingMode": "PAY_PER_REQUEST",
    }


async def test_writes_are_refused_by_the_store_itself_unless_asked_for(tmp_path: Path) -> None:
    await filled(tmp_path / "data" / "sekkei.db")
    looked = await looked_at(asked(), None)
    with pytest.raises(AccessDeniedException):
        await looked.store.call("PutItem", {"TableName": "OnlineShop", "Item": ITEM})
    await looked.store.close()
    looked = await looked_at(asked(write=True), None)
    await looked.store.call("PutItem", {"TableName": "OnlineShop", "Item": ITEM})
    await looked.store.close()


async def test_a_store_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sekkei.store.remote.Retries", partial(Retries, attempts=2))
    with pytest.raises(CouldNotRun, match="There is no store"):
        await looked_at(asked(store=str(tmp_path / "none.db")), design)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(CouldNotRun, match="does not answer"):
        await looked_at(asked(store="http://127.0.0.1:9"), design)


def test_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["look", "nothing.py"]) == 2
    assert "names no design" in capsys.readouterr().err
    assert cli.main(["look", "--sample"]) == 2
    assert "name a design" in capsys.readouterr().err


def test_what_is_far_away() -> None:
    far = ("dynamodb://ap-northeast-1", "https://dynamodb.example.com", "http://10.0.0.7:8000")
    assert all(is_remote(name) for name in far)
    assert not any(is_remote(name) for name in ("data/sekkei.db", "http://127.0.0.1:8001", "", "http://localhost:1"))


@contextmanager
def looking(*arguments: str) -> Iterator[Running]:
    process = subprocess.Popen(
        [*COMMAND, "look", *arguments, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield Running(process)
    finally:
        process.kill()
        process.communicate()


def test_in_a_process_of_its_own() -> None:
    with looking(str(ROOT / "examples" / "github.py")) as running:
        home, _, rest = running.url.partition("/console/enter?token=")
        assert len(rest) >= 32
        for path in ("/console", "/console/tables", "/console/enter?token=guessed", "/console/tables/GitHub/export"):
            with pytest.raises(HTTPError) as refused:
                urlopen(home + path, timeout=30)
            assert refused.value.code == 403
            assert "sekkei look" in refused.value.read().decode()
        browser = build_opener(HTTPCookieProcessor())
        with browser.open(running.url, timeout=30) as answer:
            assert "token" not in answer.url
            assert "github" in answer.read().decode()
        assert running.end(signal.SIGINT)[0] == 0
