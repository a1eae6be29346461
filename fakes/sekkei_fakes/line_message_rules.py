"""What LINE's reference says of a message: its content, quick replies, sender, and the skeleton of a Flex message.

Colours, margins and other looks are not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson

from sekkei_fakes.line_menu_rules import ACTIONS, LABEL_MAX, Problem, of_action
from sekkei_fakes.line_refused import units

TEXT_MAX, ALT_TEXT_MAX, URL_MAX = 5_000, 1_500, 2_000
QUICK_REPLIES_MAX, SENDER_MAX, BUBBLES_MAX = 13, 20, 12
BUBBLE_BYTES_MAX, CAROUSEL_BYTES_MAX = 30 * 1024, 50 * 1024
WORDS: Mapping[str, Mapping[str, int]] = {
    "text": {"text": TEXT_MAX},
    "textV2": {"text": TEXT_MAX},
    "sticker": {"packageId": 20, "stickerId": 20},
    "image": {"originalContentUrl": URL_MAX, "previewImageUrl": URL_MAX},
    "video": {"originalContentUrl": URL_MAX, "previewImageUrl": URL_MAX},
    "audio": {"originalContentUrl": URL_MAX},
    "location": {"title": 100, "address": 100},
    "template": {"altText": ALT_TEXT_MAX},
    "imagemap": {"altText": ALT_TEXT_MAX, "baseUrl": URL_MAX},
    "flex": {"altText": ALT_TEXT_MAX},
    "coupon": {"couponId": 100},
}
"""All types there are, each with what it must say and how long that may be."""
MORE: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "audio": {"duration": int},
    "location": {"latitude": (int, float), "longitude": (int, float)},
    "template": {"template": dict},
    "imagemap": {"baseSize": dict, "actions": list},
    "flex": {"contents": dict},
}
"""What else a type must have."""
IN_MESSAGE = {name: said for name, said in ACTIONS.items() if name != "richmenuswitch"}
IN_QUICK_REPLY = {**IN_MESSAGE, "camera": {}, "cameraRoll": {}, "location": {}}
TEMPLATES: Mapping[str, tuple[int, int, int]] = {"buttons": (160, 1, 4), "confirm": (240, 2, 2)}
"""How long their text may be, and how many actions they have."""
COLUMNS_MAX = 10
LAYOUTS = ("horizontal", "vertical", "baseline")
_URLS = ("originalContentUrl", "previewImageUrl", "baseUrl", "url", "previewUrl", "imageUrl", "iconUrl")
_RESERVED = re.compile(r"\bLINE\b", re.IGNORECASE)


def problems(message: Mapping[str, Any]) -> Iterator[Problem]:
    """All that speaks against a message."""
    kind = str(message.get("type") or "")
    if kind not in WORDS:
        yield ".type", "must be one of: " + ", ".join(WORDS) if kind else "May not be empty"
        return
    yield from _said(message, WORDS[kind])
    missing = [name for name, type in MORE.get(kind, {}).items() if not isinstance(message.get(name), type)]
    yield from ((f".{name}", "May not be empty") for name in missing)
    if kind == "flex" and not missing:
        yield from _under(".contents", _of_container(message["contents"]))
    elif kind == "template" and not missing:
        yield from _under(".template", _of_template(message["template"]))
    yield from _under(".quickReply", _of_quick_reply(message.get("quickReply")))
    yield from _under(".sender", _of_sender(message.get("sender")))


def _under(place: str, found: Iterator[Problem]) -> Iterator[Problem]:
    return ((f"{place}{name}", words) for name, words in found)


def _said(given: Mapping[str, Any], wanted: Mapping[str, int]) -> Iterator[Problem]:
    for name, longest in wanted.items():
        if not 1 <= units(given.get(name)) <= longest:
            yield f".{name}", f"Length must be between 1 and {longest}"
        elif name in _URLS and not given[name].startswith("https://"):
            yield f".{name}", "Invalid URI scheme"


def _each(name: str, given: Any, low: int, high: int, of_one: Callable[[Any], Iterator[Problem]]) -> Iterator[Problem]:
    """A list of so many things, and what is wrong with each."""
    if not isinstance(given, list) or not low <= len(given) <= high:
        yield f".{name}", f"Size must be between {low} and {high}"
        return
    for place, one in enumerate(given):
        yield from _under(f".{name}[{place}]", of_one(one if isinstance(one, dict) else {}))


def _acting(
    given: Any, kinds: Mapping[str, Mapping[str, int]] = IN_MESSAGE, *, labelled: bool = True
) -> Iterator[Problem]:
    """An action; one that is pressed has a label."""
    if not isinstance(given, dict):
        yield "", "must be specified"
        return
    if labelled and not units(given.get("label")):
        yield ".label", f"Length must be between 1 and {LABEL_MAX}"
    yield from of_action(given, kinds)


def _of_quick_reply(given: Any) -> Iterator[Problem]:
    if given is not None:
        items = given.get("items") if isinstance(given, dict) else None
        yield from _each("items", items, 1, QUICK_REPLIES_MAX, _of_item)


def _of_item(item: Mapping[str, Any]) -> Iterator[Problem]:
    if item.get("type") != "action":
        yield ".type", "must be: action"
    if item.get("imageUrl") is not None:
        yield from _said(item, {"imageUrl": URL_MAX})
    yield from _under(".action", _acting(item.get("action"), IN_QUICK_REPLY))


def _of_sender(given: Any) -> Iterator[Problem]:
    if given is None:
        return
    if not isinstance(given, dict):
        yield "", "must be an object"
        return
    wanted = {"name": SENDER_MAX, "iconUrl": URL_MAX}
    yield from _said(given, {name: longest for name, longest in wanted.items() if given.get(name) is not None})
    if _RESERVED.search(str(given.get("name"))):
        yield ".name", "contains a word that is reserved"


def _of_template(given: Mapping[str, Any]) -> Iterator[Problem]:
    kind = str(given.get("type"))
    if kind in TEMPLATES:
        longest, low, high = TEMPLATES[kind]
        yield from _said(given, {"text": longest})
        yield from _each("actions", given.get("actions"), low, high, _acting)
    elif kind == "carousel":
        yield from _each("columns", given.get("columns"), 1, COLUMNS_MAX, _of_column)
    elif kind == "image_carousel":
        yield from _each("columns", given.get("columns"), 1, COLUMNS_MAX, _of_picture)
    else:
        yield ".type", "must be one of: buttons, confirm, carousel, image_carousel"


def _of_column(given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _said(given, {"text": 120})
    yield from _each("actions", given.get("actions"), 1, 3, _acting)


def _of_picture(given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _said(given, {"imageUrl": URL_MAX})
    yield from _under(".action", _acting(given.get("action"), labelled=False))


# Flex


def _of_container(given: Mapping[str, Any]) -> Iterator[Problem]:
    kind, size = given.get("type"), len(orjson.dumps(given))
    if kind == "bubble":
        yield from _of_bubble(given)
    elif kind == "carousel":
        yield from _each("contents", given.get("contents"), 1, BUBBLES_MAX, _of_bubble)
        if size > CAROUSEL_BYTES_MAX:
            yield "", f"must be at most {CAROUSEL_BYTES_MAX // 1024} KB"
    else:
        yield ".type", "must be one of: bubble, carousel"


def _of_bubble(given: Mapping[str, Any]) -> Iterator[Problem]:
    if given.get("type") != "bubble":
        yield ".type", "must be: bubble"
        return
    if len(orjson.dumps(given)) > BUBBLE_BYTES_MAX:
        yield "", f"must be at most {BUBBLE_BYTES_MAX // 1024} KB"
    blocks = [name for name in ("header", "hero", "body", "footer") if given.get(name) is not None]
    if not blocks:
        yield "", "At least one block must be specified"
    for name in blocks:
        kinds = ("box", "image", "video") if name == "hero" else ("box",)
        yield from _under(f".{name}", _of_component(given[name], kinds))
    yield from _of_tap(given)


def _of_component(given: Any, kinds: tuple[str, ...] = ()) -> Iterator[Problem]:
    found = given if isinstance(given, dict) else {}
    kind = str(found.get("type") or "")
    if kind not in _COMPONENTS or (kinds and kind not in kinds):
        yield ".type", "must be one of: " + ", ".join(kinds or _COMPONENTS)
        return
    yield from _COMPONENTS[kind](found)
    if kind != "button":
        yield from _of_tap(found)


def _of_tap(given: Mapping[str, Any]) -> Iterator[Problem]:
    if given.get("action") is not None:
        yield from _under(".action", _acting(given["action"], labelled=False))


def _of_box(given: Mapping[str, Any]) -> Iterator[Problem]:
    if given.get("layout") not in LAYOUTS:
        yield ".layout", "must be one of: " + ", ".join(LAYOUTS)
    contents = given.get("contents")
    yield from _each("contents", contents, 0, len(contents) if isinstance(contents, list) else 0, _of_component)


def _of_text(given: Mapping[str, Any]) -> Iterator[Problem]:
    if given.get("contents"):
        yield from _each("contents", given["contents"], 1, len(given["contents"]), _of_component)
    elif not units(given.get("text")):
        yield ".text", "must be non-empty text"


def _of_span(given: Mapping[str, Any]) -> Iterator[Problem]:
    if not isinstance(given.get("text"), str):
        yield ".text", "must be specified"


def _of_button(given: Mapping[str, Any]) -> Iterator[Problem]:
    return _under(".action", _acting(given.get("action")))


def _of_url(given: Mapping[str, Any]) -> Iterator[Problem]:
    return _said(given, {"url": URL_MAX})


def _of_video(given: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _said(given, {"url": URL_MAX, "previewUrl": URL_MAX})
    yield from _under(".altContent", _of_component(given.get("altContent"), ("box", "image")))


_COMPONENTS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Problem]]] = {
    "box": _of_box,
    "button": _of_button,
    "image": _of_url,
    "video": _of_video,
    "icon": _of_url,
    "text": _of_text,
    "span": _of_span,
    "separator": lambda given: iter(()),
    "filler": lambda given: iter(()),
}
