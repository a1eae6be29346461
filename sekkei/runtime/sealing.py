"""Message bodies are sealed in the store: sign-in codes, invitation links and personal texts are for whoever gets the
message, not for whoever reads the tables. So is what schedules and jobs are given, what a repeated request is
answered, and records that were set aside.

A store that seals some attributes of one table with AES-256-GCM under a key derived from SEKKEI_SECRET, and opens them
for this program. A body belongs to its row: one that was copied into another row does not open.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sekkei.errors import ConditionalCheckFailedException, TransactionCanceledException
from sekkei.kit.signing import derived
from sekkei.runtime.outbox import CLOSED
from sekkei.store.protocol import Request, Response, Store
from sekkei.store.wrapper import Wrapper

MARK = "sealed.1."
NONCE_BYTES = 12
NOTHING = {"M": dict[str, Any]()}
"""A body without anything in it: there is nothing to keep from anybody."""
Row = dict[str, Any]


class Sealed(Wrapper):
    """The store underneath, with `attributes` of the rows of `table` sealed in it.

    The first key seals; every key opens.
    """

    def __init__(self, store: Store, table: str, attributes: Sequence[str], *keys: bytes) -> None:
        super().__init__(store)
        self._table, self._attributes = table, attributes
        self._ciphers = [AESGCM(key) for key in keys]
        self._nonces = derived(keys[0], "nonces")

    def after(self, operation: str, request: Request, response: Response) -> Response:
        if operation == "TransactGetItems":
            self._open_parts(request, response["Responses"])
        elif request.get("TableName") == self._table or operation == "BatchGetItem":
            for row in _rows(response, self._table):
                self._open(row)
        return response

    def failed(self, operation: str, request: Request, error: BaseException) -> None:
        if isinstance(error, TransactionCanceledException):
            self._open_parts(request, error.reasons)
        elif isinstance(error, ConditionalCheckFailedException) and request.get("TableName") == self._table:
            self._open(error.item or {})

    def _open_parts(self, request: Request, answers: Sequence[Mapping[str, Any]]) -> None:
        """The answers to the parts of a transaction, in their order; rows of other tables are as they are."""
        for part, answer in zip(request["TransactItems"], answers, strict=False):
            if any(inside.get("TableName") == self._table for inside in part.values()):
                self._open(answer.get("Item") or {})

    def before(self, operation: str, request: Request) -> Request:
        """Return the same request with sealed rows."""
        if operation == "PutItem":
            ours = request.get("TableName") == self._table
            return {**request, "Item": self._seal(request["Item"])} if ours else request
        if operation == "TransactWriteItems":
            return {**request, "TransactItems": [self._sealed_part(part) for part in request["TransactItems"]]}
        entries = request["RequestItems"].get(self._table) if operation == "BatchWriteItem" else None
        if not entries:
            return request
        sealed = [
            {"PutRequest": {"Item": self._seal(entry["PutRequest"]["Item"])}} if "PutRequest" in entry else entry
            for entry in entries
        ]
        return {**request, "RequestItems": {**request["RequestItems"], self._table: sealed}}

    def _sealed_part(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        put = part.get("Put")
        if put is None or put.get("TableName") != self._table:
            return part
        return {**part, "Put": {**put, "Item": self._seal(put["Item"])}}

    def _seal(self, row: Mapping[str, Any]) -> Row:
        sealed = {name: self._closed(row[name], row) for name in self._attributes if row.get(name, NOTHING) != NOTHING}
        return {**row, **sealed}

    def _closed(self, value: Mapping[str, Any], row: Mapping[str, Any]) -> Mapping[str, str]:
        # Made of what is sealed: a transaction that is sent again under its token must be the same to the byte.
        text, name = orjson.dumps(value), _name(row)
        nonce = hashlib.blake2b(name + text, key=self._nonces, digest_size=NONCE_BYTES).digest()
        box = nonce + self._ciphers[0].encrypt(nonce, text, name)
        return {"S": MARK + base64.b64encode(box).decode()}

    def opened(self, row: Row) -> Row:
        """A row as it lies in the table, with what is sealed in it."""
        found = dict(row)
        self._open(found)
        return found

    def _open(self, row: Row) -> None:
        for name in self._attributes:
            text = row.get(name, {}).get("S", "")
            if text.startswith(MARK) and "PK" in row:
                row[name] = self._opened(text, row)

    def _opened(self, text: str, row: Row) -> Any:
        box = base64.b64decode(text[len(MARK) :])
        for cipher in self._ciphers:
            with suppress(InvalidTag):
                return orjson.loads(cipher.decrypt(box[:NONCE_BYTES], box[NONCE_BYTES:], _name(row)))
        return {"M": {name: {"S": words} for name, words in CLOSED.items()}}


def _name(row: Mapping[str, Any]) -> bytes:
    """What the row is called, so that a body cannot be moved to another one."""
    return orjson.dumps([row["PK"], row["SK"]])


def _rows(answer: Response, table: str) -> Iterator[Row]:
    for name in ("Item", "Attributes"):
        if isinstance(answer.get(name), dict):
            yield answer[name]
    yield from answer.get("Items", ())
    yield from answer.get("Responses", {}).get(table, ())
