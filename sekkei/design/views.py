"""How an entity is seen: through its table's own key, or through one index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .binding import KeyPart, bind
from .conditions import Condition
from .errors import DesignError
from .model import Model, described
from .query import Query

if TYPE_CHECKING:
    from .entity import Entity
    from .table import Index

M = TypeVar("M")


class View(Generic[M]):
    """An entity behind one index (None is the table itself). `shape` reads a partial projection."""

    def __init__(
        self, entity: Entity[..., Any], index: Index | None, shape: type[Any] | None = None, alone: str = ""
    ) -> None:
        self.entity, self.index, self.alone = entity, index, alone
        self.table = entity.table
        if index is None:
            self.hashes: tuple[str, ...] = (self.table.pk,)
            self.ranges: tuple[str, ...] = () if self.table.sk is None else (self.table.sk,)
        else:
            self.hashes, self.ranges = index.pk, index.sk
            self._check_present(index)
        self.shape: Model[Any] | None = None if shape is None else described(shape)
        if self.shape is not None:
            self.check_shape(self.shape)
        elif index is not None and index.projection != "ALL":
            self.check_shape(entity.model)
        self.table.views.append(self)

    @property
    def place(self) -> str:
        """For messages: which table or index, of which entity."""
        where = self.table.name if self.index is None else f"{self.table.name}.{self.index.name}"
        return f"{self.entity.name} in {where}"

    @property
    def attributes(self) -> tuple[str, ...]:
        return (*self.hashes, *self.ranges)

    def _check_present(self, index: Index) -> None:
        lost = [name for name in index.attributes if self.entity.template_for(name) is None]
        if lost:
            raise DesignError(
                "SK128",
                f"{self.entity.name} has no attribute {', '.join(lost)}, so its items are never in {index.name}. "
                f"Add it to {self.entity.model.cls.__name__} with attr(), template() or computed().",
            )

    def projected(self) -> set[str] | None:
        """The attributes that the index holds; None for all."""
        if self.index is None or self.index.projection == "ALL":
            return None
        extra = () if self.index.projection == "KEYS_ONLY" else self.index.projection
        return {*self.table.key_attributes, *self.index.attributes, *extra}

    @property
    def typed(self) -> bool:
        """Does what is read here carry the discriminator, or is there none?"""
        there = self.projected()
        return there is None or self.table.discriminator is None or self.table.discriminator in there

    def check_shape(self, shape: Model[Any]) -> None:
        """Every attribute that the shape needs must be in the index."""
        there = self.projected()
        if there is None:
            return
        lost = [
            field.stored
            for field in shape.fields.values()
            if field.is_stored and not field.derived and field.required and field.stored not in there
        ]
        if lost:
            raise DesignError(
                "SK129",
                f"{self.place} does not project {', '.join(lost)}, which {shape.cls.__name__} needs. Project it, or "
                "pass a smaller model: .index(name, Smaller).",
            )

    def key_parts(self, names: tuple[str, ...]) -> list[KeyPart]:
        """How the entity makes these key attributes."""
        found = []
        for name in names:
            template = self.entity.template_for(name)
            assert template is not None
            field = self.entity.model.by_stored.get(name)
            own = field.name if field is not None and field.role == "template" else None
            found.append(KeyPart(name, template, len(self.table.literals(name)) == 1, own))
        return found

    def where(self, *conditions: Condition[M]) -> Query[M]:
        """The items whose key parts are as said, in the order of the sort key."""
        bound = bind(self.key_parts(self.hashes), self.key_parts(self.ranges), conditions, self.place)
        return Query(self, (self.entity,), bound.tests, excluded=bound.excluded, shape=self.shape)

    def scan(self) -> Query[M]:
        """Everything in the index."""
        return Query(self, (self.entity,), (), scanning=True, shape=self.shape)

    def __repr__(self) -> str:
        return f"<{self.place}>"
