"""An engine with tables for statements, shared by the tests of PartiQL and of the operations."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.engine.partiql.running import Running, index


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    """An engine with a table of one key attribute, "hash", one of two, "pair", and one with indexes, "wide"."""
    found = Running()
    await found.create("hash", "pk")
    await found.create("pair", "pk", "sk")
    await found.create("number", "pk", types="pk:N")
    await found.create(
        "wide",
        "pk",
        "sk",
        GlobalSecondaryIndexes=[
            index("gsi-all", "gsiPk"),
            index("gsi-keys", "gsiPk2", projection="KEYS_ONLY"),
            index("gsi-inc", "gsiPk2", projection="INCLUDE", include=("projattr",)),
        ],
        LocalSecondaryIndexes=[
            index("lsi-all", "pk", "lsiSk"),
            index("lsi-keys", "pk", "lsiSk", projection="KEYS_ONLY"),
            index("lsi-inc", "pk", "lsiSk", projection="INCLUDE", include=("projattr",)),
        ],
    )
    yield found
    found.engine.close()
