"""Small records that operations keep in the file, by kind and id."""

from __future__ import annotations

from typing import Any

import orjson

from sekkei.engine.snapshot import Snapshot
from sekkei.engine.transaction import Transaction

Document = dict[str, Any]


def find(snapshot: Snapshot, kind: str, id: str) -> Document | None:
    rows = snapshot.rows("SELECT body FROM documents WHERE kind = ? AND id = ?", (kind, id))
    return orjson.loads(rows[0][0]) if rows else None


def all_of(snapshot: Snapshot, kind: str) -> list[tuple[str, Document]]:
    """In the order of their ids."""
    rows = snapshot.rows("SELECT id, body FROM documents WHERE kind = ? ORDER BY id", (kind,))
    return [(id, orjson.loads(body)) for id, body in rows]


def save(transaction: Transaction, kind: str, id: str, document: Document) -> None:
    transaction.wrote = True
    transaction.connection.execute(
        "INSERT OR REPLACE INTO documents(kind, id, body) VALUES (?, ?, ?)", (kind, id, orjson.dumps(document))
    )


def delete(transaction: Transaction, kind: str, id: str) -> None:
    transaction.wrote = True
    transaction.connection.execute("DELETE FROM documents WHERE kind = ? AND id = ?", (kind, id))
