"""`@model`: a class whose annotations are stored attributes.

Instances are values: keyword arguments only, compared by content, never changed. To change what is stored, say so to
the database; to get a changed copy, use `replace(task, title="...")`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints, overload

from .codecs import AttributeValue, Integer, codec_of, from_stored, split_optional, to_stored
from .decoding import Decoder, Item, decoder
from .errors import DesignError, ItemRefused, ValueRefused
from .fields import MISSING, Attr, Field, Spec, attr, computed, part, template, version
from .placeholders import Planning, is_sample, label_of
from .signatures import annotations_of, parameters
from .templates import Template

M = TypeVar("M")
_Migration = Callable[[dict[str, Any]], dict[str, Any]]


class Unknown(LookupError):
    """A value that is needed to make a key is not known yet."""

    def __init__(self, field: Field[Any, Any]) -> None:
        super().__init__(field.label)
        self.field = field


class Values(dict[str, Any]):
    """Known attribute values; what is made of others is made when asked for."""

    def __init__(self, model: Model[Any], known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self._model = model

    def __missing__(self, name: str) -> Any:
        field = self._model.fields[name]
        if not field.derived:
            raise Unknown(field)
        made = self._model.make(field, self)
        self[name] = made
        return made


class Model(Generic[M]):
    """What `@model` learnt about a class."""

    def __init__(self, cls: type[M], fields: dict[str, Field[Any, Any]], options: Mapping[str, Any]) -> None:
        self.cls, self.fields = cls, fields
        self.delimiter: str = options["delimiter"]
        self.migrations: tuple[_Migration, ...] = options["migrations"]
        self.schema_stored: str = options["schema_stored"]
        self.by_stored = {field.stored: field for field in fields.values() if field.is_stored}
        self.derived = [field for field in fields.values() if field.derived]
        self.version = next((field for field in fields.values() if field.role == "version"), None)
        self._templates: dict[str, Template] = {}
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._bases: dict[str, frozenset[str]] = {}
        for field in self.derived:
            self._prepare(field)
        for field in self.derived:
            self._bases[field.name] = self._find_bases(field, ())
        self.decode: Decoder = decoder(cls, list(fields.values()), {})

    @property
    def schema(self) -> int:
        """The schema version that is written today."""
        return len(self.migrations) + 1

    def _prepare(self, field: Field[Any, Any]) -> None:
        if field.role == "template":
            made = Template(field.text or "", self.fields, self.delimiter, f"the template {field.label}")
            self._templates[field.name] = made
            self._parameters[field.name] = tuple(component.field.name for component in made.components)
        else:
            assert field.function is not None
            self._parameters[field.name] = parameters_of(field.function, self.fields, f"computed {field.label}")

    def _find_bases(self, field: Field[Any, Any], above: tuple[str, ...]) -> frozenset[str]:
        if field.name in above:
            raise DesignError("SK108", f"{' → '.join((*above, field.name))}: {field.label} is made of itself.")
        found: set[str] = set()
        for name in self._parameters[field.name]:
            source = self.fields[name]
            found |= self._find_bases(source, (*above, field.name)) if source.derived else {name}
        return frozenset(found)

    def bases(self, field: Field[Any, Any]) -> frozenset[str]:
        """The plain attributes that a value is, in the end, made of; a plain attribute is made of itself."""
        return self._bases.get(field.name, frozenset((field.name,)))

    def template_of(self, field: Field[Any, Any]) -> Template:
        """A key attribute that is this field; every field but a template is a key by itself."""
        made = self._templates.get(field.name)
        if made is None:
            made = Template("{" + field.name + "}", self.fields, self.delimiter, field.label)
            self._templates[field.name] = made
        return made

    def make(self, field: Field[Any, Any], values: Values) -> Any:
        """The value of a derived field, from values that may make others on the way."""
        if field.role == "template":
            stored = self._templates[field.name].encode(values)
            return None if stored is None else stored["S"]
        assert field.function is not None
        given = {name: values[name] for name in self._parameters[field.name]}
        return _planned(field, given) if Planning.depth else field.function(**given)

    def derive(self, field: Field[Any, Any], known: Mapping[str, Any]) -> Any:
        return self.make(field, Values(self, known))

    def encode(self, instance: M) -> dict[str, AttributeValue]:
        """Every attribute that is stored by itself, derived ones included."""
        if type(instance) is not self.cls:
            raise ValueRefused(
                "SK214", f"expected a {self.cls.__name__}, got {type(instance).__name__}. Use the entity of its own."
            )
        return self.encode_values(Values(self, instance.__dict__))

    def encode_values(self, values: Values) -> dict[str, AttributeValue]:
        item: dict[str, AttributeValue] = {}
        for name, field in self.fields.items():
            if not field.is_stored:
                continue
            value = values[name]
            stored = None if value is None and field.derived else field.encode(value)
            if stored is not None:
                item[field.stored] = stored
        if self.migrations:
            item[self.schema_stored] = {"N": str(self.schema)}
        return item

    def upgrade(self, item: Item) -> Item:
        """An item of an earlier schema version as one of today's; today's as it is."""
        stored = item.get(self.schema_stored)
        found = 1 if stored is None else int(stored["N"])
        if found == self.schema:
            return item
        if found > self.schema:
            raise ItemRefused(
                "SK503",
                f"an item read as {self.cls.__name__} has schema version {found}; this program knows up to "
                f"{self.schema}. Deploy the newer program first.",
                item,
            )
        plain = {name: from_stored(value) for name, value in item.items()}
        for migrate in self.migrations[found - 1 :]:
            plain = migrate(plain)
        return {name: to_stored(value) for name, value in plain.items() if value is not None}


def _planned(field: Field[Any, Any], given: Mapping[str, Any]) -> Any:
    """A computed value while planning: made of stand-ins, it is one itself, named beside the first of them."""
    assert field.function is not None
    stand_in = next((value for value in given.values() if is_sample(value)), None)
    if stand_in is None:
        return field.function(**given)
    from .placeholders import sample_of

    before, dot, _ = label_of(stand_in).strip("{}").rpartition(".")
    try:
        made = field.function(**given)
    except Exception:  # no table of groups holds a stand-in
        made = None
    readable = isinstance(made, str) and "{" in made
    return made if readable else sample_of(field.annotation, "{" + before + dot + field.name + "}")


def parameters_of(function: Callable[..., Any], fields: Mapping[str, Field[Any, Any]], place: str) -> tuple[str, ...]:
    """The attributes that a function's parameters name; checks that they exist and have the annotated types."""
    found = []
    hints = hints_of(function)
    for name, parameter in parameters(function).items():
        if parameter.rest or name not in fields:
            raise DesignError(
                "SK106", f"{place}: parameter {name} is no attribute. Known: {', '.join(sorted(fields))}."
            )
        hint = hints.get(name, MISSING)
        if hint is not MISSING and hint != fields[name].annotation:
            raise DesignError(
                "SK107",
                f"{place}: parameter {name} is annotated {hint}, but the attribute is {fields[name].annotation}. "
                "Make them the same.",
            )
        found.append(name)
    return tuple(found)


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """A function's annotations, without those that name what only a type checker can see."""
    found: dict[str, Any] = {}
    for name, annotation in annotations_of(function).items():
        alone = type("Alone", (), {"__annotations__": {name: annotation}})
        try:
            found.update(get_type_hints(alone, function.__globals__, {}))
        except NameError:
            continue
    return found


def _own_fields(cls: type[Any], local: Mapping[str, Any]) -> dict[str, Field[Any, Any]]:
    fields: dict[str, Field[Any, Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        described = base.__dict__.get("__sekkei__")
        if described is not None:
            fields.update(described.fields)
    hints = get_type_hints(cls, localns={**local, **vars(sys.modules[cls.__module__])})
    for name in annotations_of(cls):
        if get_origin(hints[name]) is Attr:
            fields[name] = _field(cls, name, get_args(hints[name])[0])
    return fields


def _field(cls: type[Any], name: str, annotation: Any) -> Field[Any, Any]:
    spec = cls.__dict__.get(name, Spec("attr", None))
    if not isinstance(spec, Spec):
        raise DesignError("SK109", f"{cls.__name__}.{name} = {spec!r}: write attr(default={spec!r}) instead.")
    try:
        inner, optional = split_optional(annotation)
        codec = spec.options.get("stored_as") or codec_of(inner)
    except TypeError as error:
        raise DesignError("SK110", f"{cls.__name__}.{name}: {error}.") from None
    if spec.role == "version" and not isinstance(codec, Integer):
        raise DesignError("SK110", f"{cls.__name__}.{name}: a version is an int.")
    return Field(cls, name, annotation, codec, optional, spec)


def _make_init(cls: type[Any], fields: Mapping[str, Field[Any, Any]]) -> Callable[..., None]:
    parameters, lines = [], [" d = self.__dict__"]
    space: dict[str, Any] = {"MISSING": MISSING}
    for name, field in fields.items():
        if field.role == "version":
            lines.append(f" d[{name!r}] = 0")
        if not field.in_init:
            continue
        if field.factory is not None:
            space[f"_f_{name}"] = field.factory
            parameters.append(f"{name}=MISSING")
            lines.append(f" d[{name!r}] = _f_{name}() if {name} is MISSING else {name}")
            continue
        space[f"_d_{name}"] = field.default
        parameters.append(name if field.default is MISSING else f"{name}=_d_{name}")
        lines.append(f" d[{name!r}] = {name}")
    star = ", *, " if parameters else ""
    exec("\n".join([f"def __init__(self{star}{', '.join(parameters)}):", *lines]), space)
    made: Callable[..., None] = space["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _refuse_change(self: Any, name: str, value: Any = None) -> None:
    raise AttributeError(f"{type(self).__name__} is a value and does not change; use replace(it, {name}=...)")


def _equal(self: Any, other: object) -> Any:
    return self.__dict__ == other.__dict__ if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash((type(self), *self.__dict__.values()))


def _repr(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"


def _describe(cls: type[M], local: Mapping[str, Any], options: Mapping[str, Any]) -> type[M]:
    fields = _own_fields(cls, local)
    stored: dict[str, str] = {}
    for name, field in fields.items():
        if field.is_stored and stored.setdefault(field.stored, name) != name:
            raise DesignError(
                "SK111",
                f"{cls.__name__}.{name} and .{stored[field.stored]} are both stored as {field.stored!r}. Rename.",
            )
        setattr(cls, name, field)
    methods = {
        "__init__": _make_init(cls, fields),
        "__setattr__": _refuse_change,
        "__delattr__": _refuse_change,
        "__eq__": _equal,
        "__hash__": _hash,
        "__repr__": _repr,
        "__replace__": lambda self, **changes: replace(self, **changes),
    }
    for name, method in methods.items():
        setattr(cls, name, method)
    cls.__sekkei__ = Model(cls, fields, options)  # type: ignore[attr-defined]
    return cls


@overload
@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(attr, part, computed, template, version)
)
def model(cls: type[M]) -> type[M]: ...
@overload
@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(attr, part, computed, template, version)
)
def model(
    *, delimiter: str = "#", migrations: tuple[_Migration, ...] = (), schema_stored: str = "schema_version"
) -> Callable[[type[M]], type[M]]: ...
def model(cls: type[Any] | None = None, **options: Any) -> Any:
    """Make a class a model.

    `delimiter`   separates the parts of keys
    `migrations`  functions that bring a plain item from schema version 1 to 2, 2 to 3, and so on; applied on read
    """
    options = {"delimiter": "#", "migrations": (), "schema_stored": "schema_version", **options}
    local = dict(sys._getframe(1).f_locals)  # so that a model inside a function sees that function's names
    if cls is not None:
        return _describe(cls, local, options)
    return lambda found: _describe(found, local, options)


def described(cls: type[M]) -> Model[M]:
    """What `@model` learnt about `cls`."""
    found: Model[M] | None = cls.__dict__.get("__sekkei__")
    if found is None:
        raise DesignError("SK112", f"{cls.__name__} is no model. Put @model above the class.")
    return found


def replace(instance: M, **changes: Any) -> M:
    """A copy with some attributes changed; its version stays, so that a write of the copy is still checked."""
    fields = described(type(instance)).fields
    unknown = [name for name in changes if name not in fields or not fields[name].in_init]
    if unknown:
        raise ValueRefused("SK215", f"{type(instance).__name__} has no attribute {unknown[0]} that can be set.")
    copied = object.__new__(type(instance))
    copied.__dict__.update(instance.__dict__, **changes)
    return copied


def replace_version(instance: M, name: str, number: int) -> M:
    """A copy that knows the version it was stored with."""
    copied = object.__new__(type(instance))
    copied.__dict__.update(instance.__dict__, **{name: number})
    return copied
