"""What a value must be to serve in a key."""

from __future__ import annotations

from collections.abc import Sequence

from sekkei.engine.items import values
from sekkei.engine.items.values import AttributeValue, Item
from sekkei.engine.storage.catalogue import HASH_BYTES_MAX, RANGE_BYTES_MAX, KeyPart, KeySchema
from sekkei.errors import ValidationException

INVALID = "One or more parameter values were invalid: "
# A character takes four bytes at most, so a key of no more than these needs no measuring.
SHORT_CHARACTERS = RANGE_BYTES_MAX // 4


class EmptyKeyValue(ValidationException):
    """A key attribute, of the table or of an index, that is empty: a transaction answers so as a whole.

    Every other fault of a key is the reason of one action.
    """

    @property
    def code(self) -> str:
        return "ValidationException"


def schema_mismatch() -> ValidationException:
    return ValidationException("The provided key element does not match the schema")


def check_not_empty(name: str, value: AttributeValue) -> None:
    """`value` is of a key's type: S, N or B."""
    for kind, content in value.items():
        if content == "":
            word = "string" if kind == "S" else "binary"
            raise EmptyKeyValue(
                "One or more parameter values are not valid. The AttributeValue for a key attribute "
                f"cannot contain an empty {word} value. Key: {name}"
            )


def check_sizes(schema: KeySchema, item: Item) -> None:
    """The bytes of each half of the key. What an item lacks, or has with another type, is in no index at all."""
    characters = 0
    for part in schema.parts:
        value = item.get(part.name)
        if value is None or part.type not in value:
            return
        characters += len(value[part.type])
    if characters > SHORT_CHARACTERS:
        _check_bytes(schema, item)


def _check_bytes(schema: KeySchema, item: Item) -> None:
    if _bytes(schema.hash, item) > HASH_BYTES_MAX:
        raise ValidationException(
            f"{INVALID}Size of hashkey has exceeded the maximum size limit of{HASH_BYTES_MAX} bytes"
        )
    if _bytes(schema.range, item) > RANGE_BYTES_MAX:
        raise ValidationException(
            f"{INVALID}Aggregated size of all range keys has exceeded the size limit of {RANGE_BYTES_MAX} bytes"
        )


def _bytes(parts: Sequence[KeyPart], item: Item) -> int:
    return sum(values.size(item[part.name]) for part in parts)
