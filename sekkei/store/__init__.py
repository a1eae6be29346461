"""The seam: something that answers DynamoDB's operations.

store = open_store("./data/app.db")               the embedded engine, durable in one file
store = open_store(":memory:")                    the same, for a test
store = open_store("dynamodb://ap-northeast-1")   Amazon's
store = open_store("http://127.0.0.1:8001")       any endpoint of that API

item = (await store.call("GetItem", {"TableName": "users", "Key": {"id": {"S": "1"}}})).get("Item")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from sekkei.clock import SYSTEM, Clock
from sekkei.errors import (
    ConfigurationError,
    CredentialsError,
    DamagedAnswer,
    NoAnswer,
    StoreClosed,
    UnknownError,
)
from sekkei.store.protocol import Request, Response, Store

if TYPE_CHECKING:
    from sekkei.store.aws.credentials import Credentials
    from sekkei.store.embedded import Embedded
    from sekkei.store.remote import Remote
    from sekkei.store.retries import Retries, Retrying
    from sekkei.store.weather import Weather

__all__ = [
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
]

_HOMES = {
    "Credentials": "sekkei.store.aws.credentials",
    "Embedded": "sekkei.store.embedded",
    "Remote": "sekkei.store.remote",
    "Retries": "sekkei.store.retries",
    "Retrying": "sekkei.store.retries",
    "Weather": "sekkei.store.weather",
}


def __getattr__(name: str) -> Any:
    # A program that is remote need not load SQLite, and one that is embedded needs no HTTP.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def open_store(url: str, *, clock: Clock = SYSTEM) -> Store:
    """The store that a setting names: a path, `file:` URL or `:memory:`; `dynamodb://REGION`; an endpoint's URL."""
    scheme, separator, rest = url.partition(":")
    if scheme in ("http", "https"):
        from sekkei.store.remote import Remote

        return Remote(endpoint_url=url, clock=clock)
    if scheme == "dynamodb":
        from sekkei.store.remote import Remote

        return Remote(region=rest.strip("/") or None, clock=clock)
    from sekkei.store.embedded import Embedded

    if url == ":memory:":
        return Embedded(clock=clock)
    if scheme == "file" and separator:
        return Embedded(_path_of(url), clock=clock)
    if not url or rest.startswith("//"):
        raise ConfigurationError(
            f"{url!r} names no store: give a path, :memory:, dynamodb://REGION or an endpoint's http(s):// URL"
        )
    return Embedded(url, clock=clock)


def _path_of(url: str) -> str:
    parts = urlsplit(url)
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost") or not path or parts.query or parts.fragment:
        raise ConfigurationError(f"{url!r} names no file: it must look like file:data/app.db or file:///data/app.db")
    return path
