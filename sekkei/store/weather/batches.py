"""Batches of which only a part is done."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from sekkei.store.protocol import Request, Response

_UNPROCESSED = {"BatchGetItem": "UnprocessedKeys", "BatchWriteItem": "UnprocessedItems"}


def split(operation: str, request: Request, held_back: Set[int]) -> tuple[Request, dict[str, Any]]:
    """The request without the entries at these positions, and those as they will be returned."""
    done: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    position = 0
    for table, wanted in request["RequestItems"].items():
        entries = wanted["Keys"] if operation == "BatchGetItem" else wanted
        positions = range(position, position + len(entries))
        position += len(entries)
        for target, is_held in ((done, False), (kept, True)):
            chosen = [entry for at, entry in zip(positions, entries, strict=True) if (at in held_back) is is_held]
            if chosen:
                target[table] = {**wanted, "Keys": chosen} if operation == "BatchGetItem" else chosen
    return {**request, "RequestItems": done}, kept


def give_back(operation: str, response: Response, kept: dict[str, Any]) -> None:
    """Add to a response's unprocessed entries those that were held back."""
    unprocessed = response.setdefault(_UNPROCESSED[operation], {})
    for table, entries in kept.items():
        there = unprocessed.get(table)
        if there is None:
            unprocessed[table] = entries
        elif operation == "BatchGetItem":
            unprocessed[table] = {**there, "Keys": there["Keys"] + entries["Keys"]}
        else:
            unprocessed[table] = there + entries
