"""SELECT: a page of what its reads find, each after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from sekkei.engine.expressions.nodes import Path, walk
from sekkei.engine.items import keys
from sekkei.engine.items.key_range import whole_segment
from sekkei.engine.items.page import Page, filled
from sekkei.engine.items.values import Item
from sekkei.engine.operation import Checked, Render, Response, Slices
from sekkei.engine.partiql import next_token
from sekkei.engine.partiql.columns import Columns
from sekkei.engine.partiql.conditions import Bindings, StatementCondition
from sekkei.engine.partiql.key_plan import KeyPlanner, Read
from sekkei.engine.partiql.next_token import Position
from sekkei.engine.partiql.ordering import order_of
from sekkei.engine.partiql.prepared import Selection
from sekkei.engine.storage.catalogue import Index, Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.errors import ValidationException

_INVALID = "One or more parameter values were invalid: "


def select(snapshot: Snapshot, selection: Selection, request: dict[str, Any], render: Render) -> Slices:
    """One page; `request` is the ExecuteStatement that asks for it."""
    table = snapshot.table(selection.target.table_name)
    index = index_of(table, selection)
    columns = selection.columns()
    _check_index(index, columns, bool(request.get("ConsistentRead")))
    reads = _reads(table, index, selection)
    order = order_of(selection, table.key if index is None else index.key, reads)
    if reads is None:
        reads = [Read({}, whole_segment(None, None), () if selection.where is None else (selection.where,), False)]
    elif order is not None:
        reads = order.arranged(reads)
    binding = next_token.binding_of(table, request["Statement"], request.get("Parameters", ()))
    position = Position(0, None)
    if "NextToken" in request:
        position = next_token.read(request["NextToken"], binding, len(reads), table, index)
    checked = Checked(request, table.name, projection=columns)
    page = Page(table, index, checked, render)
    forward = order is None or not order.descending

    def fill(read: Read, start: Item | None) -> Slices:
        checked.filter = StatementCondition(read.filter, selection.bindings) if read.filter is not None else None
        yield from filled(snapshot, page, read.within, start, forward)
        return page.answer()

    answer, following = yield from _filled(fill, reads, position, is_table=index is None)
    return _answer(answer, following, binding)


def _filled(
    fill: Callable[[Read, Item | None], Slices], reads: list[Read], position: Position, is_table: bool
) -> Generator[None, None, tuple[Response, Position | None]]:
    """The answer of a page filled by one read after the other, and where the next page begins."""
    start = position.start
    answer: Response = {}
    for number in range(position.read, len(reads)):
        read = reads[number]
        answer = yield from fill(read, start)
        start = None
        last = answer.get("LastEvaluatedKey")
        if last is not None:
            if not (read.is_one_item and is_table):
                return answer, Position(number, last)
            # One item was all there was: what remains begins with the next read.
            return answer, Position(number + 1, None) if number + 1 < len(reads) else None
    return answer, None


def _answer(answer: Response, following: Position | None, binding: str) -> Response:
    response: Response = {"Items": answer["Items"]}
    if following is not None:
        response["NextToken"] = next_token.written(binding, following)
        response["LastEvaluatedKey"] = answer["LastEvaluatedKey"]
    if "ConsumedCapacity" in answer:
        response["ConsumedCapacity"] = answer["ConsumedCapacity"]
    return response


# --- checks against the table


def index_of(table: Table, selection: Selection) -> Index | None:
    """The index that a SELECT names. One with a key of several attributes cannot be read by a statement."""
    name = selection.target.index_name
    if name is None:
        return None
    index = table.indexes.get(name)
    if index is None:
        raise ValidationException("The table does not have the specified index")
    if len(index.key.hash) > 1 or len(index.key.range) > 1:
        raise ValidationException(
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys "
            "or multi-attribute RANGE keys."
        )
    return index


def _check_index(index: Index | None, columns: Columns | None, consistent: bool) -> None:
    if index is None:
        return
    if index.is_global and consistent:
        raise ValidationException("Strongly consistent read is not supported on Global Secondary Indexes")
    if not index.ready:
        raise ValidationException(f"Cannot read from backfilling global secondary index: {index.name}")
    if index.is_global and index.projected is not None and columns is not None:
        missing = [name for name in columns.in_order if name not in index.projected]
        if missing:
            raise ValidationException(
                f"{_INVALID}Global secondary index {index.name} does not project [{', '.join(missing)}]"
            )


def _reads(table: Table, index: Index | None, selection: Selection) -> list[Read] | None:
    if selection.where is None:
        return None
    schema = table.key if index is None else index.key
    reads = KeyPlanner(schema, selection.bindings).reads(selection.where)
    if reads is not None and index is not None and index.projected is not None:
        _check_filters(index, reads, selection.bindings)
    return reads


def _check_filters(index: Index, reads: list[Read], bindings: Bindings) -> None:
    """A keyed read of an index cannot filter by what the index does not hold, unless one of its reads need not."""
    assert index.projected is not None, "asked only of an index that holds a part"
    missing: list[str] = []
    for read in sorted(reads, key=lambda read: keys.part_bytes(read.partition)):
        missing = [name for name in _attributes(read, bindings) if name not in index.projected]
        if not missing:
            return
    raise ValidationException(
        f"{_INVALID}Secondary index {index.name} does not project one or more filter attributes: [{', '.join(missing)}]"
    )


def _attributes(read: Read, bindings: Bindings) -> list[str]:
    found = [
        bindings.names[str(node.elements[0])]
        for condition in read.filters
        for node in walk(condition)
        if isinstance(node, Path)
    ]
    return list(dict.fromkeys(found))
