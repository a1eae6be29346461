"""Tables and their indexes, as the design declares them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from . import limits
from .codecs import AttributeValue
from .errors import DesignError, ItemRefused
from .keys import Key

if TYPE_CHECKING:
    from .entity import Entity
    from .unique import UniqueKey
    from .views import View

M = TypeVar("M")
_P = ParamSpec("_P")
StreamView = Literal["NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY"]
Projection = Literal["ALL", "KEYS_ONLY"] | Sequence[str]
_GSI_KEYS_MAX = 4  # DynamoDB takes up to four attributes for each half of a GSI's key


class Capacity:
    """Provisioned read and write units; a table without is billed on demand."""

    __slots__ = ("read", "write")

    def __init__(self, read: int, write: int) -> None:
        limits.check_capacity(read, write)
        self.read, self.write = read, write

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Capacity) and (self.read, self.write) == (other.read, other.write)

    def __hash__(self) -> int:
        return hash((self.read, self.write))

    def __repr__(self) -> str:
        return f"Capacity(read={self.read}, write={self.write})"


def _names(key: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if key is None else (key,) if isinstance(key, str) else key


class Index:
    """A global secondary index. `pk` and `sk` are stored names; a tuple makes a key of up to four attributes."""

    local = False

    def __init__(
        self,
        name: str,
        pk: str | tuple[str, ...],
        sk: str | tuple[str, ...] | None = None,
        *,
        projection: Projection = "ALL",
        capacity: Capacity | None = None,
        warm: Capacity | None = None,
        insights: bool = False,
        ja: str = "",
        en: str = "",
        added: bool = False,
    ) -> None:
        self.name, self.pk, self.sk = name, _names(pk), _names(sk)
        self.projection = limits.checked_projection(name, projection)
        self.capacity, self.warm, self.insights = capacity, warm, insights
        self.ja, self.en, self.added = ja, en, added
        if not 1 <= len(self.pk) <= _GSI_KEYS_MAX or len(self.sk) > _GSI_KEYS_MAX:
            raise DesignError(
                "SK115", f"index {name} has {len(self.pk)} + {len(self.sk)} key attributes; at most 4 + 4."
            )

    @property
    def attributes(self) -> tuple[str, ...]:
        return (*self.pk, *self.sk)

    def __repr__(self) -> str:
        return f"<index {self.name}>"


class LocalIndex(Index):
    """A local secondary index: the table's partition key with another sort key. Made with the table only."""

    local = True

    def __init__(self, name: str, sk: str, **options: Any) -> None:
        super().__init__(name, "", sk, **options)


class Table:
    """One table of a design. Made by `design.table(...)`."""

    def __init__(
        self,
        name: str,
        pk: str,
        sk: str | None = None,
        *,
        indexes: Iterable[Index] = (),
        discriminator: str | None = None,
        ttl: str | None = None,
        stream: StreamView | None = None,
        capacity: Capacity | None = None,
        pitr: bool = False,
        deletion_protection: bool = False,
        warm: Capacity | None = None,
        tags: Mapping[str, str] | None = None,
        insights: bool = False,
        ja: str = "",
        en: str = "",
        added: bool = False,
    ) -> None:
        self.name, self.pk, self.sk = name, pk, sk
        self.naming = "{table}"  # how its design names tables in a store; a transaction may span designs
        self.shared: str | None = None
        """What stands in front of its name in a store; None for a table that no other deployment there has too."""
        self.discriminator, self.ttl, self.stream = discriminator, ttl, stream
        self.capacity, self.pitr, self.deletion_protection = capacity, pitr, deletion_protection
        self.warm, self.tags, self.insights = warm, dict(tags or {}), insights
        self.ja, self.en, self.added = ja, en, added
        self.indexes: dict[str, Index] = {}
        self.entities: list[Entity[..., Any]] = []
        self.views: list[View[Any]] = []
        self._by_type: dict[str, list[Entity[..., Any]]] = {}
        self._literals: dict[str, set[str]] = {}
        limits.check_keys(f"table {name}", self.key_attributes)
        for index in indexes:
            self._add_index(index)
        limits.check_indexes(self)
        limits.check_tags(name, self.tags)
        limits.check_warm(self)

    def _add_index(self, index: Index) -> None:
        if index.name in self.indexes:
            raise DesignError("SK116", f"table {self.name} has two indexes named {index.name}. Rename one.")
        if index.local:
            index.pk = (self.pk,)
        limits.check_name("index", index.name)
        limits.check_keys(f"index {index.name} of table {self.name}", index.attributes)
        self.indexes[index.name] = index

    @property
    def key_attributes(self) -> tuple[str, ...]:
        return (self.pk,) if self.sk is None else (self.pk, self.sk)

    @property
    def declared(self) -> list[object]:
        """Everything that can be declared one after the other; another one is a reason to check again."""
        return [self, *self.entities, *self.views, *self.indexes.values(), self.ttl]

    def index(self, name: str) -> Index:
        found = self.indexes.get(name)
        if found is None:
            known = ", ".join(self.indexes) or "none"
            raise DesignError("SK117", f"table {self.name} has no index {name!r}. It has: {known}.")
        return found

    def entity(
        self, model: type[M], *, type: str | None = None, ja: str = "", en: str = "", added: bool = False
    ) -> Callable[[Callable[_P, Key]], Entity[_P, M]]:
        """Put a model into the table; the decorated function makes its key.

        `type` is the value of the table's discriminator attribute.
        """
        from .entity import Entity

        def declare(function: Callable[_P, Key]) -> Entity[_P, M]:
            return self._register(Entity(self, model, function, type, ja, en, added))

        return declare

    def _register(self, entity: Entity[_P, M]) -> Entity[_P, M]:
        if (self.discriminator is None) != (entity.type is None):
            raise DesignError(
                "SK118",
                f"entity {entity.name} and table {self.name} must agree: give the table a discriminator attribute and "
                "every entity its type=..., or neither.",
            )
        for other in self.entities:
            if other.type == entity.type and other.key_texts == entity.key_texts:
                raise DesignError(
                    "SK119",
                    f"entities {other.name} and {entity.name} of table {self.name} make the same keys. "
                    "Give them different key templates or types.",
                )
        self.entities.append(entity)
        self._literals.clear()
        self._by_type.setdefault(entity.type or "", []).append(entity)
        return entity

    def markers(self, *, type: str | None = None, added: bool = True) -> Entity[[str], UniqueKey]:
        """Keep uniqueness marker rows in this table; see `Entity.unique`."""
        from .unique import marker_entity

        return marker_entity(self, type, added)

    def literals(self, attribute: str) -> set[str]:
        """The constant beginnings that the entities give a key attribute."""
        known = self._literals.get(attribute)
        if known is None:
            found = (entity.template_for(attribute) for entity in self.entities)
            known = self._literals[attribute] = {template.literal for template in found if template is not None}
        return known

    def entity_of(self, item: Mapping[str, AttributeValue]) -> Entity[..., Any]:
        """Which entity a whole item is; refuses one that fits none."""
        kind = ""
        if self.discriminator is not None:
            kind = item.get(self.discriminator, {}).get("S", "")
        candidates = self._by_type.get(kind, ())
        if len(candidates) == 1 and kind:
            return candidates[0]
        for candidate in candidates:
            if candidate.fits(item):
                return candidate
        raise self.stranger(item, kind)

    def stranger(self, item: Mapping[str, AttributeValue], kind: str = "") -> ItemRefused:
        """The refusal of an item that no entity matches."""
        key = {name: item.get(name) for name in self.key_attributes}
        what = f"{self.discriminator} = {kind!r}" if self.discriminator else "this key"
        return ItemRefused(
            "SK504",
            f"table {self.name} holds an item {key} that no entity matches ({what}). Declare an entity for it, correct "
            "its key or type, or delete it.",
            item,
        )

    def decode(self, item: Mapping[str, AttributeValue]) -> Any:
        """An item as its model."""
        return self.entity_of(item).decode(item)

    def attribute_types(self) -> dict[str, str]:
        """The DynamoDB type of every key attribute of the table and its indexes."""
        found: dict[str, str] = {}
        names = dict.fromkeys((*self.key_attributes, *(a for i in self.indexes.values() for a in i.attributes)))
        for name in names:
            for entity in self.entities:
                template = entity.template_for(name)
                if template is None:
                    continue
                limits.check_key_type(self, name, template.kind, entity.name)
                if found.setdefault(name, template.kind) != template.kind:
                    raise DesignError(
                        "SK121",
                        f"key attribute {name} of table {self.name} is {found[name]} for one entity and "
                        f"{template.kind} for {entity.name}. Make them the same.",
                    )
            if name not in found:
                raise DesignError(
                    "SK122",
                    f"no entity of table {self.name} has the key attribute {name!r}. Add it to a model with "
                    "attr(), template() or computed(), or remove the index.",
                )
        return found

    def __repr__(self) -> str:
        return f"<table {self.name}>"
