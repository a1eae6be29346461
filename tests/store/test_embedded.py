from __future__ import annotations

import asyncio
import subprocess
import sys

import apsw
import pytest

from sekkei.engine import Engine
from sekkei.engine.storage.snapshot import Catalogue
from sekkei.errors import ConfigurationError
from sekkei.store import Embedded, Remote, StoreClosed, open_store

TABLE = {
    "TableName": "people",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def put(number: int) -> dict:
    return {"TableName": "people", "Item": {"id": {"S": str(number)}, "n": {"N": str(number)}}}


def get(number: int) -> dict:
    return {"TableName": "people", "Key": {"id": {"S": str(number)}}}


async def test_what_was_acknowledged_is_there_when_opened_again(tmp_path):
    store = Embedded(tmp_path / "a.db")
    await store.call("CreateTable", TABLE)
    await store.call("PutItem", put(1))
    await store.close()
    store = Embedded(str(tmp_path / "a.db"))
    assert await store.call("GetItem", get(1)) == {"Item": put(1)["Item"]}
    await store.close()


async def test_close_finishes_writes_under_way_and_refuses_further_calls(tmp_path):
    store = Embedded(tmp_path / "a.db")
    await store.call("CreateTable", TABLE)
    writes = [asyncio.create_task(store.call("PutItem", put(number))) for number in range(20)]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*writes) == [{}] * 20
    with pytest.raises(StoreClosed):
        await store.call("GetItem", get(1))
    await store.close()


async def test_tasks_and_threads_share_a_store():
    store = Embedded()
    await store.call("CreateTable", TABLE)

    async def several(start: int) -> list[dict]:
        await asyncio.gather(*[store.call("PutItem", put(start + n)) for n in range(10)])
        return [await store.call("GetItem", get(start + n)) for n in range(10)]

    threads = [asyncio.to_thread(lambda start=start: asyncio.run(several(start))) for start in (0, 10, 20)]
    found = await asyncio.gather(several(30), *threads)
    assert [answer["Item"]["n"]["N"] for answers in found for answer in answers] == [
        str(start + n) for start in (30, 0, 10, 20) for n in range(10)
    ]
    await store.close()


async def test_an_engine_with_settings_of_its_own_is_a_store():
    engine = Engine(None, region="ap-northeast-1", housekeeping_seconds=None)
    store = Embedded(engine)
    created = await store.call("CreateTable", TABLE)
    assert created["TableDescription"]["TableArn"].startswith("arn:aws:dynamodb:ap-northeast-1:")
    await store.close()


async def test_a_read_does_not_suspend():
    store = Embedded(":memory:")
    await store.call("CreateTable", TABLE)
    await store.call("PutItem", put(1))
    with pytest.raises(StopIteration) as stopped:
        store.call("GetItem", get(1)).send(None)
    assert stopped.value.value == {"Item": put(1)["Item"]}
    await store.close()


@pytest.mark.parametrize("form", ["{path}", "file:{path}", "file://{path}", "file://localhost{path}"])
async def test_a_path_or_file_url_opens_a_file(tmp_path, form):
    path = tmp_path / "x y.db"
    store = open_store(form.format(path=str(path).replace(" ", "%20") if form.startswith("file") else path))
    assert isinstance(store, Embedded)
    assert store.engine.path == str(path)
    await store.close()


async def test_memory_and_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for url in ("data/a.db", "file:data/b.db"):
        await open_store(url).close()
    assert sorted(path.name for path in (tmp_path / "data").glob("*.db")) == ["a.db", "b.db"]
    store = open_store(":memory:")
    await store.call("CreateTable", TABLE)
    await store.close()


def test_other_urls_open_a_remote_store(monkeypatch):
    monkeypatch.setenv("HOME", "/nonexistent")
    store = open_store("dynamodb://ap-northeast-1")
    assert isinstance(store, Remote)
    assert store.endpoint_url == "https://dynamodb.ap-northeast-1.amazonaws.com/"
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert open_store("dynamodb:").region == "eu-west-1"
    assert open_store("http://127.0.0.1:8001").endpoint_url == "http://127.0.0.1:8001/"


@pytest.mark.parametrize("url", ["", "redis://x", "file:", "file://elsewhere/x.db", "file:x?mode=ro", "dynamodb://x y"])
def test_what_names_no_store_is_refused(url):
    with pytest.raises(ConfigurationError):
        open_store(url)


def test_a_remote_program_does_not_load_sqlite():
    code = "import sys; from sekkei.store import Remote; sys.exit('apsw' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_a_read_goes_by_the_new_tables_whichever_thread_has_read_them(monkeypatch: pytest.MonkeyPatch):
    """A thread that finds its tables old may find, when it looks again, that another one was quicker."""
    store = Embedded()
    await store.call("ListTables", {})
    await store.call("CreateTable", TABLE)
    await store.call("PutItem", put(1))
    refresh = Catalogue.refresh

    def after_another_thread(catalogue: Catalogue, connection: apsw.Connection) -> None:
        refresh(catalogue, connection)
        return refresh(catalogue, connection)

    monkeypatch.setattr(Catalogue, "refresh", after_another_thread)
    assert (await store.call("GetItem", get(1)))["Item"] == put(1)["Item"]
    await store.close()
