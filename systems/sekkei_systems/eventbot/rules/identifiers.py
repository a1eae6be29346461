"""Identifiers: UUIDv7 (they sort by time), the ids of the document, names of schedules, and `custom_id`s of buttons."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.runtime.identifiers import uuid7

_PREFIX = "e1"
"""Of every custom_id. Messages live for years: another scheme gets another prefix, and this one stays understood."""
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SNOWFLAKE = re.compile(r"[0-9]{1,20}")


def new_event_id(clock: Clock) -> str:
    return f"EVT#{uuid7(clock)}"


def new_notice_id(clock: Clock) -> str:
    return f"NTC#{uuid7(clock)}"


def uuid_of(id: str) -> str:
    """The part behind EVT#, NTC# or TPL#."""
    return id.partition("#")[2]


def is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


def is_snowflake(text: object) -> bool:
    return isinstance(text, str) and _SNOWFLAKE.fullmatch(text) is not None


def schedule_name(id: str, kind: str) -> str:
    """EventBridge takes no `#` and 64 characters: evt-<uuid>-r to remind, -s at the start, -d at the deadline."""
    return f"{id[:3].lower()}-{uuid_of(id)}-{kind}"


def nonce(id: str, attempt: int = 0) -> str:
    """What Discord recognises a repeated post by, 25 characters at most; another attempt is another post."""
    return f"{uuid_of(id).replace('-', '')[:20]}-{attempt % 10_000}"


@dataclass(frozen=True, slots=True)
class Press:
    """What a button, select or modal says: a verb, what it is about, and perhaps a page or another word."""

    verb: str
    uuid: str
    more: str = ""


def custom_id(verb: str, id: str = "", more: object = "") -> str:
    """`e1:join:<uuid>`, at most 100 characters."""
    text = ":".join([_PREFIX, verb, uuid_of(id) if "#" in id else id])
    return f"{text}:{more}" if more != "" else text


def read_custom_id(text: str) -> Press | None:
    """None for what is not ours. Anybody can send anything here, so nothing in it is believed."""
    parts = text.split(":", 3)
    if len(parts) < 3 or parts[0] != _PREFIX or not parts[1].isascii() or not (parts[2] == "" or is_uuid(parts[2])):
        return None
    return Press(parts[1], parts[2], parts[3] if len(parts) > 3 else "")
