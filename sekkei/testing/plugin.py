"""Fixtures for pytest, there as soon as Sekkei is installed. pytest-asyncio is not needed for them.

sekkei_store              an empty store in memory
sekkei_db(design)         a design opened on it, its tables made; `open_design(design)` is the same, awaited
sekkei_sync_db(design)    the same without await
sekkei_server             an endpoint, empty for every test: `boto3.client("dynamodb", **sekkei_server.boto3)`
sekkei_session_server     one for the whole run, for what is slow to fill: fill it, then `.take("filled")`

@pytest.mark.sekkei_snapshot("filled")      before the test, sekkei_session_server goes back to that moment
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sekkei.design import Database, Design, SyncDatabase
    from sekkei.store import Store
    from sekkei.testing.server import LocalServer

OpenDesign = Callable[["Design"], Awaitable["Database"]]
Opened = Callable[["Design"], "Database"]
SyncOpened = Callable[["Design"], "SyncDatabase"]
ENV = "test"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "sekkei_snapshot(name): bring sekkei_session_server back to a moment that was taken"
    )


@pytest.fixture
def sekkei_store() -> Iterator[Store]:
    """An empty store in memory."""
    from sekkei.design.sync_driver import drive
    from sekkei.store import Embedded

    store = Embedded()
    yield store
    drive(store.close())


@pytest.fixture
def sekkei_sync_db(sekkei_store: Store) -> SyncOpened:
    """Opens a design on the test's store, for code without await."""

    def opened(design: Design) -> SyncDatabase:
        db = design.open_sync(sekkei_store, env=ENV)
        db.create_tables()
        return db

    return opened


@pytest.fixture
def sekkei_db(sekkei_store: Store, sekkei_sync_db: SyncOpened) -> Opened:
    """Opens a design on the test's store."""

    def opened(design: Design) -> Database:
        sekkei_sync_db(design)  # makes the tables
        return design.open(sekkei_store, env=ENV)

    return opened


@pytest.fixture
def open_design(sekkei_store: Store) -> OpenDesign:
    """Opens a design on the test's store, as a coroutine."""

    async def opened(design: Design) -> Database:
        db = design.open(sekkei_store, env=ENV)
        await db.create_tables()
        return db

    return opened


@pytest.fixture
def sekkei_server() -> Iterator[LocalServer]:
    """A DynamoDB of the test's own."""
    from sekkei.testing.server import LocalServer

    with LocalServer() as server:
        yield server


@pytest.fixture(scope="session")
def sekkei_session_server() -> Iterator[LocalServer]:
    """A DynamoDB of the whole run."""
    from sekkei.testing.server import LocalServer

    with LocalServer() as server:
        yield server


@pytest.fixture(autouse=True)
def _sekkei_snapshot(request: pytest.FixtureRequest) -> None:
    marker = request.node.get_closest_marker("sekkei_snapshot")
    if marker is not None:
        server: LocalServer = request.getfixturevalue("sekkei_session_server")
        server.restore(marker.args[0])
