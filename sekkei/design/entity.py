"""Entities: a model in a table, with the key that its items have there.

Calling an entity makes a reference; its other methods make writes. None of them talks to a store: what they return is
passed to a `Database`, alone or in a transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from .actions import Check, Delete, Put, Update
from .codecs import AttributeValue
from .conditions import Condition
from .decoding import Decoder, decoder
from .errors import DesignError, ValueRefused
from .keys import PARTITION_BYTES_MAX, SORT_BYTES_MAX, Key, Ref, check_size, make_binder, trace
from .model import Model, Values, described, parameters_of
from .query import Query
from .templates import Template
from .views import View

if TYPE_CHECKING:
    from .table import Table
    from .unique import Unique, UniqueKey

M = TypeVar("M")
S = TypeVar("S")
_P = ParamSpec("_P")


class Entity(Generic[_P, M]):
    """A kind of item. `tasks("t1", "x")` is a reference to one; `tasks.where(...)` finds several."""

    def __init__(
        self,
        table: Table,
        cls: type[M],
        function: Callable[_P, Key],
        kind: str | None,
        ja: str,
        en: str,
        added: bool,
    ) -> None:
        self.table, self.type = table, kind
        self.name = function.__name__
        self.ja, self.en = ja, en or (function.__doc__ or "").strip().split("\n")[0]
        self.added = added
        self.model: Model[M] = described(cls)
        self.__doc__ = function.__doc__
        place = f"the key of {self.name}"
        parameters_of(function, self.model.fields, place)
        self.key_texts = trace(function)
        self._bind = make_binder(function)
        self.keys = self._key_templates(place)
        self.key_fields = {c.field.name for template in self.keys.values() for c in template.components}
        self._check_parts(place)
        self.uniques: list[Unique[M]] = []
        self.marked: list[Unique[Any]] = []  # whose markers these are, when the entity is one of markers
        self._mingled = (0, False)
        self.examples: list[M] = []
        self._decode = decoder(cls, list(self.model.fields.values()), self.keys)
        self._shapes: dict[type[Any], Decoder] = {}
        self._main = View[M](self, None)
        self._views: dict[tuple[str, type[Any] | None, str], View[Any]] = {}
        ttl = None if table.ttl is None else self.model.by_stored.get(table.ttl)
        if ttl is not None and ttl.codec.kind != "N":
            raise DesignError(
                "SK123", f"{ttl.label} is the TTL of table {table.name} but not a Number. Use attr(stored_as=epoch())."
            )
        self.ttl = ttl

    def _key_templates(self, place: str) -> dict[str, Template]:
        pk, sk = self.key_texts
        if (sk is None) != (self.table.sk is None):
            raise DesignError(
                "SK124",
                f"{place} has {'no' if sk is None else 'a'} sort key, table {self.table.name} has "
                f"{'none' if self.table.sk is None else self.table.sk!r}. Make them agree.",
            )
        texts = dict(zip(self.table.key_attributes, (pk, sk), strict=False))
        fields, delimiter = self.model.fields, self.model.delimiter
        found = {name: Template(text or "", fields, delimiter, place) for name, text in texts.items()}
        for name, template in found.items():
            same = self.model.by_stored.get(name)
            if same is not None and self.model.template_of(same).text != template.text:
                raise DesignError(
                    "SK125",
                    f"{place} makes {name} of {template.text!r}, but {same.label} is stored under that name. "
                    "Rename the attribute or use it as the key.",
                )
        return found

    def _check_parts(self, place: str) -> None:
        for field in self.model.fields.values():
            if field.role == "part" and field.name not in self.key_fields:
                raise DesignError(
                    "SK126",
                    f"{field.label} is declared part(), but {place} does not contain it, so it would be lost. "
                    "Put it into the key or declare it attr().",
                )
        for name in self.key_fields:
            field = self.model.fields[name]
            if field.optional and field.absent_as is None:
                raise DesignError("SK127", f"{field.label} is in {place} but may be None. A key needs every part.")

    # References and reading

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Ref[M]:
        values = self._bind(*args, **kwargs)
        return Ref(self, self._make_key(values), values)

    def _make_key(self, values: Mapping[str, Any]) -> dict[str, AttributeValue]:
        found: dict[str, AttributeValue] = {}
        bytes_max = PARTITION_BYTES_MAX
        for name, template in self.keys.items():
            stored = template.encode(values)
            if stored is None:
                raise self._missing(template, values)
            check_size(stored, bytes_max, template.place)
            found[name] = stored
            bytes_max = SORT_BYTES_MAX
        return found

    def _missing(self, template: Template, values: Mapping[str, Any]) -> ValueRefused:
        lost = [c.field.label for c in template.components if values[c.field.name] is None]
        return ValueRefused(
            "SK206", f"{', '.join(lost)} is None, and the key of {self.name} needs it. Pass a value for every part."
        )

    def ref_of(self, instance: M) -> Ref[M]:
        """The reference to an instance's own item."""
        values = Values(self.model, instance.__dict__)
        return Ref(self, self._make_key(values), {name: values[name] for name in self.key_fields})

    def parse(self, key: Mapping[str, AttributeValue]) -> dict[str, Any] | None:
        """The parts of a stored key, by name; None when it is not a key of this entity."""
        values: dict[str, Any] = {}
        for name, template in self.keys.items():
            stored = key.get(name, {})
            found = template.parse(stored[template.kind]) if template.kind in stored else None
            if found is None or any(values.get(part, value) != value for part, value in found.items()):
                return None
            values.update(found)
        return values

    def fits(self, item: Mapping[str, AttributeValue]) -> bool:
        """Does the item's key have this entity's form?"""
        return all(name in item and template.fits(item[name]) for name, template in self.keys.items())

    def owns(self, item: Mapping[str, AttributeValue]) -> bool:
        """Is the item of this entity's type, or is there none to tell?"""
        discriminator = self.table.discriminator
        return discriminator is None or item.get(discriminator, {}).get("S") == self.type

    def fits_in(self, item: Mapping[str, AttributeValue], names: tuple[str, ...]) -> bool:
        """Do these key attributes, of the table and of an index, have this entity's form?"""
        for name in names:
            template = self.template_for(name)
            if template is None or name not in item or not template.fits(item[name]):
                return False
        return True

    def decode(self, item: Mapping[str, AttributeValue]) -> M:
        """A stored item as an instance; one of an earlier schema version is migrated on the way."""
        if self.model.migrations:
            item = self.model.upgrade(item)
        found: M = self._decode(item)
        return found

    def decode_as(self, shape: Model[S], item: Mapping[str, AttributeValue]) -> S:
        """A partial item as a smaller model."""
        decode = self._shapes.get(shape.cls)
        if decode is None:
            decode = self._shapes[shape.cls] = decoder(shape.cls, list(shape.fields.values()), self.keys)
        found: S = decode(item)
        return found

    def encode(self, instance: M) -> dict[str, AttributeValue]:
        """The whole item: attributes, derived attributes, key, type."""
        item = self.model.encode(instance)
        item.update(self._make_key(Values(self.model, instance.__dict__)))
        if self.table.discriminator is not None:
            item[self.table.discriminator] = {"S": self.type}
        return item

    def template_for(self, attribute: str) -> Template | None:
        """How a key attribute of the table or of an index is made from the model; None when it is not."""
        if attribute in self.keys:
            return self.keys[attribute]
        field = self.model.by_stored.get(attribute)
        return None if field is None else self.model.template_of(field)

    @property
    def stored_names(self) -> set[str]:
        """Every attribute that an item may have."""
        model, table = self.model, self.table
        kept = {model.schema_stored} if model.migrations else set()
        kind = {table.discriminator} if table.discriminator is not None else set()
        return {*model.by_stored, *table.key_attributes, *kept, *kind}

    def templates_for(self, attribute: str) -> list[Template]:
        """All the forms that a key attribute may have; a uniqueness marker has those of what is unique."""
        found = [unique.template for unique in self.marked] if attribute in self.keys else []
        own = self.template_for(attribute)
        return found or ([] if own is None else [own])

    @property
    def mingled(self) -> bool:
        """May items of another type have this entity's keys?"""
        among = len(self.table.entities)
        if self._mingled[0] != among:
            from .ambiguity import mingles

            self._mingled = (among, mingles(self))
        return self._mingled[1]

    # Finding several

    @overload
    def index(self, name: str, *, alone: str = "") -> View[M]: ...
    @overload
    def index(self, name: str, shape: type[S], *, alone: str = "") -> View[S]: ...
    def index(self, name: str, shape: type[Any] | None = None, *, alone: str = "") -> View[Any]:
        """The entity as one index shows it.

        `shape`  the model of a partial projection
        `alone`  why no other entity's items are there, where neither type nor keys could tell them apart
        """
        asked = name, shape, alone
        found = self._views.get(asked)  # a pattern asks for it at every call
        if found is None:
            found = self._views[asked] = View(self, self.table.index(name), shape, alone)
        return found

    def seen_in(self, index: str | None) -> View[M]:
        """The entity as an index shows it, or as the table itself does."""
        return self._main if index is None else self.index(index)

    def where(self, *conditions: Condition[M]) -> Query[M]:
        """The items whose key parts are as said, in the order of the sort key."""
        return self._main.where(*conditions)

    def scan(self) -> Query[M]:
        """Every item of the entity, by reading the whole table. A pattern that does so must declare it."""
        return Query(self._main, (self,), (), scanning=True)

    # Writing

    def create(self, instance: M) -> Put[M]:
        """Store a new item; fails when one is there."""
        return Put(self, instance, "create")

    def put(self, instance: M) -> Put[M]:
        """Store an item, whether or not one is there."""
        return Put(self, instance, "put")

    def replace(self, instance: M) -> Put[M]:
        """Store an item in place of the one that is there; fails when there is none."""
        return Put(self, instance, "replace")

    def update(self, *args: _P.args, **kwargs: _P.kwargs) -> Update[M]:
        """Change attributes of an item that is there."""
        return Update(self, self(*args, **kwargs))

    def upsert(self, *args: _P.args, **kwargs: _P.kwargs) -> Update[M]:
        """Change attributes of an item, which is made when it is not there."""
        return Update(self, self(*args, **kwargs), create=True)

    def delete(self, *args: _P.args, **kwargs: _P.kwargs) -> Delete[M]:
        """Take an item away, whether or not it is there."""
        return Delete(self, self(*args, **kwargs))

    def must_exist(self, *args: _P.args, **kwargs: _P.kwargs) -> Check[M]:
        """In a transaction: go through only if the item is there (and `.when(...)` holds)."""
        return Check(self, self(*args, **kwargs), True)

    def must_not_exist(self, *args: _P.args, **kwargs: _P.kwargs) -> Check[M]:
        """In a transaction: go through only if there is no such item."""
        return Check(self, self(*args, **kwargs), False)

    def unique(self, text: str, markers: Entity[[str], UniqueKey]) -> Unique[M]:
        """No two items may share these values: `users.unique("EMAIL#{email}", markers)`."""
        from .unique import Unique

        if self.ttl is not None:
            raise DesignError(
                "SK149",
                f"{self.name} expires, and DynamoDB deletes expired items without their uniqueness markers, so a value "
                "would stay taken for ever. Give the markers' work to a row with the same time to live.",
            )
        found = Unique(self, text, markers)
        self.uniques.append(found)
        return found

    def example(self, instance: M) -> M:
        """An instance to show in the document."""
        self.encode(instance)
        self.examples.append(instance)
        return instance

    def __repr__(self) -> str:
        return f"<entity {self.name} of {self.table.name}>"
