"""What each function of a system really asks of its tables, as tests have seen it: `calls.json` beside the design.

    {"http": {"task-table-v3": ["GetItem", "Query"], "task-table-v3/index/GSI_Invert": ["Query"]}, "stream": {...}}

Patterns say what is read; services also compose transactions and batches, which no plan tells. The tests of the systems
note every call (`make renew WHAT=calls` writes the files) and fail for one that is not written there, so the role of
each function allows what that function does and nothing else. What only a process does (reading streams by itself,
live updates, commands) stands under `process`, and no function may do it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sekkei.store.wrapper import READS, WRITES, parts_of

Calls = Mapping[str, Mapping[str, list[str]]]
"""By function: actions by table, or by table/index/name."""
FUNCTIONS = ("http", "stream", "work", "process")

SINGLE = frozenset({"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"})


def beside(home: Path) -> Path:
    """Where the calls of a design are kept, given the file or folder that it lives in."""
    return home / "calls.json" if home.is_dir() else home.with_suffix(".calls.json")


def load(path: Path) -> Calls | None:
    """None when nobody has noted any."""
    if not path.exists():
        return None
    found = json.loads(path.read_text("utf-8"))
    if any(isinstance(actions, list) for actions in found.values()):
        return dict.fromkeys(FUNCTIONS, found)  # noted before functions were told apart
    noted: Calls = found
    return noted


def asked(operation: str, request: Mapping[str, Any]) -> Iterator[tuple[str, str | None, str]]:
    """Table, index and action of everything that IAM is asked for one call that reads or writes items."""
    if operation in ("BatchGetItem", "BatchWriteItem"):
        yield from ((table, None, operation) for table in request["RequestItems"])
    elif operation in READS | WRITES:
        for part in parts_of(operation, request):
            yield part.table, part.request.get("IndexName"), part.action
