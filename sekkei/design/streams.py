"""Stream records as typed changes, dispatched by entity; the same for Lambda events and for our own pump.

reactions = Reactions(design, env="prod")

@reactions.on(donations)
async def give_stamp(change: Change[Donation]) -> None:
    if change.new and change.new.status is Status.SUCCEEDED: ...

def lambda_handler(event, context):
    return asyncio.run(reactions.handle(event))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from .ambiguity import check_stream
from .errors import DesignError, ItemRefused
from .keys import Ref

if TYPE_CHECKING:
    from .codecs import AttributeValue
    from .design import Design
    from .entity import Entity
    from .table import Table

M = TypeVar("M")
_M_co = TypeVar("_M_co", covariant=True)
_Handler = Callable[["Change[M]"], Awaitable[None]]
Record = Mapping[str, Any]
OnFailure = Callable[[Record, Exception], None]
_TTL_PRINCIPAL = "dynamodb.amazonaws.com"


class Change(Generic[_M_co]):
    """What happened to one item. `old` and `new` are there as far as the stream's view type carries them."""

    __slots__ = ("entity", "expired", "kind", "new", "old", "ref", "sequence")

    def __init__(
        self,
        entity: Entity[..., _M_co],
        kind: Literal["INSERT", "MODIFY", "REMOVE"],
        ref: Ref[Any],
        old: _M_co | None,
        new: _M_co | None,
        sequence: str,
        expired: bool,
    ) -> None:
        self.entity, self.kind, self.ref = entity, kind, ref
        self.old, self.new = old, new
        self.sequence = sequence  # the order of changes to one item; a number to tell a repeated delivery by
        self.expired = expired  # removed by its time to live, not by a person

    def __repr__(self) -> str:
        return f"<{self.kind} of {self.ref!r}>"


def decode_record(table: Table, record: Record) -> Change[Any]:
    """One record of a table's stream as a typed change; raises ItemRefused for an item that no entity matches."""
    data = record["dynamodb"]
    key: dict[str, AttributeValue] = dict(data["Keys"])
    image: Mapping[str, AttributeValue] = data.get("NewImage") or data.get("OldImage") or key
    entity = table.entity_of(image) if image is not key else _entity_by_key(table, key)
    values = entity.parse(key)
    if values is None:
        raise ItemRefused("SK504", f"table {table.name}: {key} is no key of {entity.name}. Correct the item.", key)
    old, new = (_decode(entity, data.get(name)) for name in ("OldImage", "NewImage"))
    identity = record.get("userIdentity") or {}
    expired = record["eventName"] == "REMOVE" and _principal(identity) == _TTL_PRINCIPAL
    return Change(entity, record["eventName"], Ref(entity, key, values), old, new, data["SequenceNumber"], expired)


def _principal(identity: Mapping[str, Any]) -> Any:
    # Lambda writes principalId, the Streams API PrincipalId.
    return identity.get("principalId") or identity.get("PrincipalId")


def _decode(entity: Entity[..., Any], image: Mapping[str, AttributeValue] | None) -> Any:
    return None if image is None else entity.decode(image)


def _entity_by_key(table: Table, key: Mapping[str, AttributeValue]) -> Entity[..., Any]:
    """A stream of keys only carries no type, so the key's form must tell."""
    for entity in table.entities:
        if entity.parse(key) is not None:
            return entity
    raise ItemRefused("SK504", f"table {table.name}: {dict(key)} is no key of any entity. Declare one for it.", key)


class Reactions:
    """What a program does when items change."""

    def __init__(self, design: Design, *, env: str = "dev") -> None:
        self.design, self.env = design, env
        self._handlers: dict[int, list[_Handler[Any]]] = {}

    def on(self, entity: Entity[..., M]) -> Callable[[_Handler[M]], _Handler[M]]:
        """React to every change of an entity's items. Deliveries can repeat, so a reaction must bear that."""
        if entity.table.stream is None:
            raise DesignError(
                "SK146",
                f"table {entity.table.name} has no stream, so nobody hears of changes to {entity.name}. "
                "Give the table stream='NEW_AND_OLD_IMAGES'.",
            )

        check_stream(entity.table)

        def declare(handler: _Handler[M]) -> _Handler[M]:
            self._handlers.setdefault(id(entity), []).append(handler)
            return handler

        return declare

    @property
    def tables(self) -> list[Table]:
        """The tables whose streams a pump must read."""
        return [
            table
            for table in self.design.tables.values()
            if any(id(entity) in self._handlers for entity in table.entities)
        ]

    async def react(self, table: Table, record: Record) -> None:
        """Run every reaction to one record, one after the other."""
        change = decode_record(table, record)
        for handler in self._handlers.get(id(change.entity), ()):
            await handler(change)

    async def dispatch(self, table: Table, records: Sequence[Record], failed: OnFailure | None = None) -> str | None:
        """Work through records in order; returns the sequence number of the first that failed, or None.

        Everything from there on must be delivered again: order within one item is kept. `failed` is told of the error.
        """
        for record in records:
            try:
                await self.react(table, record)
            except Exception as error:
                (failed or self.failed)(record, error)
                return str(record["dynamodb"]["SequenceNumber"])
        return None

    def failed(self, record: Record, error: Exception) -> None:
        """Called for every failure before the record is handed back; logs it."""
        import logging

        number = record["dynamodb"].get("SequenceNumber")
        logging.getLogger("sekkei.design.streams").error("a reaction to record %s failed", number, exc_info=error)

    async def handle(
        self, event: Mapping[str, Any], failed: OnFailure | None = None
    ) -> dict[str, list[dict[str, str]]]:
        """A Lambda event of one or several streams; answers with what failed, for ReportBatchItemFailures."""
        by_stream: dict[str, list[Record]] = {}
        for record in event.get("Records", ()):
            by_stream.setdefault(record["eventSourceARN"], []).append(record)
        failures = []
        for source, records in by_stream.items():
            first = await self.dispatch(self._table(source), records, failed)
            if first is not None:
                failures.append({"itemIdentifier": first})
        return {"batchItemFailures": failures}

    def _table(self, source: str) -> Table:
        """The table in arn:aws:dynamodb:region:account:table/NAME/stream/LABEL."""
        parts = source.split("/")
        table = self.design.table_named(parts[1], self.env) if len(parts) > 1 else None
        if table is None:
            raise DesignError(
                "SK147",
                f"{source} is the stream of no table of design {self.design.name} in env {self.env!r}. "
                "Check the event source mapping and env=.",
            )
        return table
