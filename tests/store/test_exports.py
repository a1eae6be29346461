"""The public surface of the store floor."""

from __future__ import annotations

import sekkei.store as store


def test_every_public_name_is_there():
    for name in store.__all__:
        assert getattr(store, name) is not None
    assert sorted(store.__all__) == store.__all__
    assert set(store.__all__) == {
        "ConfigurationError",
        "Credentials",
        "CredentialsError",
        "DamagedAnswer",
        "Embedded",
        "NoAnswer",
        "Remote",
        "Request",
        "Response",
        "Retries",
        "Retrying",
        "Store",
        "StoreClosed",
        "UnknownError",
        "Weather",
        "open_store",
    }
