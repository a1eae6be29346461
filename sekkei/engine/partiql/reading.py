"""SELECT: a page of what its reads find, each after the other."""

from __future__ import annotations

from typing import Any

from sekkei.engine import keys
from sekkei.engine.catalogue import Index, Table
from sekkei.engine.errors import ValidationException
from sekkei.engine.expressions import BoundCondition
from sekkei.engine.expressions.nodes import Condition, Path, walk
from sekkei.engine.frame import Render, Response
from sekkei.engine.key_range import whole_segment
from sekkei.engine.page import Page, rows_from
from sekkei.engine.partiql import next_token
from sekkei.engine.partiql.columns import Columns
from sekkei.engine.partiql.conditions import Bindings, bound
from sekkei.engine.partiql.key_plan import KeyPlanner, Read
from sekkei.engine.partiql.next_token import Position
from sekkei.engine.partiql.ordering import Order, order_of
from sekkei.engine.partiql.prepared import Selection
from sekkei.engine.snapshot import Snapshot
from sekkei.engine.validation.checked import Checked

_INVALID = "One or more parameter values were invalid: "


def select(snapshot: Snapshot, selection: Selection, request: dict[str, Any], render: Render) -> Response:
    """One page; `request` is the ExecuteStatement that asks for it."""
    table = snapshot.table(selection.target.table_name)
    index = index_of(table, selection)
    columns = selection.columns()
    _check_index(index, columns, bool(request.get("ConsistentRead")))
    reads = _reads(table, index, selection)
    order = order_of(selection, table.key if index is None else index.key, reads)
    if order is not None and reads is not None:
        reads = order.arranged(reads)
    binding = next_token.binding_of(table, request["Statement"], request.get("Parameters", ()))
    position = Position(0, None)
    if "NextToken" in request:
        position = next_token.read(request["NextToken"], binding, len(reads) if reads else 1, table, index)
    checked = Checked(request, table.name, projection=columns)
    page = Page(table, index, checked, render)
    if reads is None:
        checked.filter = _filter(selection.where, selection.bindings)
        page.fill(rows_from(snapshot, table, index, whole_segment(None, None), position.start, forward=True))
        return _answer(page.answer(), binding, 0)
    return _filled(snapshot, page, checked, reads, position, order, selection.bindings, binding)


def _filled(
    snapshot: Snapshot,
    page: Page,
    checked: Checked,
    reads: list[Read],
    position: Position,
    order: Order | None,
    bindings: Bindings,
    binding: str,
) -> Response:
    forward = order is None or not order.descending
    start = position.start
    for number in range(position.read, len(reads)):
        read = reads[number]
        checked.filter = _filter(read.filter, bindings)
        page.fill(rows_from(snapshot, page.table, page.index, read.within, start, forward))
        answer = page.answer()
        if "LastEvaluatedKey" in answer:
            if not read.is_one_item or page.index is not None:
                return _answer(answer, binding, number)
            # One item was all there was: what remains begins with the next read.
            return _answer_between(answer, binding, number + 1, len(reads))
        start = None
    return _answer(page.answer(), binding, 0)


def _answer(answer: Response, binding: str, read: int) -> Response:
    response: Response = {"Items": answer["Items"]}
    last = answer.get("LastEvaluatedKey")
    if last is not None:
        response["NextToken"] = next_token.written(binding, Position(read, last))
        response["LastEvaluatedKey"] = last
    if "ConsumedCapacity" in answer:
        response["ConsumedCapacity"] = answer["ConsumedCapacity"]
    return response


def _answer_between(answer: Response, binding: str, following: int, reads: int) -> Response:
    response = _answer({**answer, "LastEvaluatedKey": None}, binding, 0)
    if following < reads:
        response["NextToken"] = next_token.written(binding, Position(following, None))
    return response


def _filter(condition: Condition | None, bindings: Bindings) -> BoundCondition | None:
    return bound(condition, bindings) if condition is not None else None


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
