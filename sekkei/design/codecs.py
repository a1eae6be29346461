"""How one Python type is stored: as a DynamoDB value, and as text inside a key; and which codec an annotation asks for.

A codec also writes the Python expression that decodes its value, so that an entity's decoder can be one generated
function without a call per attribute.
"""

from __future__ import annotations

import datetime as dt
import re
import types
from binascii import a2b_base64 as b64decode
from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal, Inexact, InvalidOperation, Rounded
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

from .placeholders import Sample, is_sample

AttributeValue = dict[str, Any]
_NULL: AttributeValue = {"NULL": True}
_DIGITS_MAX = 38  # DynamoDB numbers are exact to 38 digits
_EXACT = Context(prec=_DIGITS_MAX, traps=[Inexact, Rounded, InvalidOperation])


class Unfit(ValueError):
    """The value is not one this codec takes; whoever knows the attribute's name turns it into a numbered error."""


class Names:
    """The objects that generated code refers to, each under a short name."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}

    def of(self, thing: Any) -> str:
        name = f"_{len(self.objects)}"
        self.objects[name] = thing
        return name


class Codec:
    """Stores one Python type. `pattern` is None for what cannot stand inside a key template."""

    kind = "S"  # the DynamoDB type
    pattern: str | None = None  # a regular expression of the text inside a key
    fixed = False  # always equally long, in an order that is the values' own
    shape = ""  # what the document says beside the type, such as YYYY-MM-DD
    empty: Any = None  # what an absent attribute means, where DynamoDB cannot store the empty value

    def encode(self, value: Any) -> AttributeValue:
        return {self.kind: self.text(value)}

    def decode(self, stored: AttributeValue) -> Any:
        return self.from_text(stored[self.kind])

    def source(self, stored: str, names: Names) -> str:
        """The Python expression that decodes the value which `stored` names."""
        return f"{names.of(self.decode)}({stored})"

    def text(self, value: Any) -> str:
        raise Unfit("it cannot be written as text")

    def from_text(self, text: str) -> Any:
        raise Unfit("it cannot be read from text")


class Text(Codec):
    pattern = ""  # anything but the delimiter; the template fills it in

    def text(self, value: Any) -> str:
        if isinstance(value, str) and not isinstance(value, Enum):
            return value
        raise Unfit(f"takes str, got {type(value).__name__}")

    def from_text(self, text: str) -> str:
        return text

    def source(self, stored: str, names: Names) -> str:
        return f"{stored}['S']"


class Integer(Codec):
    kind = "N"
    pattern = r"-?\d+"

    def text(self, value: Any) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            raise Unfit(f"takes int, got {type(value).__name__}")
        text = str(value)
        # Zeros at the end are free: they are the exponent's.
        if len(text) > _DIGITS_MAX and len(text.lstrip("-").rstrip("0")) > _DIGITS_MAX:
            raise Unfit(f"takes numbers of at most {_DIGITS_MAX} digits, got {len(text)}")
        return text

    def from_text(self, text: str) -> int:
        try:
            return int(text)
        except ValueError:
            number = Decimal(text)  # 1E+3 or 5.0 is an integer too
            if number != number.to_integral_value():
                raise
            return int(number)

    def source(self, stored: str, names: Names) -> str:
        return f"int({stored}['N'])"


class _Exact(Codec):
    """Decimal; an int is accepted as well."""

    kind = "N"

    def text(self, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, Decimal | int):
            raise Unfit(f"takes Decimal, got {type(value).__name__}")
        if isinstance(value, Sample):
            return str(value)
        try:
            exact = _EXACT.create_decimal(value)
        except (Inexact, Rounded, InvalidOperation):
            raise Unfit(f"takes numbers of at most {_DIGITS_MAX} digits") from None
        if not exact.is_finite():
            raise Unfit(f"takes finite numbers, got {value}")
        return str(exact)

    def from_text(self, text: str) -> Decimal:
        return Decimal(text)

    def source(self, stored: str, names: Names) -> str:
        return f"{names.of(Decimal)}({stored}['N'])"


class Approximate(Codec):
    """float, by choice: `attr(stored_as=approximate())`."""

    kind = "N"

    def text(self, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, float | int):
            raise Unfit(f"takes float, got {type(value).__name__}")
        if value != value or value in (float("inf"), float("-inf")):
            raise Unfit(f"takes finite numbers, got {value}")
        return repr(value)

    def from_text(self, text: str) -> float:
        return float(text)


class Flag(Codec):
    kind = "BOOL"

    def encode(self, value: Any) -> AttributeValue:
        if value is True or value is False:
            return {"BOOL": value}
        raise Unfit(f"takes bool, got {type(value).__name__}")

    def decode(self, stored: AttributeValue) -> bool:
        return bool(stored["BOOL"])

    def source(self, stored: str, names: Names) -> str:
        return f"{stored}['BOOL']"


class _Binary(Codec):
    kind = "B"

    def text(self, value: Any) -> str:
        if not isinstance(value, bytes | bytearray):
            raise Unfit(f"takes bytes, got {type(value).__name__}")
        return b2a_base64(value, newline=False).decode("ascii")

    def from_text(self, text: str) -> bytes:
        return b64decode(text)


class Day(Codec):
    pattern = r"\d{4}-\d{2}-\d{2}"
    fixed = True
    shape = "YYYY-MM-DD"

    def text(self, value: Any) -> str:
        if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
            return value.isoformat()
        raise Unfit(f"takes date, got {type(value).__name__}")

    def from_text(self, text: str) -> dt.date:
        return dt.date.fromisoformat(text)

    def source(self, stored: str, names: Names) -> str:
        return f"{names.of(dt.date.fromisoformat)}({stored}['S'])"


class TimeOfDay(Codec):
    """HH:MM, or HH:MM:SS with `seconds`."""

    fixed = True

    def __init__(self, seconds: bool = False) -> None:
        self.timespec = "seconds" if seconds else "minutes"
        self.pattern = r"\d{2}:\d{2}:\d{2}" if seconds else r"\d{2}:\d{2}"
        self.shape = "HH:MM:SS" if seconds else "HH:MM"

    def text(self, value: Any) -> str:
        if isinstance(value, dt.time):
            return value.isoformat(timespec=self.timespec)
        raise Unfit(f"takes time, got {type(value).__name__}")

    def from_text(self, text: str) -> dt.time:
        return dt.time.fromisoformat(text)


_TIMESPECS = {0: "seconds", 3: "milliseconds", 6: "microseconds"}


class Instant(Codec):
    """A datetime as ISO 8601 of one width in one zone, so that text order is time order. Finer digits are cut off."""

    fixed = True

    def __init__(self, zone: str = "Z", digits: int = 3) -> None:
        self.zone = zone
        self._info = dt.UTC if zone == "Z" else dt.timezone(_offset(zone))
        self._timespec = _TIMESPECS[digits]
        fraction = rf"\.\d{{{digits}}}" if digits else ""
        self.pattern = rf"\d{{4}}-\d{{2}}-\d{{2}}T\d{{2}}:\d{{2}}:\d{{2}}{fraction}{re.escape(zone)}"
        self.shape = "YYYY-MM-DDTHH:MM:SS" + ("." + "m" * digits if digits else "") + zone

    def text(self, value: Any) -> str:
        if not isinstance(value, dt.datetime):
            raise Unfit(f"takes datetime, got {type(value).__name__}")
        if isinstance(value, Sample):
            return value.label
        if value.tzinfo is None:
            raise Unfit("takes a datetime with a time zone; say which, for example datetime.now(UTC)")
        try:
            local = value.astimezone(self._info).replace(tzinfo=None).isoformat(timespec=self._timespec)
        except OverflowError:
            raise Unfit(f"takes moments that exist at {self.zone}; {value.isoformat()} does not") from None
        return local + self.zone

    def from_text(self, text: str) -> dt.datetime:
        value = dt.datetime.fromisoformat(text)
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone: {text}")
        return value

    def source(self, stored: str, names: Names) -> str:
        return f"{names.of(self.from_text)}({stored}['S'])"


def _offset(zone: str) -> dt.timedelta:
    sign = {"+": 1, "-": -1}[zone[0]]
    return sign * dt.timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))


class _Epoch(Codec):
    """A datetime as a Number of seconds since 1970, the form that TTL needs."""

    kind = "N"
    pattern = r"\d+"
    shape = "epoch seconds"

    def text(self, value: Any) -> str:
        if not isinstance(value, dt.datetime):
            raise Unfit(f"takes datetime, got {type(value).__name__}")
        if isinstance(value, Sample):
            return value.label
        if value.tzinfo is None:
            raise Unfit("takes a datetime with a time zone; say which, for example datetime.now(UTC)")
        return str(int(value.timestamp()))

    def from_text(self, text: str) -> dt.datetime:
        return dt.datetime.fromtimestamp(int(text), dt.UTC)


class Choice(Codec):
    """An Enum by its values; all text, or all whole numbers."""

    def __init__(self, enum: type[Enum]) -> None:
        self.enum = enum
        self.members: dict[str, Enum] = {str(member.value): member for member in enum}
        self.kind = "N" if all(isinstance(member.value, int) for member in enum) else "S"
        self.pattern = "|".join(re.escape(value) for value in self.members)
        self.shape = " | ".join(self.members)

    def text(self, value: Any) -> str:
        if isinstance(value, self.enum):
            return str(value.value)
        raise Unfit(f"takes {self.enum.__name__}, got {value!r}")

    def from_text(self, text: str) -> Enum:
        return self.members[text]

    def source(self, stored: str, names: Names) -> str:
        return f"{names.of(self.members)}[{stored}['{self.kind}']]"


class LiteralCodec(Codec):
    """Literal["a", "b"]: one of a few texts."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = frozenset(words)
        self.pattern = "|".join(re.escape(word) for word in words)
        self.shape = " | ".join(words)

    def text(self, value: Any) -> str:
        if value in self.words or isinstance(value, Sample):
            return str(value)
        raise Unfit(f"takes one of {self.shape}, got {value!r}")

    def from_text(self, text: str) -> str:
        if text not in self.words:
            raise ValueError(f"{text!r} is none of {self.shape}")
        return text


class Elements(Codec):
    """list[T] or tuple[T, ...] as L."""

    kind = "L"

    def __init__(self, inner: Codec, make: Callable[[Iterable[Any]], Any], optional: bool) -> None:
        self.inner, self.make, self.optional = inner, make, optional

    def encode(self, value: Any) -> AttributeValue:
        if not isinstance(value, list | tuple):
            raise Unfit(f"takes {self.make.__name__}, got {type(value).__name__}")
        return {"L": [_encode_inner(self.inner, one, self.optional) for one in value]}

    def decode(self, stored: AttributeValue) -> Any:
        decode = self.inner.decode
        return self.make(None if "NULL" in one else decode(one) for one in stored["L"])


class Dictionary(Codec):
    """dict[str, T] as M."""

    kind = "M"

    def __init__(self, inner: Codec, optional: bool) -> None:
        self.inner, self.optional = inner, optional

    def encode(self, value: Any) -> AttributeValue:
        if not isinstance(value, Mapping):
            raise Unfit(f"takes dict, got {type(value).__name__}")
        return {"M": {_name(name): _encode_inner(self.inner, one, self.optional) for name, one in value.items()}}

    def decode(self, stored: AttributeValue) -> dict[str, Any]:
        decode = self.inner.decode
        return {name: None if "NULL" in one else decode(one) for name, one in stored["M"].items()}


def _name(name: Any) -> str:
    if isinstance(name, str):
        return name
    raise Unfit(f"takes text as the keys of a map, got {type(name).__name__}")


def _encode_inner(codec: Codec, value: Any, optional: bool) -> AttributeValue:
    return _NULL if value is None and optional else codec.encode(value)


class Several(Codec):
    """set[T] or frozenset[T] as SS, NS or BS; the empty set is an absent attribute."""

    def __init__(self, inner: Codec, make: type[Any]) -> None:
        self.inner, self.make = inner, make
        self.kind = inner.kind + "S"
        self.empty = make()

    def encode(self, value: Any) -> AttributeValue:
        if not isinstance(value, set | frozenset):
            raise Unfit(f"takes {self.make.__name__}, got {type(value).__name__}")
        return {self.kind: sorted(self.inner.text(one) for one in value)}

    def decode(self, stored: AttributeValue) -> Any:
        return self.make(map(self.inner.from_text, stored[self.kind]))

    def source(self, stored: str, names: Names) -> str:
        if type(self.inner) is Text:
            return f"{names.of(self.make)}({stored}['SS'])"
        return super().source(stored, names)


class Anything(Codec):
    """Any: whatever JSON-like value Python has; numbers come back as int or Decimal."""

    kind = "M"

    def encode(self, value: Any) -> AttributeValue:
        return to_stored(value)

    def decode(self, stored: AttributeValue) -> Any:
        return from_stored(stored)


def to_stored(value: Any) -> AttributeValue:
    """A plain Python value as DynamoDB stores it."""
    if value is None:
        return _NULL
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, Enum):
        return to_stored(value.value)
    for kinds, codec in _PLAIN:
        if isinstance(value, kinds):
            return codec.encode(value)
    if isinstance(value, Mapping):
        return {"M": {_name(name): to_stored(one) for name, one in value.items()}}
    if isinstance(value, list | tuple):
        return {"L": [to_stored(one) for one in value]}
    if isinstance(value, set | frozenset) and value:
        inner = [to_stored(one) for one in value]
        kinds = {kind for one in inner for kind in one}
        if len(kinds) == 1 and kinds <= {"S", "N", "B"}:
            kind = kinds.pop()
            return {kind + "S": sorted(one[kind] for one in inner)}
    raise Unfit(f"has no form in DynamoDB for {type(value).__name__} {value!r:.40}")


_PLAIN: tuple[tuple[Any, Codec], ...] = ((str, Text()), (int, Integer()), (Decimal, _Exact()), (bytes, _Binary()))


def _number(text: str) -> int | Decimal:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else number


_READERS: dict[str, Callable[[Any], Any]] = {
    "S": lambda text: text,
    "N": _number,
    "B": b64decode,
    "BOOL": lambda flag: flag,
    "NULL": lambda _: None,
    "SS": set,
    "NS": lambda texts: {_number(text) for text in texts},
    "BS": lambda texts: {b64decode(text) for text in texts},
    "L": lambda values: [from_stored(one) for one in values],
    "M": lambda values: {name: from_stored(one) for name, one in values.items()},
}


def from_stored(stored: AttributeValue) -> Any:
    """A stored value as plain Python."""
    ((kind, content),) = stored.items()
    return _READERS[kind](content)


__all__ = ["AttributeValue", "Codec", "Names", "Unfit", "from_stored", "is_sample", "to_stored"]


_SCALARS: dict[Any, Codec] = {
    str: Text(),
    int: Integer(),
    bool: Flag(),
    bytes: _Binary(),
    Decimal: _Exact(),
    dt.datetime: Instant(),
    dt.date: Day(),
    dt.time: TimeOfDay(),
    Any: Anything(),
    object: Anything(),
}


def iso(zone: str = "Z", digits: int = 3) -> Codec:
    """A datetime as ISO 8601 text of one width: `iso("+09:00", 0)` is YYYY-MM-DDTHH:MM:SS+09:00."""
    return Instant(zone, digits)


def epoch() -> Codec:
    """A datetime as a Number of seconds since 1970; what a TTL attribute must be."""
    return _Epoch()


def approximate() -> Codec:
    """A float, knowing that it is not exact."""
    return Approximate()


def time_of_day(seconds: bool = False) -> Codec:
    """A time as HH:MM, or HH:MM:SS."""
    return TimeOfDay(seconds)


def split_optional(annotation: Any) -> tuple[Any, bool]:
    """`X | None` as (X, True), anything else as (itself, False)."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation, False
    inner = [arg for arg in get_args(annotation) if arg is not type(None)]
    if len(inner) != 1 or len(inner) == len(get_args(annotation)):
        raise TypeError(f"{annotation} is a union; only X | None is stored")
    return inner[0], True


def codec_of(annotation: Any) -> Codec:
    """The codec for a type; raises TypeError, with what to do, for a type that has none."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(isinstance(arg, str) for arg in args):
        return LiteralCodec(args)
    if origin in (list, tuple) and args:
        if origin is tuple and args[1:] != (...,):
            raise TypeError(f"{annotation} has a fixed length; use tuple[X, ...], list[X] or a nested @model")
        inner, optional = split_optional(args[0])
        return Elements(codec_of(inner), origin, optional)
    if origin in (set, frozenset) and args:
        element = codec_of(args[0])
        if element.kind not in ("S", "N", "B"):
            raise TypeError(f"{annotation}: DynamoDB has sets of text, numbers and binary only")
        return Several(element, origin)
    if origin is dict and args and args[0] is str:
        inner, optional = split_optional(args[1])
        return Dictionary(codec_of(inner), optional)
    if annotation is dict or annotation is list:
        return Anything()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return Choice(annotation)
    if isinstance(annotation, type) and "__sekkei__" in annotation.__dict__:
        return Nested(annotation)
    if annotation is float:
        raise TypeError("float is not exact; use Decimal, or say attr(stored_as=approximate())")
    raise TypeError(f"{annotation} has no form in DynamoDB; use a plain type, an Enum or a nested @model")


class Nested(Codec):
    """A model inside an attribute, as M."""

    kind = "M"

    def __init__(self, cls: type[Any]) -> None:
        self.cls = cls
        self.model = cls.__sekkei__
        self.shape = "{" + ", ".join(field.stored for field in self.model.fields.values()) + "}"

    def encode(self, value: Any) -> AttributeValue:
        if not isinstance(value, self.cls):
            raise Unfit(f"takes {self.cls.__name__}, got {type(value).__name__}")
        return {"M": self.model.encode(value)}

    def decode(self, stored: AttributeValue) -> Any:
        return self.model.decode(stored["M"])

    def source(self, stored: str, names: Names) -> str:
        return f"{names.of(self.model.decode)}({stored}['M'])"
