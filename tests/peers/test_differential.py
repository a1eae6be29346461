"""Random requests to us and to other implementations: equal answers, but for the differences that are known.

The programmes are the same in every run. To look further: `pytest tests/peers --programmes 500 --first 1000`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.peers import ROOT, free_port, running
from sekkei.engine.engine import Engine
from tests.peers import dynoxide, ministack
from tests.peers.answers import LEFT, Answer, Asked, InProcess, OverHttp, answer
from tests.peers.conftest import sekkei_command
from tests.peers.differences import Peer
from tests.peers.programme import Step, opening, programme
from tests.peers.tables import tables

DIFFERENCES_SHOWN = 5


@pytest.fixture
def ours() -> Iterator[InProcess]:
    engine = InProcess(Engine(None))
    yield engine
    engine.close()


@pytest.mark.timeout(600)
def test_ministack(ours: InProcess, ministack_endpoint: str, seeds: range) -> None:
    compare(ours, ministack_endpoint, ministack.PEER, seeds)


@pytest.mark.timeout(600)
def test_dynoxide(ours: InProcess, dynoxide_endpoint: str, seeds: range) -> None:
    compare(ours, dynoxide_endpoint, dynoxide.PEER, seeds)


@pytest.mark.timeout(600)
def test_our_wire_answers_as_the_engine_does(ours: InProcess, tmp_path: Path) -> None:
    port = free_port()
    with running(sekkei_command("--memory", "--port", str(port)), port, {}, tmp_path / "server.log"):
        nothing = Peer(known=(), exact_words=True)
        compare(ours, f"http://127.0.0.1:{port}", nothing, range(15), alike=True)


@pytest.mark.parametrize("peer", [ministack.PEER, dynoxide.PEER], ids=["ministack", "dynoxide"])
def test_every_difference_is_documented(peer: Peer) -> None:
    document = (ROOT / "docs/compatibility.md").read_text()
    missing = [title for title in peer.titles if f"### {title}\n" not in document]
    assert not missing, missing


def compare(ours: Asked, endpoint: str, peer: Peer, seeds: range, *, alike: bool = False) -> None:
    theirs = OverHttp(int(endpoint.rpartition(":")[2]))
    try:
        found = list(itertools.islice(_unknown(ours, theirs, peer, seeds, alike), DIFFERENCES_SHOWN))
    finally:
        theirs.close()
    assert not found, "\n\n".join(found)


def _unknown(ours: Asked, theirs: Asked, peer: Peer, seeds: range, alike: bool) -> Iterator[str]:
    """Each difference that has no explanation, described."""
    for seed in seeds:
        for step in programme(seed):
            mine, other = answer(ours, step), answer(theirs, step)
            if mine == other:
                continue
            if alike or peer.explanation(step, mine, other) is None:
                yield _described(seed, step, mine, other)
            if step.writes and (mine.code != other.code or mine.body.get(LEFT) != other.body.get(LEFT)):
                _start_afresh(seed, ours, theirs)


def _start_afresh(seed: int, *asked: Asked) -> None:
    """After a write that ended differently, both go on from where the programme began."""
    for each in asked:
        for table in tables(f"t{seed}"):
            each.ask("DeleteTable", {"TableName": table.name})
        for step in opening(seed):
            each.ask(step.operation, step.request)


def _described(seed: int, step: Step, mine: Answer, other: Answer) -> str:
    return (
        f"programme {seed}: {step.operation} {json.dumps(step.request, ensure_ascii=False)}\n"
        f"  ours:   {mine.code} {json.dumps(mine.body, ensure_ascii=False)}\n"
        f"  theirs: {other.code} {json.dumps(other.body, ensure_ascii=False)}"
    )
