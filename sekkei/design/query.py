"""Queries as values: what to read, not yet read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .binding import KeyTest
from .codecs import AttributeValue
from .conditions import Condition, Expression, every
from .errors import DesignError, ValueRefused
from .fields import Field
from .model import Model, described

if TYPE_CHECKING:
    from .entity import Entity
    from .views import View

_M_co = TypeVar("_M_co", covariant=True)
S = TypeVar("S")
PAGE_SIZE = 50  # when neither the caller nor the query says
PAGE_SIZE_MAX = 1000


class Query(Generic[_M_co]):
    """Made by `where(...)` or `scan()`; every method returns a changed copy."""

    def __init__(
        self,
        view: View[Any],
        entities: tuple[Entity[..., Any], ...],
        tests: tuple[KeyTest, ...],
        *,
        excluded: tuple[str, AttributeValue] | None = None,
        scanning: bool = False,
        shape: Model[Any] | None = None,
    ) -> None:
        self.view, self.entities, self.tests = view, entities, tests
        self.excluded, self.scanning, self.shape = excluded, scanning, shape
        self.filters: tuple[Condition[Any], ...] = ()
        self.forward = True
        self.strong = False
        self.expired = False
        self.size: int | None = None
        self.pattern: str | None = None

    def _with(self, **changes: Any) -> Any:
        changed = object.__new__(type(self))
        changed.__dict__.update(self.__dict__, **changes)
        return changed

    def filter(self, *conditions: Condition[Any]) -> Query[_M_co]:
        """Drop items after they were read (and paid for). Pages are filled all the same."""
        for condition in conditions:
            for field in condition.fields():
                self._check_filter(field)
        found: Query[_M_co] = self._with(filters=self.filters + conditions)
        return found

    def _check_filter(self, field: Field[Any, Any]) -> None:
        self._check_held(field.stored, f"a filter on {field.label} would find none of them")
        if field.stored in self.view.attributes:
            raise DesignError(
                "SK133",
                f"{self.view.place}: {field.label} is a key here, and DynamoDB refuses key attributes in a filter. "
                "Put the condition into .where(...).",
            )

    def _check_held(self, stored: str, otherwise: str) -> None:
        there = self.view.projected()
        if there is not None and stored not in there:
            raise DesignError(
                "SK152",
                f"{self.view.place}: the index does not hold {stored!r}, so {otherwise}. Project it, ask an index "
                "that has it, or do without (.with_expired() for a time to live).",
            )

    def backwards(self) -> Query[_M_co]:
        """From the highest sort key down: newest first, when the key is a time."""
        found: Query[_M_co] = self._with(forward=not self.forward)
        return found

    def consistent(self) -> Query[_M_co]:
        """Read what was written last, for twice the units."""
        if self.view.index is not None and not self.view.index.local:
            raise DesignError(
                "SK134",
                f"{self.view.place}: a global index is always a little behind and has no consistent reads. "
                "Read the table itself where a decision follows.",
            )
        found: Query[_M_co] = self._with(strong=True)
        return found

    def page_of(self, size: int) -> Query[_M_co]:
        """How many items a page has when the caller does not say."""
        if not 1 <= size <= PAGE_SIZE_MAX:
            raise ValueRefused("SK217", f"a page has 1 to {PAGE_SIZE_MAX} items, not {size}.")
        found: Query[_M_co] = self._with(size=size)
        return found

    def only(self, shape: type[S]) -> Query[S]:
        """Read some attributes only, into a smaller model."""
        model = described(shape)
        self.view.check_shape(model)
        found: Query[S] = self._with(shape=model)
        return found

    def with_expired(self) -> Query[_M_co]:
        """Include items whose time to live is over but which DynamoDB has not deleted yet."""
        found: Query[_M_co] = self._with(expired=True)
        return found

    # The request

    def condition(self) -> Condition[Any] | None:
        """All filters as one."""
        return every(self.filters)

    def operation(self) -> str:
        """DynamoDB's name for it."""
        return "Scan" if self.scanning else "Query"

    def request(self, table_name: str, now: int) -> dict[str, Any]:
        """The request without limit and start; `now` leaves out what has expired by then."""
        request: dict[str, Any] = {"TableName": table_name}
        expression = Expression()
        if self.view.index is not None:
            request["IndexName"] = self.view.index.name
        if self.tests:
            request["KeyConditionExpression"] = " AND ".join(test.render(expression) for test in self.tests)
        kept = self.filter_text(expression, {"N": str(now)})
        if kept:
            request["FilterExpression"] = kept
        if self.shape is not None and self.view.shape is None:
            request["ProjectionExpression"] = self._projection(expression, self.shape)
        if not self.forward:
            request["ScanIndexForward"] = False
        if self.strong:
            request["ConsistentRead"] = True
        expression.into(request)
        return request

    def filter_text(self, expression: Expression, now: AttributeValue) -> str:
        """The filter expression; items that have expired by `now` are left out of every table with a time to live."""
        condition = self.condition()
        text = "" if condition is None else condition.render(expression)
        ttl = self.view.table.ttl
        if self.expired or ttl is None or not any(entity.ttl for entity in self.entities):
            return text
        self._check_held(ttl, "nobody could see which items have expired")
        name = expression.name(ttl)
        alive = f"attribute_not_exists({name}) OR {name} > {expression.value(now)}"
        return f"({text}) AND ({alive})" if text else alive

    def _projection(self, expression: Expression, shape: Model[Any]) -> str:
        table = self.view.table
        needed = [*table.key_attributes, *self.view.attributes]
        if table.discriminator is not None:
            needed.append(table.discriminator)
        needed += [field.stored for field in shape.fields.values() if field.is_stored and not field.derived]
        there = self.view.projected()  # an index refuses to be asked for more
        wanted = (name for name in dict.fromkeys(needed) if there is None or name in there)
        return ", ".join(expression.name(name) for name in wanted)

    def fingerprint(self, table_name: str) -> bytes:
        """What a cursor is bound to: the pattern, the keys asked for, the filter and the direction."""
        import json
        from hashlib import sha256

        expression = Expression()
        content = [
            self.pattern or "",
            table_name,
            self.view.index.name if self.view.index is not None else "",
            [list(test) for test in self.tests],
            self.filter_text(expression, {"N": "now"}),
            expression.values,
            self.forward,
        ]
        names: dict[str, Any] = {}
        expression.into(names)
        text = json.dumps([content, names.get("ExpressionAttributeNames")], sort_keys=True, default=str)
        return sha256(text.encode()).digest()

    def __repr__(self) -> str:
        return f"<query of {self.view.place}>"
