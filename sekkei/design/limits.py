"""What DynamoDB takes: names, numbers of indexes, projections, key types. A design beyond it does not load."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .errors import DesignError

if TYPE_CHECKING:
    from .table import Index, Table

_GLOBAL_INDEXES_MAX = 20
_LOCAL_INDEXES_MAX = 5
_PROJECTED_MAX = 100  # attributes, over all indexes of a table
_ATTRIBUTE_BYTES_MAX = 255  # of the name of a key attribute or one that an index projects
_TAGS_MAX = 50
_TAG_KEY_MAX, _TAG_VALUE_MAX = 128, 256  # characters
_WARM_READ_MIN, _WARM_WRITE_MIN = 12_000, 4_000  # what every table on demand begins with
_KEY_TYPES = ("S", "N", "B")
_TAG = r"[\w\s.:/=+@-]*"
_TAKEN = r"[A-Za-z0-9_.-]"
_NAME = _TAKEN + "{3,255}"


def check_name(what: str, name: str) -> None:
    """Tables and indexes are named alike."""
    if re.fullmatch(_NAME, name) is None:
        shown = name if len(name) < 60 else f"{name[:50]}…"
        strange = "".join(sorted(set(re.sub(_TAKEN, "", name))))
        wrong = f"has {strange!r} in its name" if strange else f"has a name of {len(name)} characters"
        taken = "3 to 255 of a-z, A-Z, 0-9, '_', '-' and '.'"
        raise DesignError("SK157", f"{what} {shown!r} {wrong}; DynamoDB takes {taken}. Rename it.")


def _check_attribute(what: str, name: str) -> None:
    size = len(name.encode("utf-8", "surrogatepass"))
    if not 1 <= size <= _ATTRIBUTE_BYTES_MAX:
        raise DesignError(
            "SK157",
            f"{what} names an attribute of {size} bytes; DynamoDB takes 1 to {_ATTRIBUTE_BYTES_MAX} for keys and "
            "projections. Give it a shorter stored name.",
        )


def check_capacity(read: int, write: int) -> None:
    if min(read, write) < 1:
        raise DesignError("SK155", f"Capacity({read}, {write}): a table has at least 1 read and 1 write unit.")


def check_tags(table: str, tags: Mapping[str, str]) -> None:
    if len(tags) > _TAGS_MAX:
        raise DesignError("SK155", f"table {table} has {len(tags)} tags; DynamoDB takes {_TAGS_MAX}.")
    for key, value in tags.items():
        well = 1 <= len(key) <= _TAG_KEY_MAX and len(value) <= _TAG_VALUE_MAX and not key.lower().startswith("aws:")
        if not well or re.fullmatch(_TAG, key + value) is None:
            raise DesignError(
                "SK157",
                f"table {table} has the tag {key[:60]!r}; a tag is 1 to {_TAG_KEY_MAX} characters with a value of "
                f"up to {_TAG_VALUE_MAX}: letters, digits, spaces and _ . : / = + - @, not beginning with "
                "aws:. Rename it.",
            )


def check_warm(table: Table) -> None:
    """A table on demand is never colder than it begins."""
    for name, warm in [(table.name, table.warm), *((index.name, index.warm) for index in table.indexes.values())]:
        if table.capacity is None and warm is not None and (warm.read < _WARM_READ_MIN or warm.write < _WARM_WRITE_MIN):
            raise DesignError(
                "SK155",
                f"{name} is warm for {warm.read} read and {warm.write} write units a second; on demand it begins "
                f"with {_WARM_READ_MIN} and {_WARM_WRITE_MIN}, and less is refused. Ask for more, or leave it out.",
            )


def checked_projection(index: str, given: str | Sequence[str]) -> str | tuple[str, ...]:
    """ALL, KEYS_ONLY, or the attributes beside the keys."""
    if isinstance(given, str):
        if given in ("ALL", "KEYS_ONLY"):
            return given
        raise DesignError(
            "SK158",
            f"index {index} projects {given!r}. Write 'ALL', 'KEYS_ONLY', or stored names: projection=({given!r},).",
        )
    found = tuple(given)
    if not found:
        raise DesignError("SK158", f"index {index} projects a list of nothing. Write 'KEYS_ONLY'.")
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        raise DesignError("SK158", f"index {index} projects {twice!r} twice. Say it once.")
    for name in found:
        _check_attribute(f"the projection of index {index}", name)
    return found


def check_keys(what: str, names: Sequence[str]) -> None:
    """The attributes of one key."""
    for name in names:
        _check_attribute(what, name)
        if names.count(name) > 1:
            raise DesignError("SK159", f"{what} has {name!r} twice in its key. Use another attribute for one of them.")


def check_indexes(table: Table) -> None:
    """How many, and what a table must have for them."""
    indexes = list(table.indexes.values())
    local = [index for index in indexes if index.local]
    if len(local) > _LOCAL_INDEXES_MAX or len(indexes) - len(local) > _GLOBAL_INDEXES_MAX:
        raise DesignError(
            "SK155",
            f"table {table.name} has {len(indexes) - len(local)} global and {len(local)} local indexes; DynamoDB takes "
            f"{_GLOBAL_INDEXES_MAX} global and {_LOCAL_INDEXES_MAX} local ones. Let several entities share an index.",
        )
    if local and table.sk is None:
        raise DesignError(
            "SK159",
            f"local index {local[0].name} needs a table with a sort key, and {table.name} has none. Use Index(...).",
        )
    projected = sum(len(index.projection) for index in indexes if isinstance(index.projection, tuple))
    if projected > _PROJECTED_MAX:
        raise DesignError(
            "SK155",
            f"the indexes of table {table.name} project {projected} attributes beside their keys; DynamoDB takes "
            f"{_PROJECTED_MAX} in all. Project 'ALL' in one of them.",
        )


def check_key_type(table: Table, attribute: str, kind: str, owner: str) -> None:
    if kind not in _KEY_TYPES:
        raise DesignError(
            "SK156",
            f"key attribute {attribute} of table {table.name} is {kind} for {owner}; a key is a String, a Number or "
            "Binary. Compute a text with computed().",
        )


def check_projected(table: Table, index: Index) -> None:
    """A projection names what some entity has."""
    if not isinstance(index.projection, tuple):
        return
    known = {stored for entity in table.entities for stored in entity.stored_names}
    lost = [name for name in index.projection if name not in known]
    if lost:
        raise DesignError(
            "SK158",
            f"index {index.name} of table {table.name} projects {', '.join(lost)}, which no entity has. Correct the "
            "stored name, or remove it.",
        )


def check_ttl(table: Table) -> None:
    if table.ttl is not None and not any(entity.ttl for entity in table.entities):
        raise DesignError(
            "SK161",
            f"the time to live is {table.ttl!r}, and no entity of table {table.name} has such an attribute, so nothing "
            "would ever expire. Correct the stored name, or declare it: attr(stored_as=epoch()).",
        )
