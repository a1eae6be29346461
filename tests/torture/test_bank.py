"""Transfers, appends and audits at once, from threads and from processes: one order that all of them saw.

Seen to fail when each put is a commit of its own (`test_torn_transactions_are_noticed`).
"""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sekkei.engine import Engine
from sekkei.engine.upkeep.verify import verify_file
from tests.torture import amounts, bank
from tests.torture.bank import Audit
from tests.torture.children import Child

CLIENTS = 4


def in_threads(path: Path, rounds: int) -> list[Audit]:
    audits: list[Audit] = []
    failures: list[BaseException] = []

    def work(engine: Engine, id: int) -> None:
        try:
            audits.extend(asyncio.run(bank.Client(engine, id).work(rounds)))
        except BaseException as failure:
            failures.append(failure)

    with Engine(path) as engine:
        asyncio.run(bank.create(engine))
        threads = [threading.Thread(target=work, args=(engine, id)) for id in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failures, failures
    return audits


def in_processes(path: Path, rounds: int, planted: str | None = None) -> list[Audit]:
    with Engine(path) as engine:
        asyncio.run(bank.create(engine))
    children = [Child(bank.work_in_process, str(path), id, rounds, planted) for id in range(CLIENTS)]
    audits = [audit for child in children for said in child.listen(seconds=3_600) for audit in said]
    assert [child.join() for child in children] == [0] * CLIENTS
    return audits


def check(path: Path, audits: list[Audit], rounds: int) -> None:
    assert len(audits) == CLIENTS * rounds
    bank.check_audits(audits)
    assert list(verify_file(str(path))) == []


def test_threads(tmp_path: Path) -> None:
    check(tmp_path / "store.db", in_threads(tmp_path / "store.db", 25), 25)


def test_processes(tmp_path: Path) -> None:
    check(tmp_path / "store.db", in_processes(tmp_path / "store.db", 15), 15)


def test_torn_transactions_are_noticed(tmp_path: Path) -> None:
    """Whether an audit falls between two puts is chance, and on a busy machine a small one: it gets several."""
    for attempt in range(60):
        audits = in_processes(tmp_path / f"store{attempt}.db", 25, planted="commit each put")
        try:
            bank.check_audits(audits)
        except AssertionError:
            return
    pytest.fail("torn transactions went unnoticed")


@pytest.mark.torture
@pytest.mark.timeout(0)
@pytest.mark.parametrize("how", [in_threads, in_processes])
def test_many_transactions(tmp_path: Path, how: object) -> None:
    """Lists grow with every append, so a file serves a limited number of rounds."""
    rounds_per_file = 60
    transactions_per_file = CLIENTS * rounds_per_file * 2
    for number in range(-(-amounts.BANK_TRANSACTIONS // transactions_per_file)):
        path = tmp_path / f"store-{number}.db"
        check(path, how(path, rounds_per_file), rounds_per_file)  # type: ignore[operator]
        path.unlink()
