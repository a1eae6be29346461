"""Small records that operations keep in the file, by kind and id."""

from __future__ import annotations

from typing import Any

from sekkei.engine.storage.sealed import seal, unseal
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.storage.transaction import Transaction

Document = dict[str, Any]


def find(snapshot: Snapshot, kind: str, id: str) -> Document | None:
    rows = snapshot.rows("SELECT body FROM documents WHERE kind = ? AND id = ?", (kind, id))
    return unseal(rows[0][0], kind, id) if rows else None


def all_of(snapshot: Snapshot, kind: str) -> list[tuple[str, Document]]:
    """In the order of their ids."""
    rows = snapshot.rows("SELECT id, body FROM documents WHERE kind = ? ORDER BY id", (kind,))
    return [(id, unseal(body, kind, id)) for id, body in rows]


def save(transaction: Transaction, kind: str, id: str, document: Document) -> None:
    transaction.wrote = True
    transaction.connection.execute(
        "INSERT OR REPLACE INTO documents(kind, id, body) VALUES (?, ?, ?)", (kind, id, seal(document, kind, id))
    )


def delete(transaction: Transaction, kind: str, id: str) -> None:
    transaction.wrote = True
    transaction.connection.execute("DELETE FROM documents WHERE kind = ? AND id = ?", (kind, id))
