"""Keys and references to items.

A key function says how an item's key is made: `return Key(f"TEAM#{team_id}", f"TASK#{task_id}")`. It is run once,
with markers instead of values, and what it returns is the template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .codecs import AttributeValue
from .errors import DesignError, ValueRefused
from .signatures import NO_DEFAULT, parameters

if TYPE_CHECKING:
    from .entity import Entity

_M_co = TypeVar("_M_co", covariant=True)

PARTITION_BYTES_MAX = 2048
SORT_BYTES_MAX = 1024


def check_size(stored: AttributeValue, bytes_max: int, place: str) -> None:
    """Refuse a text that is too long for a key; a character has four bytes at most."""
    text = stored.get("S", "")
    if len(text) * 4 > bytes_max and len(text.encode("utf-8", "surrogatepass")) > bytes_max:
        raise ValueRefused(
            "SK226",
            f"{place} = {text[:40]!r}… is longer than {bytes_max} bytes. Refuse such values where they come in.",
        )


class Key:
    """A partition key and, where the table has one, a sort key."""

    __slots__ = ("pk", "sk")

    def __init__(self, pk: object, sk: object = None) -> None:
        self.pk, self.sk = pk, sk


class _Marker:
    """Stands for one parameter of a key function and shows up in the text as `{name}`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __format__(self, spec: str) -> str:
        return "{" + self.name + (f":{spec}" if spec else "") + "}"

    def __str__(self) -> str:
        return format(self)

    def _asked(self, *_: object) -> Any:
        raise TypeError(f"it asks what {self.name} is, and is read only once, for every value there will ever be")

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __len__ = __contains__ = _asked
    __iter__ = __getitem__ = __add__ = __radd__ = __mod__ = _asked


def trace(function: Callable[..., Key]) -> tuple[str, str | None]:
    """The templates of a key function."""
    names = list(parameters(function))
    if _branches(function):
        raise DesignError(
            "SK113",
            f"key function {function.__name__} branches, but it is read only once, for every value there will ever be. "
            "Choose in the model, with computed(), or declare an entity for each form of key.",
        )
    advice = "A key function only places its parameters into text; compute such values with computed() in the model."
    try:
        key = function(**{name: _Marker(name) for name in names})
    except Exception as error:
        raise DesignError("SK113", f"key function {function.__name__} could not be read: {error}. {advice}") from error
    if not isinstance(key, Key):
        raise DesignError("SK113", f"key function {function.__name__} must return Key(...). {advice}")
    pk, sk = _text(key.pk), None if key.sk is None else _text(key.sk)
    for name in names:
        if "{" + name not in f"{pk} {sk}":
            raise DesignError(
                "SK114", f"parameter {name} of key function {function.__name__} is in neither half of the key. {advice}"
            )
    return pk, sk


def _branches(function: Callable[..., Key]) -> bool:
    """Does the function's own code jump? One that only places its parameters never does."""
    from opcode import hasjabs, hasjrel

    code = getattr(function, "__code__", None)
    jumps = {*hasjrel, *hasjabs}
    return code is not None and any(opcode in jumps for opcode in code.co_code[::2])


def _text(half: object) -> str:
    return half if isinstance(half, str) else format(half)


def make_binder(function: Callable[..., Key]) -> Callable[..., dict[str, Any]]:
    """A function of the same parameters that returns them by name."""
    declared, given, space = [], [], {}
    for name, parameter in parameters(function).items():
        if parameter.keyword_only and "*" not in declared:
            declared.append("*")
        if parameter.default is not NO_DEFAULT:
            space[f"_{name}"] = parameter.default
            declared.append(f"{name}=_{name}")
        else:
            declared.append(name)
        given.append(f"{name!r}: {name}")
    source = f"def {function.__name__}({', '.join(declared)}): return {{{', '.join(given)}}}"
    exec(source, space)
    made: Callable[..., dict[str, Any]] = space[function.__name__]
    return made


class Ref(Generic[_M_co]):
    """One item of an entity by its key; `await db.get(ref)` reads it."""

    __slots__ = ("entity", "key", "pattern", "strong", "values")

    def __init__(self, entity: Entity[..., _M_co], key: dict[str, AttributeValue], values: Mapping[str, Any]) -> None:
        self.entity, self.key, self.values = entity, key, values
        self.strong = False
        self.pattern: str | None = None

    def consistent(self) -> Ref[_M_co]:
        """Read what was written last, for twice the units; for every read that a decision follows."""
        found = Ref(self.entity, self.key, self.values)
        found.strong, found.pattern = True, self.pattern
        return found

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for references to the same item of the same table."""
        return (id(self.entity.table), *(next(iter(value.items())) for value in self.key.values()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ref) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"{self.entity.name}({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"
