"""The shapes of requests: what JSON type a member has, and which bounds it keeps.

A shape answers two questions. `fine(value)` is the quick one, asked of every request: is all of it plainly in order?
Only when the answer is no do the slow ones follow, and they have the last word: `read` takes the value in as DynamoDB's
JSON reader does (nulls and unknown members fall away, a wrong type is a SerializationException), and `faults` names
every bound that is broken, in DynamoDB's order and words. AttributeValue is DynamoDB's own type, whose lists and maps
hold further values.
"""

from __future__ import annotations

import binascii
import math
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from sekkei.errors import SerializationException, ValidationException

_Predicate = Callable[[Any], bool]

_DYNAMODB_CLASS = "com.amazonaws.dynamodb.v20120810."
# DynamoDB names no more faults than these in one answer.
_FAULTS_MAX = 10

_NUMBER_LIMITS = {"Integer": 2**31, "Long": 2**63, "Double": 10**300}
_BOOLEAN_WORDS = {"TRUE": True, "1": True, "YES": True, "FALSE": False, "0": False, "NO": False}
_STRUCTURE_NOT_EXPECTED = "Start of structure or map found where not expected"
_GENERIC_CAST = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class "
    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base "
    "of loader 'bootstrap')"
)


def fault(shown: str, path: str, constraint: str) -> str:
    """One broken bound, as it stands in the list of validation errors."""
    return f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}"


def _encodable(text: str) -> bool:
    """Whether the text is Unicode; half of a surrogate pair is not."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _lower_first(name: str) -> str:
    return name[0].lower() + name[1:]


def _token(value: Any) -> str:
    if value is True:
        return "TRUE_VALUE"
    if value is False:
        return "FALSE_VALUE"
    if isinstance(value, int):
        return "NUMBER_VALUE"
    if isinstance(value, float):
        return "DECIMAL_VALUE"
    return "STRING_VALUE"


class Shape:
    """What all shapes have; the class itself is never used."""

    java: str
    fine: _Predicate
    may_be_null = False
    """Whether a null stands for one with nothing in it."""

    def read(self, value: Any, *, element: bool = False) -> Any:
        """The value as DynamoDB reads it; `element` when it stands in a list or a map."""
        raise AssertionError("a shape says how it is read")

    def absent(self) -> Any:
        """What a null in a list stands for."""
        raise SerializationException("Unexpected token received from parser")

    def faults(self, value: Any, path: str) -> Iterator[str]:
        """Broken bounds of a value that has been read."""
        return iter(())

    def bounds(self) -> list[str]:
        """The bounds in words, for a list or map that states those of its elements."""
        return []

    def keeps_bounds(self, value: Any) -> bool:
        return next(self.faults(value, ""), None) is None

    def shown(self, value: Any) -> str:
        return str(value)

    def quoted(self, value: Any) -> str:
        return f"'{self.shown(value)}'"


def _refuse_collection(value: Any, java: str) -> None:
    """Scalars have this in common: neither a list nor a map will do."""
    if isinstance(value, list | tuple):
        raise SerializationException(f"Unrecognized collection type class {java}")
    if isinstance(value, Mapping):
        raise SerializationException(_STRUCTURE_NOT_EXPECTED)


class String(Shape):
    java = "java.lang.String"

    def __init__(
        self, shortest: int = 0, longest: int | None = None, pattern: str | None = None, one_of: str | None = None
    ) -> None:
        self.shortest = shortest
        self.longest = longest
        self.pattern = pattern
        self._matches = re.compile(pattern).fullmatch if pattern else None
        self.values = one_of.split() if one_of else []
        self.fine = self._predicate()

    def _predicate(self) -> _Predicate:
        if self.values:
            allowed = frozenset(self.values)
            return lambda value: type(value) is str and value in allowed
        if not self.shortest and self.longest is None and self._matches is None:
            return lambda value: type(value) is str and (value.isascii() or _encodable(value))
        keeps = self.keeps_bounds
        return lambda value: type(value) is str and (value.isascii() or _encodable(value)) and keeps(value)

    def read(self, value: Any, *, element: bool = False) -> str:
        if isinstance(value, str):
            if not _encodable(value):
                raise SerializationException("Invalid UTF-8 in a string")
            return value
        _refuse_collection(value, self.java)
        raise SerializationException(f"{_token(value)} cannot be converted to String")

    def faults(self, value: str, path: str) -> Iterator[str]:
        if self._matches and not self._matches(value):
            yield fault(self.quoted(value), path, f"Member must satisfy regular expression pattern: {self.pattern}")
        if len(value) < self.shortest:
            yield fault(self.quoted(value), path, f"Member must have length greater than or equal to {self.shortest}")
        if self.longest is not None and len(value) > self.longest:
            yield fault(self.quoted(value), path, f"Member must have length less than or equal to {self.longest}")
        if self.values and value not in self.values:
            yield fault(self.quoted(value), path, f"Member must satisfy enum value set: [{', '.join(self.values)}]")

    def bounds(self) -> list[str]:
        words = []
        if self.longest is not None:
            words.append(f"Member must have length less than or equal to {self.longest}")
        if self.longest is not None or self.shortest:
            words.append(f"Member must have length greater than or equal to {self.shortest}")
        if self.pattern:
            words.append(f"Member must satisfy regular expression pattern: {self.pattern}")
        if self.values:
            words.append(f"Member must satisfy enum value set: [{', '.join(self.values)}]")
        return words


class Number(Shape):
    """A JSON number; `kind` is the Java type that holds it: Integer, Long or Double."""

    def __init__(self, kind: str = "Integer", least: int | None = None, most: int | None = None) -> None:
        self.kind = kind
        self.java = f"java.lang.{kind}"
        self.least = least
        self.most = most
        self._limit = _NUMBER_LIMITS[kind]
        low = -self._limit if least is None else least
        high = self._limit - 1 if most is None else most
        if kind == "Double":
            self.fine = lambda value: (type(value) is int or type(value) is float) and low <= value <= high
        else:
            self.fine = lambda value: type(value) is int and low <= value <= high

    def read(self, value: Any, *, element: bool = False) -> int | float:
        _refuse_collection(value, self.java)
        if isinstance(value, int | float) and not isinstance(value, bool) and -self._limit <= value < self._limit:
            return value if self.kind == "Double" else math.floor(value)
        raise SerializationException(f"{_token(value)} cannot be converted to {self.kind}")

    def faults(self, value: int | float, path: str) -> Iterator[str]:
        if self.least is not None and value < self.least:
            yield fault(self.quoted(value), path, f"Member must have value greater than or equal to {self.least}")
        if self.most is not None and value > self.most:
            yield fault(self.quoted(value), path, f"Member must have value less than or equal to {self.most}")


class Boolean(Shape):
    java = "java.lang.Boolean"

    def __init__(self) -> None:
        self.fine = lambda value: value is True or value is False

    def read(self, value: Any, *, element: bool = False) -> bool:
        if isinstance(value, bool):
            return value
        _refuse_collection(value, self.java)
        if not isinstance(value, str):
            raise SerializationException(f"{_token(value)} cannot be converted to Boolean")
        word = _BOOLEAN_WORDS.get(value.upper())
        if word is None:
            raise SerializationException("Unexpected token received from parser")
        return word

    def shown(self, value: bool) -> str:
        return "true" if value else "false"


def _base64_fine(text: Any) -> bool:
    """Whether the text is base64 in its one canonical spelling."""
    if type(text) is not str or len(text) % 4:
        return False
    try:
        raw = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return False
    return binascii.b2a_base64(raw, newline=False) == text.encode()


class Blob(Shape):
    java = "java.nio.ByteBuffer"

    def __init__(self) -> None:
        self.fine = _base64_fine

    def read(self, value: Any, *, element: bool = False) -> str:
        if isinstance(value, list | tuple):
            raise SerializationException(f"Unrecognized collection type class {self.java}")
        if isinstance(value, Mapping):
            raise SerializationException(_STRUCTURE_NOT_EXPECTED)
        if not isinstance(value, str):
            raise SerializationException("only base-64-encoded strings are convertible to bytes")
        if len(value) % 4:
            raise SerializationException(
                f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(value)}"
            )
        if not _base64_fine(value):
            raise SerializationException("Invalid last non-pad Base64 character dectected")
        return value


class List(Shape):
    def __init__(self, member: Shape, shortest: int = 0, longest: int | None = None) -> None:
        self.member = member
        self.shortest = shortest
        self.longest = longest
        self.java = f"java.util.List<{member.java}>"
        fine = member.fine
        high = math.inf if longest is None else longest
        self.fine = lambda value: type(value) is list and shortest <= len(value) <= high and all(map(fine, value))

    def read(self, value: Any, *, element: bool = False) -> list[Any]:
        if isinstance(value, Mapping):
            raise SerializationException(_STRUCTURE_NOT_EXPECTED)
        if not isinstance(value, list | tuple):
            raise SerializationException(_GENERIC_CAST if element else "Unexpected field type")
        return [self.member.absent() if entry is None else self.member.read(entry, element=True) for entry in value]

    def faults(self, value: list[Any], path: str) -> Iterator[str]:
        if len(value) < self.shortest:
            yield fault(self.quoted(value), path, f"Member must have length greater than or equal to {self.shortest}")
        if self.longest is not None and len(value) > self.longest:
            yield fault(self.quoted(value), path, f"Member must have length less than or equal to {self.longest}")
        stated = self.member.bounds()
        if stated and not all(self.member.keeps_bounds(entry) for entry in value):
            yield fault(self.quoted(value), path, f"Member must satisfy constraint: [{', '.join(stated)}]")
        elif not stated:
            for index, entry in enumerate(value, start=1):
                yield from self.member.faults(entry, f"{path}.{index}.member")

    def bounds(self) -> list[str]:
        if self.longest is None and not self.shortest:
            return []
        return [
            f"Member must have length less than or equal to {self.longest}",
            f"Member must have length greater than or equal to {self.shortest}",
        ]

    def keeps_bounds(self, value: list[Any]) -> bool:
        return self.shortest <= len(value) and (self.longest is None or len(value) <= self.longest)

    def shown(self, value: list[Any]) -> str:
        return "[" + ", ".join(map(self.member.shown, value)) + "]"


class Map(Shape):
    def __init__(self, value: Shape, key: String | None = None, shortest: int = 0) -> None:
        self.value = value
        self.key = key or String()
        self.shortest = shortest
        self.java = f"java.util.Map<java.lang.String, {value.java}>"
        key_fine, value_fine = self.key.fine, value.fine
        self.fine = lambda entries: (
            type(entries) is dict
            and len(entries) >= shortest
            and all(map(value_fine, entries.values()))
            and all(map(key_fine, entries))
        )

    def read(self, value: Any, *, element: bool = False) -> dict[str, Any]:
        if isinstance(value, list | tuple):
            raise SerializationException(f"Unrecognized collection type {self.java}")
        if not isinstance(value, Mapping):
            raise SerializationException(_GENERIC_CAST if element else "Unexpected field type")
        return {
            self.key.read(key): self.value.absent() if entry is None else self.value.read(entry, element=True)
            for key, entry in value.items()
            if entry is not None or self.value.may_be_null
        }

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        if len(value) < self.shortest:
            yield fault(self.quoted(value), path, f"Member must have length greater than or equal to {self.shortest}")
        if not all(map(self.key.keeps_bounds, value)):
            words = ", ".join(self.key.bounds())
            yield fault(self.quoted(value), path, f"Map keys must satisfy constraint: [{words}]")
        stated = self.value.bounds()
        if stated and not all(map(self.value.keeps_bounds, value.values())):
            yield fault(self.quoted(value), path, f"Map value must satisfy constraint: [{', '.join(stated)}]")
        for key, entry in value.items():
            if isinstance(self.value, List):
                for index, member in enumerate(entry, start=1):
                    yield from self.value.member.faults(member, f"{path}.{key}.member.{index}.member")
            elif not stated:
                yield from self.value.faults(entry, f"{path}.{key}.member")

    def shown(self, value: dict[str, Any]) -> str:
        return "{" + ", ".join(f"{key}={self.value.shown(entry)}" for key, entry in value.items()) + "}"


class Structure(Shape):
    """Named members; `required` lists those that must be there, apart from spaces. Their order is that of faults."""

    may_be_null = True

    def __init__(self, name: str, required: str = "", **members: Shape) -> None:
        self.name = name
        self.java = _DYNAMODB_CLASS + name
        self.members = members
        self.required = frozenset(required.split())
        assert self.required <= members.keys(), f"{name} requires a member it does not have"
        self.fine = self._predicate()

    def _predicate(self) -> _Predicate:
        predicates = {name: shape.fine for name, shape in self.members.items()}
        required = tuple(self.required)

        def fine(value: Any) -> bool:
            if type(value) is not dict:
                return False
            for name, member in value.items():
                predicate = predicates.get(name)
                if predicate is None or not predicate(member):
                    return False
            for name in required:  # noqa: SIM110 - a generator costs more than the whole check
                if name not in value:
                    return False
            return True

        return fine

    def read(self, value: Any, *, element: bool = False) -> dict[str, Any]:
        if isinstance(value, list | tuple):
            raise SerializationException(f"Unrecognized collection type class {self.java}")
        if not isinstance(value, Mapping):
            raise SerializationException("Unexpected value type in payload" if element else "Unexpected field type")
        return {
            name: self.members[name].read(member)
            for name, member in value.items()
            if member is not None and name in self.members
        }

    def absent(self) -> dict[str, Any]:
        return {}

    def faults(self, value: dict[str, Any], path: str) -> Iterator[str]:
        prefix = path + "." if path else ""
        for name, shape in self.members.items():
            member = value.get(name)
            at = prefix + _lower_first(name)
            if member is not None:
                yield from shape.faults(member, at)
            elif name in self.required:
                yield fault("null", at, "Member must not be null")

    def shown(self, value: dict[str, Any]) -> str:
        members = (
            f"{_lower_first(name)}={shape.shown(value[name]) if name in value else 'null'}"
            for name, shape in self.members.items()
        )
        return f"{self.name}({', '.join(members)})"


def explain(shape: Structure, request: Any) -> dict[str, Any]:
    """The request as DynamoDB reads it, or the error that says what is wrong with it."""
    if not isinstance(request, Mapping):
        raise SerializationException("")
    read = shape.read(request)
    faults = list(islice(shape.faults(read, ""), _FAULTS_MAX))
    if faults:
        plural = "s" if len(faults) > 1 else ""
        raise ValidationException(f"{len(faults)} validation error{plural} detected: {'; '.join(faults)}")
    return read


# The reader stops looking this deep; the rule about nesting levels then speaks.
_DEPTH_MAX = 33

_BOOLEAN = Boolean()
_STRING = String()
_BLOB = Blob()


class _Set(List):
    """A set keeps a null that it is given, for the rules on values to refuse it."""

    def read(self, value: Any, *, element: bool = False) -> list[Any]:
        if not isinstance(value, list | tuple):
            return super().read(value)
        return [None if member is None else self.member.read(member, element=True) for member in value]


_SCALARS: dict[str, Shape] = {
    "S": _STRING,
    "N": _STRING,
    "B": _BLOB,
    "BOOL": _BOOLEAN,
    "NULL": _BOOLEAN,
    "SS": _Set(_STRING),
    "NS": _Set(_STRING),
    "BS": _Set(_BLOB),
}
_SCALAR_FINE = {kind: shape.fine for kind, shape in _SCALARS.items()}


def _value_fine(value: Any, depth: int = 1) -> bool:
    if type(value) is not dict or len(value) != 1:
        return False
    for kind, content in value.items():
        predicate = _SCALAR_FINE.get(kind)
        if predicate is not None:
            return predicate(content)
        if depth == _DEPTH_MAX:
            return False
        if kind == "M":
            return type(content) is dict and all(
                type(name) is str and _encodable(name) and _value_fine(child, depth + 1)
                for name, child in content.items()
            )
        if kind == "L":
            return type(content) is list and all(_value_fine(child, depth + 1) for child in content)
    return False


def _item_fine(entries: Any) -> bool:
    """A map of values, the most frequent kind of value checked on the spot."""
    if type(entries) is not dict:
        return False
    for name, value in entries.items():
        if type(value) is not dict or len(value) != 1 or type(name) is not str:
            return False
        if not name.isascii() and not _encodable(name):
            return False
        text = value.get("S")
        if type(text) is str:
            if not text.isascii() and not _encodable(text):
                return False
        elif not _value_fine(value):
            return False
    return True


class AttributeValue(Shape):
    """DynamoDB's own type: a structure whose L and M hold further ones."""

    java = _DYNAMODB_CLASS + "AttributeValue"
    may_be_null = True

    def __init__(self) -> None:
        self.fine = _value_fine

    def read(self, value: Any, *, element: bool = False) -> dict[str, Any]:
        return self._read(value, element, 1)

    def absent(self) -> dict[str, Any]:
        return {}

    def _read(self, value: Any, element: bool, depth: int) -> dict[str, Any]:
        if isinstance(value, list | tuple):
            raise SerializationException(f"Unrecognized collection type class {self.java}")
        if not isinstance(value, Mapping):
            raise SerializationException("Unexpected value type in payload" if element else "Unexpected field type")
        return {
            kind: self._read_content(kind, content, depth)
            for kind, content in value.items()
            if content is not None and (kind in _SCALARS or kind in ("L", "M"))
        }

    def _read_content(self, kind: str, content: Any, depth: int) -> Any:
        if kind in _SCALARS:
            return _SCALARS[kind].read(content)
        if kind == "L":
            if isinstance(content, Mapping):
                raise SerializationException(_STRUCTURE_NOT_EXPECTED)
            if not isinstance(content, list | tuple):
                raise SerializationException("Unexpected field type")
            if depth == _DEPTH_MAX:
                return [{}] if content else []
            return [{} if child is None else self._read(child, True, depth + 1) for child in content]
        if isinstance(content, list | tuple):
            raise SerializationException(f"Unrecognized collection type java.util.Map<java.lang.String, {self.java}>")
        if not isinstance(content, Mapping):
            raise SerializationException("Unexpected field type")
        if depth == _DEPTH_MAX:
            return {"": {}} if content else {}
        return {
            _STRING.read(name): {} if child is None else self._read(child, True, depth + 1)
            for name, child in content.items()
        }

    def shown(self, value: dict[str, Any]) -> str:
        kinds = {"S": "s", "N": "n", "B": "b", "SS": "sS", "NS": "nS", "BS": "bS", "M": "m", "L": "l"}
        kinds |= {"NULL": "nULL", "BOOL": "bOOL"}
        return "AttributeValue(" + ", ".join(f"{kinds[k]}={value.get(k, 'null')}" for k in kinds) + ")"


class Item(Map):
    """Values by attribute: an item, a key, ExpressionAttributeValues."""

    def __init__(self) -> None:
        super().__init__(AttributeValue())
        self.fine = _item_fine
