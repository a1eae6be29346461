"""`sekkei dead-letters` on a store that another program may have open."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sekkei import cli
from sekkei.clock import SYSTEM
from sekkei.design import tables
from sekkei.runtime.delivery import Delivery
from sekkei.runtime.deployment import assemble
from sekkei.runtime.design import Message, State, design, messages
from sekkei.runtime.outbox import Outbox, Undeliverable
from sekkei.runtime.settings import from_environment
from sekkei.store import Embedded


class Refusing:
    async def send(self, message: Message) -> str:
        raise Undeliverable("550 no such user")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two mails that could not be sent."""
    for name in ("SEKKEI_STORE", "SEKKEI_DATA", "SEKKEI_SECRET"):
        monkeypatch.delenv(name, raising=False)

    async def fill() -> None:
        store = Embedded(tmp_path / "sekkei.db")
        await tables.create(store, design, "dev")
        runtime = design.open(store, env="dev")
        for id in ("invite/1", "invite/2"):
            await Outbox(runtime, SYSTEM, "tasks").put("mail", "nobody@example.com", {"subject": "招待"}, id=id)
        await Delivery(runtime, SYSTEM, {"mail": Refusing()}).run_once()
        await store.close()

    asyncio.run(fill())
    return tmp_path


def test_what_is_sealed_is_listed_with_its_secret_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEKKEI_SECRET", "one that is long enough")
    monkeypatch.delenv("SEKKEI_STORE", raising=False)

    async def fill() -> None:
        store = Embedded(tmp_path / "sekkei.db")
        deployment = assemble([], store, from_environment(data=tmp_path), SYSTEM, transports={"mail": Refusing()})
        await deployment.make_tables()
        await Outbox(deployment.runtime, SYSTEM, "tasks").put("mail", "a@example.com", {"subject": "招待"}, id="1")
        await deployment.worker.deliver()
        await store.close()

    asyncio.run(fill())
    assert cli.main(["dead-letters", "list", "--data", str(tmp_path)]) == 1
    assert "mail → a@example.com: 招待" in capsys.readouterr().out
    monkeypatch.setenv("SEKKEI_SECRET", "another that is long enough")
    assert cli.main(["dead-letters", "list", "--data", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "1 set aside." in said
    assert "招待" not in said


def state(data: Path, id: str) -> State:
    async def read() -> State:
        store = Embedded(data / "sekkei.db")
        try:
            return (await design.open(store, env="dev").need(messages(id).consistent())).state
        finally:
            await store.close()

    return asyncio.run(read())


def test_what_failed_is_listed_tried_again_and_dropped(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["dead-letters", "list", "--data", str(data)]) == 1
    said = capsys.readouterr().out
    assert "message:tasks/invite/1\n" in said
    assert "mail → nobody@example.com: 招待" in said
    assert "Undeliverable: 550 no such user" in said
    assert "2 set aside." in said
    assert cli.main(["dead-letters", "retry", "message:tasks/invite/1", "--data", str(data)]) == 0
    assert cli.main(["dead-letters", "drop", "message:tasks/invite/2", "--data", str(data)]) == 0
    assert (state(data, "tasks/invite/1"), state(data, "tasks/invite/2")) == (State.QUEUED, State.DROPPED)
    capsys.readouterr()
    assert cli.main(["dead-letters", "list", "--data", str(data)]) == 0
    assert capsys.readouterr().out == "Nothing is set aside.\n"
    assert not (data / "secret").exists(), "it needs no secret and makes none"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["retry", "message:tasks/nothing"], "message:tasks/nothing: There is nothing here."),
        (["drop", "nonsense"], "'nonsense' names nothing. `sekkei dead-letters list` shows names such as message:"),
        (["retry"], "Name what to retry, as `sekkei dead-letters list` shows it."),
        (["list", "message:x"], "`sekkei dead-letters list` takes no names."),
    ],
)
def test_mistakes_are_said_in_one_line(
    data: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["dead-letters", *arguments, "--data", str(data)]) == 2
    assert words in capsys.readouterr().err


def test_a_folder_without_a_store_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["dead-letters", "list", "--data", str(tmp_path / "nowhere")]) == 2
    assert "There is no store" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
