"""A store around another store, with work before and after each call; and the parts of a request, item by item.

class Counting(Wrapper):
    def before(self, operation, request):
        self.calls += 1
        return request
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sekkei.store.protocol import Request, Response, Store, version_of

READS = frozenset({"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"})
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})

_ACTIONS = {
    "Get": "GetItem",
    "Put": "PutItem",
    "PutRequest": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "DeleteRequest": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}


class Wrapper:
    """Any store. By itself it changes nothing; what derives from it overrides `before`, `after` and `failed`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.answers_surely: bool = getattr(store, "answers_surely", False)

    def __repr__(self) -> str:
        return repr(self.store)

    def version(self) -> int | None:
        """Return the store's version; it changes with every write of any process. None if the store has none."""
        return version_of(self.store)

    def before(self, operation: str, request: Request) -> Request:
        """Return the request to send. The caller's own stays as it is."""
        return request

    def after(self, operation: str, request: Request, response: Response) -> Response:
        """Return the response to the caller's request."""
        return response

    def failed(self, operation: str, request: Request, error: BaseException) -> None:
        """Take note of an error, which is then raised. A call that was cancelled may have been carried out."""

    async def call(self, operation: str, request: Request) -> Response:
        sent = self.before(operation, request)
        try:
            response = await self.store.call(operation, sent)
        except BaseException as error:
            self.failed(operation, request, error)
            raise
        return self.after(operation, request, response)

    async def close(self) -> None:
        await self.store.close()


class Part(NamedTuple):
    """What a request does with one item, or with one range of items."""

    table: str
    action: str
    """The operation that does it alone; or ConditionCheckItem, as IAM calls it."""
    request: Mapping[str, Any]
    """Its own part of the request: Key or Item, expressions."""

    @property
    def item(self) -> Mapping[str, Any]:
        """The item that is put, or the key of the item."""
        found: Mapping[str, Any] = self.request.get("Item") or self.request["Key"]
        return found


def parts_of(operation: str, request: Request) -> Iterator[Part]:
    """Return the parts of a request that reads or writes items, in its order."""
    if operation == "BatchWriteItem":
        for table, entries in request["RequestItems"].items():
            yield from (Part(table, _ACTIONS[kind], part) for entry in entries for kind, part in entry.items())
    elif operation == "BatchGetItem":
        for table, wanted in request["RequestItems"].items():
            yield from (Part(table, "GetItem", {"Key": key}) for key in wanted["Keys"])
    elif operation in ("TransactWriteItems", "TransactGetItems"):
        for entry in request["TransactItems"]:
            yield from (Part(part["TableName"], _ACTIONS[kind], part) for kind, part in entry.items())
    else:
        yield Part(request["TableName"], operation, request)


def consumed(response: Response) -> list[Mapping[str, Any]]:
    """Return the ConsumedCapacity of each table that the call took units of."""
    found = response.get("ConsumedCapacity") or []
    return found if isinstance(found, list) else [found]
