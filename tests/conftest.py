"""Other implementations of DynamoDB, for tests that hold ours up against them or run on a store that is not ours."""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, settings

from bench import peers
from tests.browser import FAILED

PROGRAMMES = 25
GARBAGE = (20_000, 20, 20)
"""How much is made before it is looked through for what nobody needs; Python's own are 700, 10 and 10."""

# How long an example takes, or to think of one, says more about the machine than about the program. The examples are
# the same every time; `pytest --hypothesis-profile by-chance` looks for others.
settings.register_profile("by-chance", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("the-same", settings.get_profile("by-chance"), derandomize=True, database=None)
settings.load_profile("the-same")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("peers")
    group.addoption("--programmes", type=int, default=PROGRAMMES, help="random programmes to compare with each peer")
    group.addoption("--first", type=int, default=0, help="seed of the first of them")


@pytest.fixture(scope="session")
def ministack_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Ministack, installed from PyPI into an environment of its own when it is not there yet."""
    with _served(peers.MINISTACK, tmp_path_factory) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def dynoxide_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Dynoxide, where `make bench` or `python -m bench.peers` has installed it: to compile it takes minutes."""
    if not peers.DYNOXIDE.installed:
        pytest.skip("dynoxide is not installed; `python -m bench.peers` compiles it where there is cargo")
    with _served(peers.DYNOXIDE, tmp_path_factory) as endpoint:
        yield endpoint


@contextmanager
def _served(peer: peers.Peer, folders: pytest.TempPathFactory) -> Iterator[str]:
    try:
        peer.ensure()
    except peers.Unavailable as reason:
        pytest.skip(str(reason))
    with peer.serve(folders.mktemp(peer.name)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser on a busy machine may take its time."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures or "whole_browser" in fixtures:
            item.add_marker(pytest.mark.timeout(300))


def pytest_collection_finish() -> None:
    """Fourteen thousand tests and all that they import stay to the end: nobody need look through them for garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE)


def pytest_unconfigure() -> None:
    """At the end Python looks once more, through everything."""
    gc.unfreeze()
