"""Transactions that were done, by their ClientRequestToken: a repetition gets the first one's answer."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from sekkei.engine.storage.sealed import seal, unseal
from sekkei.engine.storage.transaction import Transaction
from sekkei.errors import IdempotentParameterMismatchException

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
