"""What LINE's reference says of a rich menu object, of the actions in it and of its picture."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from sekkei_fakes.line_refused import Refused, units

WIDTHS, HEIGHT_MIN, RATIO_MIN = range(800, 2_501), 250, 1.45
NAME_MAX, BAR_MAX, AREAS_MAX, LABEL_MAX = 300, 14, 20, 20
PICTURE_BYTES_MAX = 1024 * 1024
PICTURE_TYPES = ("image/jpeg", "image/png")
SCHEMES = ("http", "https", "line", "tel")
ACTIONS: Mapping[str, Mapping[str, int]] = {
    "postback": {"data": 300},
    "message": {"text": 300},
    "uri": {"uri": 1_000},
    "datetimepicker": {"data": 300, "mode": 8},
    "richmenuswitch": {"richMenuAliasId": 32, "data": 300},
    "clipboard": {"clipboardText": 1_000},
}
"""What a menu may do, with what each must say and how long that may be. Camera and place are for quick replies."""
_CHOICES = {
    "mode": ("date", "time", "datetime"),
    "inputOption": ("closeRichMenu", "openRichMenu", "openKeyboard", "openVoice"),
}
ALIAS = re.compile(r"[a-z0-9_-]{1,32}")

Problem = tuple[str, str]
"""A property, and what is wrong with it."""


def problems(menu: Mapping[str, Any]) -> list[Problem]:
    """All that speaks against a rich menu object; empty when LINE would take it."""
    required = ("size", "selected", "name", "chatBarText", "areas")
    missing = [(name, "must be specified") for name in required if menu.get(name) is None]
    return missing or [*_of_frame(menu), *_of_areas(menu["areas"])]


def _of_frame(menu: Mapping[str, Any]) -> Iterator[Problem]:
    size = menu["size"] if isinstance(menu["size"], dict) else {}
    if not allowed_size(size.get("width"), size.get("height")):
        yield "size", "must be 800 to 2500 wide, at least 250 high, and at least 1.45 times as wide as high"
    if not isinstance(menu["selected"], bool):
        yield "selected", "must be a boolean"
    for name, longest in (("name", NAME_MAX), ("chatBarText", BAR_MAX)):
        if not 1 <= units(menu[name]) <= longest:
            yield name, f"Length must be between 1 and {longest}"


def allowed_size(width: object, height: object) -> bool:
    if not _whole(width, 1) or not _whole(height, 1):
        return False
    assert isinstance(width, int)
    assert isinstance(height, int)
    return width in WIDTHS and height >= HEIGHT_MIN and width / height >= RATIO_MIN


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _of_areas(areas: object) -> Iterator[Problem]:
    if not isinstance(areas, list) or len(areas) > AREAS_MAX:
        yield "areas", f"Size must be between 0 and {AREAS_MAX}"
        return
    for place, area in enumerate(areas):
        given = area if isinstance(area, dict) else {}
        bounds, action = given.get("bounds"), given.get("action")
        for name, found in (("bounds", _of_bounds(bounds)), ("action", of_action(action))):
            for inner, words in found if isinstance(given.get(name), dict) else [("", "must be specified")]:
                yield f"areas[{place}].{name}{inner}", words


def _of_bounds(bounds: Any) -> Iterator[Problem]:
    for name, least in (("x", 0), ("y", 0), ("width", 1), ("height", 1)):
        if not _whole(bounds.get(name), least):
            yield f".{name}", f"must be greater than or equal to {least}"


def of_action(action: Any, kinds: Mapping[str, Mapping[str, int]] = ACTIONS) -> Iterator[Problem]:
    """What is wrong with an action, where those of these kinds may stand."""
    kind = str(action.get("type") or "")
    if kind not in kinds:
        yield ".type", "must be one of: " + ", ".join(kinds)
        return
    for name, longest in kinds[kind].items():
        if not 1 <= units(action.get(name)) <= longest:
            yield f".{name}", f"Length must be between 1 and {longest}"
    for name, longest in (("label", LABEL_MAX), ("displayText", 300), ("fillInText", 300)):
        if action.get(name) is not None and not 1 <= units(action[name]) <= longest:
            yield f".{name}", f"Length must be between 1 and {longest}"
    yield from _of_choices(action)


def _of_choices(action: Mapping[str, Any]) -> Iterator[Problem]:
    for name, known in _CHOICES.items():
        if action.get(name) is not None and action[name] not in known:
            yield f".{name}", "must be one of: " + ", ".join(known)
    if action.get("fillInText") is not None and action.get("inputOption") != "openKeyboard":
        yield ".fillInText", "needs the inputOption openKeyboard"
    if action["type"] == "postback" and None not in (action.get("displayText"), action.get("text")):
        yield ".displayText", "cannot be used together with text"
    if action["type"] == "uri" and not _uri(action.get("uri")):
        yield ".uri", "invalid uri"
    if action["type"] == "richmenuswitch" and not ALIAS.fullmatch(str(action.get("richMenuAliasId"))):
        yield ".richMenuAliasId", "invalid richMenuAliasId"


def _uri(value: object) -> bool:
    try:
        parts = urlsplit(str(value))
    except ValueError:
        return False
    whole = bool(parts.path) if parts.scheme == "tel" else bool(parts.netloc)
    return parts.scheme in SCHEMES and whole and str(value).isascii()


def check_picture(kind: str, picture: bytes, size: Mapping[str, int]) -> None:
    """JPEG or PNG as its header says, of the menu's size, at most 1 MB."""
    if kind not in PICTURE_TYPES:
        raise Refused(415, f"The content type, {kind or '-'}, is not supported")
    found = _png_size(picture) if kind == "image/png" else _jpeg_size(picture)
    if len(picture) > PICTURE_BYTES_MAX or found != (size["width"], size["height"]):
        raise Refused(400, "The image size is not allowed for richmenu")


def _png_size(picture: bytes) -> tuple[int, int] | None:
    if not picture.startswith(b"\x89PNG\r\n\x1a\n") or picture[12:16] != b"IHDR" or len(picture) < 24:
        return None
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def _jpeg_size(picture: bytes) -> tuple[int, int] | None:
    """From the frame header (SOF), past the segments before it."""
    place = 2
    while picture.startswith(b"\xff\xd8") and place + 9 <= len(picture) and picture[place] == 0xFF:
        marker = picture[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", picture[place + 5 : place + 9])
            return width, height
        place += 2 + int.from_bytes(picture[place + 2 : place + 4])
    return None
