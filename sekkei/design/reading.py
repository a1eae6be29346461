"""Carrying out reads: single items, batches, snapshots, pages and streams of results.

A cursor is the key of the last item returned, with a signature over it and over the query's fingerprint: only this
program could have made it, for that very query. It is signed, not encrypted: its key can be read.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sekkei.errors import TransactionCanceledException

from .ambiguity import check_view
from .codecs import AttributeValue
from .errors import Contended, CursorRefused, ItemRefused, ValueRefused
from .keys import Ref
from .query import PAGE_SIZE, PAGE_SIZE_MAX, Query
from .retries import TRIES_MAX, pause

_SIGNATURE_BYTES = 16
_CURSOR_CHARACTERS_MAX = 8192  # the longest possible key is 3 KB, twice


def _signature(secret: bytes, fingerprint: bytes, body: bytes) -> bytes:
    import hmac  # loads OpenSSL, which a program without pages never needs

    return hmac.digest(secret, fingerprint + body, "sha256")[:_SIGNATURE_BYTES]


def seal(key: dict[str, Any], fingerprint: bytes, secret: bytes) -> str:
    """The cursor that continues after `key`."""
    import json

    body = json.dumps(key, separators=(",", ":"), ensure_ascii=False).encode()
    return urlsafe_b64encode(_signature(secret, fingerprint, body) + body).decode().rstrip("=")


def unseal(cursor: str, fingerprint: bytes, secret: bytes) -> dict[str, Any]:
    """The key in a cursor; refuses one that was changed, or belongs to another query."""
    try:
        if len(cursor) > _CURSOR_CHARACTERS_MAX:
            raise ValueError
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except ValueError:
        raise CursorRefused("SK401", "the cursor is damaged. Start again from the first page.") from None
    import json
    from hmac import compare_digest

    signature, body = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    if not compare_digest(signature, _signature(secret, fingerprint, body)):
        raise CursorRefused(
            "SK402",
            "the cursor was changed, signed with another secret, or belongs to another query or other arguments. "
            "Pass a cursor only to the query that gave it out, or start again from the first page.",
        )
    key: dict[str, Any] = json.loads(body)
    return key


if TYPE_CHECKING:
    from .database import Database
    from .entity import Entity

M = TypeVar("M")
_M_co = TypeVar("_M_co", covariant=True)
_Item = dict[str, AttributeValue]
_READS_PER_PAGE_MAX = 20  # a filter that keeps almost nothing ends in a short page with a cursor, not in a long wait
_BATCH_GET_MAX = 100
_PASSING = ("None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded")


class Page(Generic[_M_co]):
    """Some items, and the cursor to the next ones; no cursor means that this was the last page."""

    __slots__ = ("cursor", "items")

    def __init__(self, items: Sequence[_M_co], cursor: str | None) -> None:
        self.items, self.cursor = items, cursor

    def __iter__(self) -> Iterator[_M_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"Page({len(self.items)} items, {'more follow' if self.cursor else 'the last'})"


class First(Generic[_M_co]):
    """The first items of a query, at most as many as were asked for; `is_complete` if no further ones follow.

    It is no list on purpose: code that shows it has to say what it does when something was left out.
    """

    __slots__ = ("is_complete", "items")

    def __init__(self, items: Sequence[_M_co], is_complete: bool) -> None:
        self.items, self.is_complete = items, is_complete

    def __iter__(self) -> Iterator[_M_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"First({len(self.items)} items, {'complete' if self.is_complete else 'more follow'})"


def alive(entity: Entity[..., Any], item: _Item, now: float) -> bool:
    """Is the item still within its time to live? DynamoDB deletes late, by days."""
    if entity.ttl is None:
        return True
    stored = item.get(entity.ttl.stored)
    return stored is None or "N" not in stored or float(stored["N"]) > now


def _decoded(db: Database, ref: Ref[M], item: _Item | None) -> M | None:
    entity = ref.entity
    if item is None or (entity.ttl is not None and not alive(entity, item, db.clock.now())):
        return None
    if entity.table.discriminator is not None:
        stored = item.get(entity.table.discriminator, {}).get("S")
        if stored != entity.type:
            raise ItemRefused(
                "SK505",
                f"{ref!r} is a {stored!r} in the table, not a {ref.entity.type!r}. Read it through its own "
                "entity, or correct its type.",
                item,
            )
    return entity.decode(item)


async def get(db: Database, ref: Ref[M]) -> M | None:
    request: dict[str, Any] = {"TableName": db.table_name(ref.entity.table), "Key": ref.key}
    if ref.strong:
        request["ConsistentRead"] = True
    if db.measure:
        db.measure_into(request)
    response = await db.store.call("GetItem", request)
    if db.measure:
        db.measured(ref.pattern, [response], writing=False, items=int("Item" in response))
    return _decoded(db, ref, response.get("Item"))


async def get_many(db: Database, refs: Sequence[Ref[M]]) -> list[M | None]:
    """In the order asked; None where there is no item. Asks again for what the store left unprocessed."""
    wanted = list(dict.fromkeys(refs))
    found: dict[Ref[Any], _Item] = {}
    for start in range(0, len(wanted), _BATCH_GET_MAX):
        await _get_batch(db, wanted[start : start + _BATCH_GET_MAX], found)
    return [_decoded(db, ref, found.get(ref)) for ref in refs]


async def _get_batch(db: Database, refs: list[Ref[M]], found: dict[Ref[Any], _Item]) -> None:
    request: dict[str, Any] = {}
    by_key: dict[str, dict[tuple[Any, ...], Ref[M]]] = {}
    strong = any(ref.strong for ref in refs)
    for ref in refs:
        name = db.table_name(ref.entity.table)
        request.setdefault(name, {"Keys": [], "ConsistentRead": strong})["Keys"].append(ref.key)
        by_key.setdefault(name, {})[_key_id(ref.key)] = ref
    responses = []
    for attempt in range(TRIES_MAX):
        call: dict[str, Any] = {"RequestItems": request}
        db.measure_into(call)
        response = await db.store.call("BatchGetItem", call)
        responses.append(response)
        for name, items in response.get("Responses", {}).items():
            names = next(iter(by_key[name].values())).key
            for item in items:
                found[by_key[name][_key_id({one: item[one] for one in names})]] = item
        request = response.get("UnprocessedKeys") or {}
        if not request:
            db.measured(refs[0].pattern, responses, writing=False, items=len(found))
            return
        await pause(attempt, db.clock)
    raise Contended(
        "SK304", f"the store left reads unprocessed {TRIES_MAX} times. Try again later, with smaller batches."
    )


def _key_id(key: _Item) -> tuple[Any, ...]:
    return tuple(sorted((name, *next(iter(value.items()))) for name, value in key.items()))


async def snapshot(db: Database, refs: Sequence[Ref[Any]]) -> list[Any]:
    """Several items as they are at one moment."""
    items = [{"Get": {"TableName": db.table_name(ref.entity.table), "Key": ref.key}} for ref in refs]
    request: dict[str, Any] = {"TransactItems": items}
    db.measure_into(request)
    response = await _transact_get(db, request)
    db.measured(refs[0].pattern, [response], writing=False, items=len(refs))
    return [_decoded(db, ref, found.get("Item")) for ref, found in zip(refs, response["Responses"], strict=True)]


async def _transact_get(db: Database, request: dict[str, Any]) -> dict[str, Any]:
    """Tried again when a write to one of the items is just under way."""
    for attempt in range(TRIES_MAX):
        try:
            return await db.store.call("TransactGetItems", request)
        except TransactionCanceledException as error:
            if any(reason.get("Code") not in _PASSING for reason in error.reasons):
                raise
            await pause(attempt, db.clock)
    raise Contended("SK303", f"a snapshot met other writes {TRIES_MAX} times. Try again later.")


class _Reader(Generic[M]):
    """One run of a query: reads the store's pages and hands out the items that count."""

    def __init__(self, db: Database, query: Query[M]) -> None:
        self.db, self.query = db, query
        self.table_name = db.table_name(query.view.table)
        self.request = query.request(self.table_name, int(db.clock.now()))
        db.measure_into(self.request)
        self.responses: list[dict[str, Any]] = []
        check_view(query.view)
        self.names = tuple(dict.fromkeys((*query.view.table.key_attributes, *query.view.attributes)))

    async def read(self, start: _Item | None, limit: int | None) -> tuple[list[_Item], _Item | None]:
        """One page of the store's own: items and where it stopped."""
        request = dict(self.request)
        if start is not None:
            request["ExclusiveStartKey"] = start
        if limit is not None:
            request["Limit"] = limit
        response = await self.db.store.call(self.query.operation(), request)
        self.responses.append(response)
        return response.get("Items", []), response.get("LastEvaluatedKey")

    def decode(self, item: _Item) -> M | None:
        """The item as its model; None when it is not one that was asked for."""
        query = self.query
        if query.excluded is not None and item.get(query.excluded[0]) == query.excluded[1]:
            return None
        entity = self._by_type(item) if query.view.typed else self._by_key(item)
        if entity is None:
            return None
        found: M = entity.decode(item) if query.shape is None else entity.decode_as(query.shape, item)
        return found

    def _by_type(self, item: _Item) -> Entity[..., Any] | None:
        """The entity of an item that carries its type, or whose table needs none."""
        table, asked = self.query.view.table, self.query.entities
        if len(table.entities) == 1 and asked[0].fits(item):
            return asked[0]
        entity = table.entity_of(item)
        return entity if entity in asked else None

    def _by_key(self, item: _Item) -> Entity[..., Any] | None:
        """Without the type, the keys of table and index tell; those that were asked for come first."""
        table, asked = self.query.view.table, self.query.entities
        for entity in (*asked, *table.entities):
            if entity.fits_in(item, self.names):
                return entity if entity in asked else None
        raise table.stranger(item)

    def position(self, item: _Item) -> _Item:
        """The key that a next page starts after."""
        return {name: item[name] for name in self.names}

    def done(self, items: int) -> None:
        self.db.measured(self.query.pattern, self.responses, writing=False, items=items)


async def page(db: Database, query: Query[M], size: int | None, after: str | None) -> Page[M]:
    """A full page, unless the results end or too little of what is read passes the filter."""
    size = size or query.size or PAGE_SIZE
    if not 1 <= size <= PAGE_SIZE_MAX:
        raise ValueRefused("SK217", f"a page has 1 to {PAGE_SIZE_MAX} items, not {size}.")
    reader = _Reader(db, query)
    fingerprint = query.fingerprint(reader.table_name)
    start = None if after is None else unseal(after, fingerprint, db.secret)
    found: list[M] = []
    limit = size
    for _ in range(_READS_PER_PAGE_MAX):
        items, start = await reader.read(start, limit)
        limit = min(limit * 2, PAGE_SIZE_MAX)  # too few passed the filter: look further each time
        for item in items:
            model = reader.decode(item)
            if model is None:
                continue
            found.append(model)
            if len(found) == size:
                more = start is not None or item is not items[-1]
                start = reader.position(item) if more else None
                break
        if start is None or len(found) == size:
            break
    reader.done(len(found))
    return Page(found, None if start is None else seal(start, fingerprint, db.secret))


async def first_items(db: Database, query: Query[M], count: int) -> First[M]:
    """Read on until `count` items are there, and one more, which tells whether others follow."""
    found: list[M] = []
    cursor = None
    while len(found) <= count:
        part = await page(db, query, min(count + 1 - len(found), PAGE_SIZE_MAX), cursor)
        found += part.items
        cursor = part.cursor
        if cursor is None:
            break
    return First(found[:count], len(found) <= count)


async def each(db: Database, query: Query[M]) -> AsyncIterator[M]:
    """Every item, read page by page as they are asked for."""
    reader = _Reader(db, query)
    start: _Item | None = None
    count = 0
    while True:
        items, start = await reader.read(start, None)  # a page's size is for people; the store's own pages are 1 MB
        for item in items:
            model = reader.decode(item)
            if model is not None:
                count += 1
                yield model
        if start is None:
            break
    reader.done(count)


async def count(db: Database, query: Query[Any]) -> int:
    """How many items; the store counts by itself when the table holds only one kind of them."""
    if len(query.view.table.entities) > 1 or query.excluded is not None:
        total = 0
        async for _ in each(db, query):
            total += 1
        return total
    reader = _Reader(db, query)
    reader.request.pop("ProjectionExpression", None)
    reader.request["Select"] = "COUNT"
    total, start = 0, None
    while True:
        _, start = await reader.read(start, None)
        total += int(reader.responses[-1]["Count"])
        if start is None:
            break
    reader.done(total)
    return total
