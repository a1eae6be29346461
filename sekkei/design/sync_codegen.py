"""Writes sync_database.py out of database.py: `make renew WHAT=faces`. So the two faces cannot drift apart.

Every public coroutine of `Database` becomes a method of the same name, parameters and result that runs it to its end.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
HEAD = '''"""The synchronous face of a database: the calls of `Database`, without `await`.

Written by `make renew WHAT=faces` out of database.py; change that one.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from sekkei.clock import SYSTEM, Clock

from .actions import Action, Transaction
from .backfill import Renewal
from .codecs import AttributeValue
from .conditions import Condition
from .database import Database
from .keys import Ref
from .measured import Measurements
from .query import Query
from .reading import First, Page
from .sync_driver import drive, without_loop
from .unique import Unique

if TYPE_CHECKING:
    from sekkei.store.protocol import Store

    from .design import Design
    from .table import Table

M = TypeVar("M")
T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


class SyncDatabase:
    """Made by `design.open_sync(store)`. Any number of threads may use it.

    On a store in this process a call runs in the caller's thread; any other store has one thread of its own.
    """

    def __init__(
        self,
        design: Design,
        store: Store,
        *,
        env: str = "dev",
        secret: bytes | None = None,
        clock: Clock = SYSTEM,
        measure: bool = False,
    ) -> None:
        design.check()
        self.store = store
        self._db = Database(design, without_loop(store), env=env, secret=secret, clock=clock, measure=measure)
        self.design, self.env, self.clock = design, env, clock

    @property
    def measurements(self) -> Measurements:
        """What each pattern cost, when the database measures."""
        return self._db.measurements

    def table_name(self, table: Table) -> str:
        """The table's name in the store."""
        return self._db.table_name(table)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return drive(coroutine)
'''
_EACH = '''
    def each(self, query: Query[M]) -> Iterator[M]:
        """`for task in db.each(query)`: every item, however many there are."""
        items = self._db.each(query)
        while True:
            try:
                yield self._run(items.__anext__())  # type: ignore[arg-type]
            except StopAsyncIteration:
                return
'''


def generate() -> str:
    """The text of sync_database.py."""
    tree = ast.parse((HERE / "database.py").read_text(encoding="utf-8"))
    database = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Database")
    parts = [HEAD]
    for node in database.body:
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_"):
            parts.append(_method(node))
        elif isinstance(node, ast.FunctionDef) and node.name == "each":
            parts.append(_EACH)
    return _formatted("".join(parts))


def _method(node: ast.AsyncFunctionDef) -> str:
    overloaded = any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)
    result = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    head = f"    def {node.name}({ast.unparse(node.args)}){result}:"
    if overloaded:
        return f"\n    @overload\n{head} ...\n"
    text = ast.get_docstring(node) or ""
    plain = re.sub(r"`await (.*?)`", r"`\1`", text).replace("\n", "\n        ")
    closing = "\n        " if "\n" in text else ""
    body = f'''\
        """{plain}{closing}"""
        call = self._db.{node.name}({_passed(node.args)})
        return self._run(call)
'''
    return f"\n{head}\n{body}"


def _passed(arguments: ast.arguments) -> str:
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args) if each.arg != "self"]
    rest = [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    named = [f"{each.arg}={each.arg}" for each in arguments.kwonlyargs]
    return ", ".join((*positional, *rest, *named))


def _formatted(text: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--quiet", "--stdin-filename", str(HERE / "sync_database.py"), "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
