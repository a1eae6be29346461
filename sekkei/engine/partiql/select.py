"""SELECT: the ranges that it reads, their order, a page of their items, and the NextToken after it.

DynamoDB spreads a WHERE clause over its alternatives: `pk IN ['a', 'b'] AND sk > 1` is two reads, each of one range of
one partition. Conditions that are not about the key stay with the read as its filter. Where one of the alternatives
does not name a partition, the whole table is read and the whole clause is the filter. ORDER BY is by the key, and only
where the WHERE clause names the partitions. A NextToken fits that statement with those parameters only.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

import orjson

from sekkei.engine.expressions.nodes import And, ConditionTree, Not, Operation, Or, Path, Value, walk
from sekkei.engine.items import keys
from sekkei.engine.items.page import KeyRange, Page, filled, key_range, whole_segment
from sekkei.engine.items.values import AttributeValue, Item, type_of
from sekkei.engine.operation import Checked, Render, Response, Slices
from sekkei.engine.partiql.clauses import Bindings, Columns, StatementCondition, document_path
from sekkei.engine.partiql.prepared import Selection
from sekkei.engine.storage.catalogue import Index, KeyPart, KeySchema, Table
from sekkei.engine.storage.snapshot import Snapshot
from sekkei.engine.validation.against_table import check_not_empty
from sekkei.errors import ValidationException

_DIGEST_BYTES = 16


class _Position(NamedTuple):
    """The read that goes on, and the key beyond which it does; no key when it has not begun."""

    read: int
    start: Item | None


def _binding_of(table: Table, statement: str, parameters: Sequence[dict[str, Any]]) -> str:
    """What a token is bound to. A table made anew under the same name is another one."""
    content = orjson.dumps([table.id, statement, parameters], option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def _written(binding: str, position: _Position) -> str:
    return base64.b64encode(orjson.dumps([binding, position.read, position.start])).decode()


def read(token: str, binding: str, reads: int, table: Table, index: Index | None) -> _Position:
    """The position that a token stands for; raises for one that this statement did not get."""
    try:
        content = orjson.loads(base64.b64decode(token, validate=True))
    except (binascii.Error, ValueError):
        raise _invalid() from None
    if not isinstance(content, list) or len(content) != 3:
        raise _invalid()
    if content[0] != binding:
        raise ValidationException("NextToken does not match request")
    number, start = content[1:]
    if type(number) is not int or not 0 <= number < reads:
        raise _invalid()
    parts = {part.name: part for part in (*table.key.parts, *(index.key.parts if index else ()))}
    if start is not None and not _is_key(start, parts):
        raise _invalid()
    return _Position(number, start)


def _is_key(start: Any, parts: dict[str, KeyPart]) -> bool:
    """A token can be made up by anyone; one that is not made of key values would be a fault of ours later on."""
    if not isinstance(start, dict) or start.keys() != parts.keys():
        return False
    return all(
        isinstance(start[name], dict) and isinstance(start[name].get(part.type), str) for name, part in parts.items()
    )


def _invalid() -> ValidationException:
    return ValidationException("Invalid NextToken")


_READS_MAX = 50
_BRANCHES_MAX = 1000
_FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SORT_OPERATORS = frozenset({"=", "<", "<=", ">", ">=", "BETWEEN", "begins_with", "IN"})


class _Branch(NamedTuple):
    """One alternative of a clause: conditions on the key, and all others."""

    on_key: tuple[Operation, ...] = ()
    filters: tuple[ConditionTree, ...] = ()

    def joined(self, other: _Branch) -> _Branch:
        return _Branch(self.on_key + other.on_key, self.filters + other.filters)

    @property
    def whole(self) -> ConditionTree:
        return And((*self.on_key, *self.filters))


class _Read(NamedTuple):
    """One range of one partition, and the condition on what lies in it."""

    partition: AttributeValue
    """Empty where everything is read."""
    within: KeyRange
    filters: tuple[ConditionTree, ...]
    is_one_item: bool
    """Whether the range is one whole key, so that after one item there is nothing to go on with."""

    @property
    def filter(self) -> ConditionTree | None:
        return And(self.filters) if len(self.filters) > 1 else self.filters[0] if self.filters else None


class TooManyBranches(Exception):
    """The clause has more alternatives than are worth telling apart."""


class KeyPlanner:
    """Plans the reads of one clause on the table or index whose key is given."""

    def __init__(self, schema: KeySchema, bindings: Bindings) -> None:
        self._schema = schema
        self._hash = schema.hash[0]
        self._range = schema.range[0] if schema.range else None
        self._bindings = bindings
        # Alternatives share their conditions, so each is looked at once.
        self._tests: dict[int, list[Operation]] = {}
        self._excluding: dict[int, bool] = {}

    def reads(self, tree: ConditionTree) -> list[_Read] | None:
        """The reads in the order of the clause; None when everything has to be read."""
        self._check_types(tree)
        try:
            branches = self._branches(tree)
        except TooManyBranches:
            if self._pins_partition(tree):
                raise _too_many() from None
            return None
        partitions = [self._partition(branch) for branch in branches]
        pinned = [partition for partition in partitions if partition is not None]
        if len(pinned) < len(branches):
            return None
        reads = self._without_overlap(branches, pinned)
        if len(branches) > _READS_MAX:
            raise _too_many()
        return reads

    # --- the clause as alternatives

    def _branches(self, node: ConditionTree) -> list[_Branch]:
        if isinstance(node, And):
            return self._conjunction([self._branches(part) for part in node.parts])
        if isinstance(node, Or) and self._speaks_of_key(node):
            found = [branch for part in node.parts for branch in self._branches(part)]
            if len(found) > _BRANCHES_MAX:
                raise TooManyBranches
            return found
        if isinstance(node, Operation):
            tests = self._key_tests(node)
            if tests:
                return [_Branch(on_key=(test,)) for test in tests]
        return [_Branch(filters=(node,))]

    @staticmethod
    def _conjunction(parts: list[list[_Branch]]) -> list[_Branch]:
        single = [branches[0] for branches in parts if len(branches) == 1]
        common = _Branch(
            tuple(test for branch in single for test in branch.on_key),
            tuple(test for branch in single for test in branch.filters),
        )
        found = [common]
        for branches in parts:
            if len(branches) > 1:
                if len(found) * len(branches) > _BRANCHES_MAX:
                    raise TooManyBranches
                found = [left.joined(right) for left, right in product(found, branches)]
        return found

    def _speaks_of_key(self, node: ConditionTree) -> bool:
        if isinstance(node, Operation):
            return bool(self._key_tests(node))
        return not isinstance(node, Not) and any(self._speaks_of_key(part) for part in node.parts)

    def _pins_partition(self, node: ConditionTree) -> bool:
        """Whether every alternative names a partition, without spreading them out."""
        if isinstance(node, Operation):
            return any(self._part(test) is self._hash for test in self._key_tests(node))
        if isinstance(node, Not):
            return False
        return (any if isinstance(node, And) else all)(self._pins_partition(part) for part in node.parts)

    # --- conditions on the key

    def _key_tests(self, node: Operation) -> list[Operation]:
        """What a condition asks of the key, the attribute first; IN is several equalities. Nothing if it is no such."""
        found = self._tests.get(id(node))
        if found is None:
            found = self._tests[id(node)] = self._found_key_tests(node)
        return found

    def _found_key_tests(self, node: Operation) -> list[Operation]:
        operator, operands = node
        if operator in _FLIPPED and isinstance(operands[0], Value):
            operator, operands = _FLIPPED[operator], (operands[1], operands[0])
        if operator not in _SORT_OPERATORS or not isinstance(operands[0], Path) or len(operands[0].elements) > 1:
            return []
        if not all(isinstance(operand, Value) for operand in operands[1:]):
            return []
        name = self._bindings.names[str(operands[0].elements[0])]
        if name == self._hash.name:
            if operator not in ("=", "IN"):
                return []
        elif self._range is None or name != self._range.name:
            return []
        if operator == "IN":
            return [Operation("=", (operands[0], choice)) for choice in operands[1:]]
        return [Operation(operator, operands)]

    def _part(self, test: Operation) -> KeyPart:
        path = test.operands[0]
        assert isinstance(path, Path), "a test of the key begins with its attribute"
        is_hash = self._bindings.names[str(path.elements[0])] == self._hash.name
        part = self._hash if is_hash else self._range
        assert part is not None, "only a key with a sort part has tests of it"
        return part

    def _values(self, test: Operation) -> list[AttributeValue]:
        return [self._bindings.values[operand.name] for operand in test.operands[1:] if isinstance(operand, Value)]

    def _check_types(self, tree: ConditionTree) -> None:
        for node in walk(tree):
            for test in self._key_tests(node) if isinstance(node, Operation) else ():
                part = self._part(test)
                for value in self._values(test):
                    kind = type_of(value)
                    if kind not in ("S", "N", "B"):
                        raise ValidationException(
                            f"Key value must be of type S, N, or B. Key name: {part.name}, Key type: {kind}"
                        )
                    if kind != part.type:
                        raise ValidationException(
                            f"Key attribute's data type should match its data type in table's schema: Key {part.name}"
                        )

    def _partition(self, branch: _Branch) -> AttributeValue | None:
        """The one partition that an alternative names; None when it names none, or two."""
        values = [self._values(test)[0] for test in branch.on_key if self._part(test) is self._hash]
        return values[0] if values and all(value == values[0] for value in values) else None

    # --- ranges

    def _without_overlap(self, branches: list[_Branch], partitions: list[AttributeValue]) -> list[_Read]:
        """One read for each alternative. Those of one partition must not overlap, unless one of them says what the
        sort key is not: then the partition is read once, by all of its alternatives together."""
        excluding = {
            _identity(partition)
            for branch, partition in zip(branches, partitions, strict=True)
            if any(self._excludes_sort_key(condition) for condition in branch.filters)
        }
        reads: list[_Read] = []
        together: dict[str, list[_Branch]] = {}
        for branch, partition in zip(branches, partitions, strict=True):
            if _identity(partition) in excluding:
                together.setdefault(_identity(partition), []).append(branch)
            else:
                reads.append(self._read(branch, partition))
        _check_apart(reads)
        for partition in partitions:
            alternatives = together.pop(_identity(partition), None)
            if alternatives is not None:
                reads.append(self._read_together(alternatives, partition))
        return reads

    def _read(self, branch: _Branch, partition: AttributeValue) -> _Read:
        for test in branch.on_key:
            for value in self._values(test):
                check_not_empty(self._part(test).name, value)
        within = key_range(self._schema, [partition])
        is_one_item = self._range is None
        for test in branch.on_key:
            if self._part(test) is self._range:
                is_one_item = is_one_item or test.operator == "="
                within = _common(within, self._sort_range(partition, test))
        return _Read(partition, within, branch.filters, is_one_item)

    def _read_together(self, branches: list[_Branch], partition: AttributeValue) -> _Read:
        if len(branches) == 1:
            return self._read(branches[0], partition)
        whole = Or(tuple([branch.whole for branch in branches]))
        return _Read(partition, key_range(self._schema, [partition]), (whole,), False)

    def _sort_range(self, partition: AttributeValue, test: Operation) -> KeyRange:
        if test.operator == "=":
            return key_range(self._schema, [partition], self._values(test))
        return key_range(self._schema, [partition], (), test.operator, self._values(test))

    def _excludes_sort_key(self, condition: ConditionTree) -> bool:
        """Whether a condition says what the sort key is not: NOT … or <>."""
        found = self._excluding.get(id(condition))
        if found is None:
            negative = [
                node
                for node in walk(condition)
                if isinstance(node, Not) or (isinstance(node, Operation) and node.operator == "<>")
            ]
            found = self._excluding[id(condition)] = any(map(self._names_sort_key, negative))
        return found

    def _names_sort_key(self, condition: ConditionTree) -> bool:
        return self._range is not None and any(
            isinstance(node, Path) and self._bindings.names[str(node.elements[0])] == self._range.name
            for node in walk(condition)
        )


def _check_apart(reads: Iterable[_Read]) -> None:
    reach: bytes | None = b""
    for low, high in sorted((read.within for read in reads), key=lambda within: within.low):
        if high is not None and high <= low:
            continue
        if reach is None or low < reach:
            raise ValidationException("Overlapping conditions with range keys are not supported in where clause")
        reach = high


def _common(left: KeyRange, right: KeyRange) -> KeyRange:
    highs = [high for high in (left.high, right.high) if high is not None]
    return KeyRange(max(left.low, right.low), min(highs) if highs else None)


def _identity(value: AttributeValue) -> str:
    return repr(value)


def _too_many() -> ValidationException:
    return ValidationException("Too many decomposed read operations for a given query.")


class _Order(NamedTuple):
    """How reads are arranged, and which way each walks."""

    partitions_descending: bool
    descending: bool
    """Within a partition."""

    def arranged(self, reads: list[_Read]) -> list[_Read]:
        """Reads do not overlap, so walking them one after the other is walking in order."""
        inner = sorted(reads, key=lambda read: read.within.low, reverse=self.descending)
        return sorted(inner, key=lambda read: keys.part_bytes(read.partition), reverse=self.partitions_descending)


def _order_of(selection: Selection, schema: KeySchema, reads: list[_Read] | None) -> _Order | None:
    """None when the statement asks for no order; raises for one that cannot be had."""
    if not selection.select.orderings:
        return None
    if selection.where is None:
        raise ValidationException("Must have WHERE clause in the statement when using ORDER BY clause.")
    wanted: dict[str, bool] = {}
    for ordering in selection.select.orderings:
        path = document_path(ordering.expression)
        if len(path) > 1 or path[0] not in schema.names:
            raise ValidationException(f"Attribute {path[0]} in ORDER BY clause must be part of the primary key")
        wanted.setdefault(str(path[0]), ordering.descending)
    if not reads:
        raise ValidationException(
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
        )
    hash_name = schema.hash[0].name
    if hash_name not in wanted and len({repr(read.partition) for read in reads}) > 1:
        raise ValidationException(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
        )
    # Without a word about the sort key DynamoDB walks against it.
    descending = wanted.get(schema.range[0].name, True) if schema.range else False
    return _Order(wanted.get(hash_name, False), descending)


_INVALID = "One or more parameter values were invalid: "


def select(snapshot: Snapshot, selection: Selection, request: dict[str, Any], render: Render) -> Slices:
    """One page; `request` is the ExecuteStatement that asks for it."""
    table = snapshot.table(selection.target.table_name)
    index = index_of(table, selection)
    columns = selection.columns()
    _check_index(index, columns, bool(request.get("ConsistentRead")))
    reads = _reads(table, index, selection)
    order = _order_of(selection, table.key if index is None else index.key, reads)
    if reads is None:
        reads = [_Read({}, whole_segment(None, None), () if selection.where is None else (selection.where,), False)]
    elif order is not None:
        reads = order.arranged(reads)
    binding = _binding_of(table, request["Statement"], request.get("Parameters", ()))
    position = _Position(0, None)
    if "NextToken" in request:
        position = read(request["NextToken"], binding, len(reads), table, index)
    checked = Checked(request, table.name, projection=columns)
    page = Page(table, index, checked, render)
    forward = order is None or not order.descending

    def fill(read: _Read, start: Item | None) -> Slices:
        checked.filter = StatementCondition(read.filter, selection.bindings) if read.filter is not None else None
        yield from filled(snapshot, page, read.within, start, forward)
        return page.answer()

    answer, following = yield from _filled(fill, reads, position, is_table=index is None)
    return _answer(answer, following, binding)


def _filled(
    fill: Callable[[_Read, Item | None], Slices], reads: list[_Read], position: _Position, is_table: bool
) -> Generator[None, None, tuple[Response, _Position | None]]:
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
                return answer, _Position(number, last)
            # One item was all there was: what remains begins with the next read.
            return answer, _Position(number + 1, None) if number + 1 < len(reads) else None
    return answer, None


def _answer(answer: Response, following: _Position | None, binding: str) -> Response:
    response: Response = {"Items": answer["Items"]}
    if following is not None:
        response["NextToken"] = _written(binding, following)
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


def _reads(table: Table, index: Index | None, selection: Selection) -> list[_Read] | None:
    if selection.where is None:
        return None
    schema = table.key if index is None else index.key
    reads = KeyPlanner(schema, selection.bindings).reads(selection.where)
    if reads is not None and index is not None and index.projected is not None:
        _check_filters(index, reads, selection.bindings)
    return reads


def _check_filters(index: Index, reads: list[_Read], bindings: Bindings) -> None:
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


def _attributes(read: _Read, bindings: Bindings) -> list[str]:
    found = [
        bindings.names[str(node.elements[0])]
        for condition in read.filters
        for node in walk(condition)
        if isinstance(node, Path)
    ]
    return list(dict.fromkeys(found))
