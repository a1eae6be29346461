"""Small records that operations keep in the file, by kind and id; and finished transactions by ClientRequestToken.

A transaction that is repeated with its token gets the first one's answer.
"""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from sekkei.engine.storage.snapshot import Snapshot, seal, unseal
from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import IdempotentParameterMismatchException

_Document = dict[str, Any]


def find(snapshot: Snapshot, kind: str, id: str) -> _Document | None:
    rows = snapshot.rows("SELECT body FROM documents WHERE kind = ? AND id = ?", (kind, id))
    return unseal(rows[0][0], kind, id) if rows else None


def all_of(snapshot: Snapshot, kind: str) -> list[tuple[str, _Document]]:
    """In the order of their ids."""
    rows = snapshot.rows("SELECT id, body FROM documents WHERE kind = ? ORDER BY id", (kind,))
    return [(id, unseal(body, kind, id)) for id, body in rows]


def save(transaction: Transaction, kind: str, id: str, document: _Document) -> None:
    transaction.wrote = True
    transaction.connection.execute(
        "INSERT OR REPLACE INTO documents(kind, id, body) VALUES (?, ?, ?)", (kind, id, seal(document, kind, id))
    )


def delete(transaction: Transaction, kind: str, id: str) -> None:
    transaction.wrote = True
    transaction.connection.execute("DELETE FROM documents WHERE kind = ? AND id = ?", (kind, id))


TOKEN_SECONDS = 600
"""How long DynamoDB remembers one."""


def digest(actions: list[Any]) -> bytes:
    """Of what a request would do; how it wants to be answered is no part of that."""
    return hashlib.sha256(orjson.dumps(actions, option=orjson.OPT_SORT_KEYS)).digest()


def earlier_answer(transaction: Transaction, token: str, digest: bytes) -> dict[str, Any] | None:
    since = int((transaction.now - TOKEN_SECONDS) * 1000)
    rows = transaction.rows(
        "SELECT digest, answer, time_ms FROM tokens WHERE token = ? AND time_ms > ?", (token, since)
    )
    if not rows:
        return None
    known, answer, time_ms = rows[0]
    response: dict[str, Any] = unseal(answer, "token", token, known, time_ms)
    if known != digest:
        raise IdempotentParameterMismatchException("Request was issued with the same token but different parameters")
    return response


def remember(transaction: Transaction, token: str, digest: bytes, answer: dict[str, Any]) -> None:
    now_ms = int(transaction.now * 1000)
    transaction.wrote = True
    transaction.connection.execute(
        "INSERT OR REPLACE INTO tokens(token, digest, answer, time_ms) VALUES (?, ?, ?, ?)",
        (token, digest, seal(answer, "token", token, digest, now_ms), now_ms),
    )
