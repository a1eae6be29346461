"""What every store is: an operation's name and a request go in; a response or a typed DynamoDB error comes out.

Requests and responses have the shape of DynamoDB's JSON protocol, to the letter: `{"S": "text"}`, numbers as
`{"N": "12.5"}`, binary as base64 text `{"B": "aGk="}`. Nothing above the seam knows which store answers, and nothing
below it knows designs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Request = Mapping[str, Any]
Response = dict[str, Any]


class Store(Protocol):
    """Answers DynamoDB's operations, DynamoDB Streams' included."""

    async def call(self, operation: str, request: Request) -> Response:
        """Perform one operation, such as `await store.call("GetItem", {"TableName": ..., "Key": ...})`.

        Raises a subclass of `sekkei.errors.DynamoDBError`.
        """
        ...

    async def close(self) -> None:
        """Let go of files and connections; calls under way end first."""
        ...


def version_of(store: Store) -> int | None:
    """A number that is another one after any process has written; None when the store cannot tell."""
    tell = getattr(store, "version", None)
    found: int | None = tell() if tell is not None else None
    return found
