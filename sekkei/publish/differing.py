"""Where two documents differ, a line for each place: what a file says, and what it should say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

TEXT_MAX = 60
_NAMES = ("IndexName", "AttributeName", "Key", "Sid", "name")
"""What tells the parts of a list apart."""


def differing(written: Any, wanted: Any, place: str = "") -> Iterator[str]:
    """`Resources.OrdersTable.Properties.BillingMode: is "PROVISIONED", the design says "PAY_PER_REQUEST"`."""
    if written == wanted:
        return
    parts, others = _named(written), _named(wanted)
    if parts is None or others is None:
        yield f"{place or 'the file'}: is {_short(written)}, the design says {_short(wanted)}"
        return
    before = len(place)
    for name in dict.fromkeys([*parts, *others]):
        here = f"{place}.{name}" if before else name
        if name not in others:
            yield f"{here}: is not in the design"
        elif name not in parts:
            yield f"{here}: is missing"
        else:
            yield from differing(parts[name], others[name], here)
    if parts == others:
        yield f"{place or 'the file'}: the order is another one"


def _named(content: Any) -> Mapping[str, Any] | None:
    """The parts of an object, or of a list whose parts have names; None where there are none."""
    if isinstance(content, Mapping):
        return content
    if not isinstance(content, list) or not all(isinstance(part, Mapping) for part in content):
        return None
    key = next((name for name in _NAMES if all(isinstance(part.get(name), str) for part in content)), None)
    if key is None:
        return None
    found = {part[key]: part for part in content}
    return found if len(found) == len(content) else None


def _short(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False)
    return text if len(text) <= TEXT_MAX else f"{text[: TEXT_MAX - 1]}…"
