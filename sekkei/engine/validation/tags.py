"""What the tags of a table may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sekkei.errors import ValidationException

TAGS_MAX = 50
_OTHER_CHARACTERS = frozenset("+-=._:/@")


def check_tags(tags: Iterable[Mapping[str, str]]) -> None:
    """Keys and values of the allowed characters, no key twice and none of Amazon's own."""
    seen: set[str] = set()
    for tag in tags:
        key, value = tag["Key"], tag["Value"]
        check_tag_key(key)
        if not _is_plain(value):
            raise ValidationException(f"The Tag Value provided is invalid, Value: {value}")
        if key in seen:
            raise ValidationException(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        seen.add(key)
    check_tag_count(len(seen))


def check_tag_key(key: str) -> None:
    if not _is_plain(key):
        raise ValidationException(f"The Tag Key provided is invalid, Key: {key}")
    if key.lower().startswith("aws:"):
        raise ValidationException(f"Tag Key cannot be prefixed with aws:, Key: {key}")


def check_tag_count(count: int) -> None:
    if count > TAGS_MAX:
        raise ValidationException("Number of Tags exceed the current limit for the provided ResourceArn")


def _is_plain(text: str) -> bool:
    return all(each.isalnum() or each.isspace() or each in _OTHER_CHARACTERS for each in text)
