"""NextToken: where a SELECT goes on, good for that statement with those parameters only."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from sekkei.engine.items.values import Item
from sekkei.engine.storage.catalogue import Index, KeyPart, Table
from sekkei.errors import ValidationException

_DIGEST_BYTES = 16


class Position(NamedTuple):
    """The read that goes on, and the key beyond which it does; no key when it has not begun."""

    read: int
    start: Item | None


def binding_of(table: Table, statement: str, parameters: Sequence[dict[str, Any]]) -> str:
    """What a token is bound to. A table made anew under the same name is another one."""
    content = orjson.dumps([table.id, statement, parameters], option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def written(binding: str, position: Position) -> str:
    return base64.b64encode(orjson.dumps([binding, position.read, position.start])).decode()


def read(token: str, binding: str, reads: int, table: Table, index: Index | None) -> Position:
    """The position that a token stands for; raises for one that this statement did not get."""
    try:
        content = orjson.loads(base64.b64decode(token, validate=True))
    except (binascii.Error, ValueError):
        raise _invalid() from None
    if not isinstance(content, list) or len(content) != 3:
        raise _invalid()
    if content[0] != binding:
        raise ValidationException("NextToken does not match request")
    number, start = content[1:]
    if type(number) is not int or not 0 <= number < reads:
        raise _invalid()
    parts = {part.name: part for part in (*table.key.parts, *(index.key.parts if index else ()))}
    if start is not None and not _is_key(start, parts):
        raise _invalid()
    return Position(number, start)


def _is_key(start: Any, parts: dict[str, KeyPart]) -> bool:
    """A token can be made up by anyone; one that is not made of key values would be a fault of ours later on."""
    if not isinstance(start, dict) or start.keys() != parts.keys():
        return False
    return all(
        isinstance(start[name], dict) and isinstance(start[name].get(part.type), str) for name, part in parts.items()
    )


def _invalid() -> ValidationException:
    return ValidationException("Invalid NextToken")
