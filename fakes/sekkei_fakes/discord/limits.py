"""What Discord accepts, as documented: `problems_of_message(payload)` and its sisters name every breach of a limit.

The fake refuses what they find, as Discord would, and the tests hold every payload of the bot against them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sekkei_systems.eventbot.rules.markdown import CONTENT_MAX, EPHEMERAL, is_valid_emoji

_EMBEDS_MAX = 10
_EMBED_TOTAL_MAX = 6000
_FIELDS_MAX = 25
ROWS_MAX = 5
_BUTTONS_MAX = 5
OPTIONS_MAX = 25
_CUSTOM_ID_MAX = 100
_NONCE_MAX = 25
MENTIONS_MAX = 100
CHOICES_MAX = 25
_COMMAND_MAX = 8000
SUPPRESS_NOTIFICATIONS = 4096

_EMBED = {"title": 256, "description": 4096}
_COMMAND_NAME = re.compile(r"^[-_'\w]{1,32}$")
_URL = re.compile(r"https?://\S+")
Payload = Mapping[str, Any]
_Problems = Iterator[str]


def problems_of_message(message: Payload, *, editing: bool = False) -> list[str]:
    """Of the body of a message, posted or edited."""
    found = [*_content(message), *_embeds(message.get("embeds") or ()), *_rows(message.get("components") or ())]
    found += _mentions(message.get("allowed_mentions"))
    nonce = message.get("nonce")
    if nonce is not None and not 1 <= len(str(nonce)) <= _NONCE_MAX:
        found.append(f"nonce: has {len(str(nonce))} characters, at most {_NONCE_MAX}")
    if _says_nothing(message) and not (editing and message.keys() <= {"flags", "allowed_mentions"}):
        found.append("the message is empty")
    return found


def problems_of_modal(modal: Payload) -> list[str]:
    """Of the data of a response of type 9."""
    found = [*_length("title", modal.get("title"), 1, 45), *_length("custom_id", modal.get("custom_id"), 1, 100)]
    components = modal.get("components") or []
    if not 1 <= len(components) <= 5:
        found.append(f"components: {len(components)}, must be 1 to 5")
    seen: set[str] = set()
    for position, label in enumerate(components):
        where = f"components[{position}]"
        if label.get("type") != 18:
            found.append(f"{where}: must be a label (18), is {label.get('type')}")
            continue
        found += _length(f"{where}.label", label.get("label"), 1, 45)
        found += _length(f"{where}.description", label.get("description"), 0, 100)
        inner = label.get("component") or {}
        found += _modal_input(f"{where}.component", inner)
        found += _distinct(where, str(inner.get("custom_id")), seen)
    return found


def problems_of_response(response: Payload, kind: int, *, from_message: bool = False) -> list[str]:
    """Of the whole answer to an interaction of a kind (2 command, 3 component, 4 autocomplete, 5 modal). A modal comes
    from a message or from a command."""
    type_, data = response.get("type"), response.get("data") or {}
    if type_ in (6, 7) and kind != 3 and not (kind == 5 and from_message):
        return [f"type {type_} answers components only"]
    if type_ == 9:
        return ["a modal cannot answer a modal"] if kind == 5 else problems_of_modal(data)
    if type_ == 8:
        return _choices(data.get("choices")) if kind == 4 else ["type 8 answers autocomplete only"]
    if type_ in (4, 7):
        return problems_of_message(data, editing=type_ == 7)
    if type_ == 5:
        return [] if set(data) <= {"flags"} and data.get("flags", 0) in (0, EPHEMERAL) else ["type 5 takes one flag"]
    return [] if type_ in (1, 6) else [f"type {type_} is unknown"]


def problems_of_commands(commands: Sequence[Payload]) -> list[str]:
    """Of a bulk overwrite of commands."""
    found = [] if len(commands) <= 100 else [f"{len(commands)} commands, at most 100"]
    names = [command.get("name") for command in commands]
    if len(set(names)) != len(names):
        found.append("two commands have one name")
    for command in commands:
        found += _command(str(command.get("name")), command)
        if (size := _size(command)) > _COMMAND_MAX:
            found.append(f"{command.get('name')}: {size} characters, at most {_COMMAND_MAX}")
    return found


def _length(where: str, text: Any, least: int, most: int) -> _Problems:
    if text is None:
        if least:
            yield f"{where}: missing"
        return
    if not isinstance(text, str) or not least <= len(text) <= most:
        size = len(text) if isinstance(text, str) else type(text).__name__
        yield f"{where}: has {size} characters, must be {least} to {most}"


def _says_nothing(message: Payload) -> bool:
    """Discord cuts off what is blank."""
    parts = [one for embed in message.get("embeds") or () for one in embed.values()]
    parts += [message.get(part) for part in ("content", "components", "sticker_ids", "attachments")]
    return not any(part.strip() if isinstance(part, str) else part for part in parts)


def _content(message: Payload) -> _Problems:
    yield from _length("content", message.get("content"), 0, CONTENT_MAX)


def _embeds(embeds: Sequence[Payload]) -> _Problems:
    if len(embeds) > _EMBEDS_MAX:
        yield f"embeds: {len(embeds)}, at most {_EMBEDS_MAX}"
    total = 0
    for position, embed in enumerate(embeds):
        where = f"embeds[{position}]"
        for part, most in _EMBED.items():
            yield from _length(f"{where}.{part}", embed.get(part), 0, most)
            total += len(embed.get(part) or "")
        footer, author = (embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")
        yield from _length(f"{where}.footer", footer, 0, 2048)
        yield from _length(f"{where}.author", author, 0, 256)
        total += len(footer or "") + len(author or "")
        fields = embed.get("fields") or ()
        if len(fields) > _FIELDS_MAX:
            yield f"{where}.fields: {len(fields)}, at most {_FIELDS_MAX}"
        for number, field in enumerate(fields):
            yield from _length(f"{where}.fields[{number}].name", field.get("name"), 1, 256)
            yield from _length(f"{where}.fields[{number}].value", field.get("value"), 1, 1024)
            total += len(field.get("name") or "") + len(field.get("value") or "")
        colour = embed.get("color", 0)
        if not isinstance(colour, int) or not 0 <= colour <= 0xFFFFFF:
            yield f"{where}.color: no colour"
    if total > _EMBED_TOTAL_MAX:
        yield f"embeds: {total} characters together, at most {_EMBED_TOTAL_MAX}"


def _rows(rows: Sequence[Payload]) -> _Problems:
    if len(rows) > ROWS_MAX:
        yield f"components: {len(rows)} rows, at most {ROWS_MAX}"
    seen: set[str] = set()
    for position, row in enumerate(rows):
        where = f"components[{position}]"
        inner = row.get("components") or ()
        if row.get("type") != 1 or not inner:
            yield f"{where}: must be a row with something in it"
        kinds = {component.get("type") for component in inner}
        if kinds == {2} and len(inner) > _BUTTONS_MAX:
            yield f"{where}: {len(inner)} buttons, at most {_BUTTONS_MAX}"
        if kinds != {2} and len(inner) != 1:
            yield f"{where}: a select stands alone in its row"
        for number, component in enumerate(inner):
            yield from _component(f"{where}.components[{number}]", component, seen)


def _component(where: str, component: Payload, seen: set[str]) -> _Problems:
    kind = component.get("type")
    if kind == 2:
        yield from _length(f"{where}.label", component.get("label"), 0 if component.get("emoji") else 1, 80)
        if "emoji" in component and not is_valid_emoji(component["emoji"]):
            yield f"{where}.emoji: Invalid emoji"
        style = component.get("style")
        if style == 5:
            if not _URL.fullmatch(str(component.get("url"))) or len(component["url"]) > 512 or "custom_id" in component:
                yield f"{where}: a link needs a url of at most 512 characters and no custom_id"
            return
        if style not in (1, 2, 3, 4):
            yield f"{where}.style: {style} is no style"
    elif kind == 3:
        yield from _select(where, component)
    elif kind not in (5, 6, 7, 8):
        yield f"{where}: type {kind} may not stand in a row of a message"
    yield from _length(f"{where}.custom_id", component.get("custom_id"), 1, _CUSTOM_ID_MAX)
    yield from _distinct(where, str(component.get("custom_id")), seen)


def _select(where: str, component: Payload) -> _Problems:
    options = component.get("options") or ()
    if not 1 <= len(options) <= OPTIONS_MAX:
        yield f"{where}.options: {len(options)}, must be 1 to {OPTIONS_MAX}"
    values = [option.get("value") for option in options]
    if len(set(values)) != len(values):
        yield f"{where}.options: two have one value"
    for number, option in enumerate(options):
        for part, least in (("label", 1), ("value", 1), ("description", 0)):
            yield from _length(f"{where}.options[{number}].{part}", option.get(part), least, 100)
        if "emoji" in option and not is_valid_emoji(option["emoji"]):
            yield f"{where}.options[{number}].emoji: Invalid emoji"
    least, most = component.get("min_values", 1), component.get("max_values", 1)
    if not 0 <= least <= 25 or not 1 <= most <= len(options) or least > most:
        yield f"{where}: {least} to {most} of {len(options)} cannot be chosen"
    if sum(bool(option.get("default")) for option in options) > most:
        yield f"{where}: more defaults than can be chosen"
    yield from _length(f"{where}.placeholder", component.get("placeholder"), 0, 150)


def _distinct(where: str, custom_id: str, seen: set[str]) -> _Problems:
    if custom_id in seen:
        yield f"{where}.custom_id: {custom_id} is used twice"
    seen.add(custom_id)


def _modal_input(where: str, inner: Payload) -> _Problems:
    yield from _length(f"{where}.custom_id", inner.get("custom_id"), 1, _CUSTOM_ID_MAX)
    if inner.get("type") == 3:
        yield from _select(where, inner)
        return
    if inner.get("type") != 4 or inner.get("style") not in (1, 2):
        yield f"{where}: must be a text input with a style, or a select"
    if not 0 <= inner.get("min_length", 0) <= 4000 or not 1 <= inner.get("max_length", 4000) <= 4000:
        yield f"{where}: lengths are 0 to 4000 and 1 to 4000"
    yield from _length(f"{where}.placeholder", inner.get("placeholder"), 0, 100)
    yield from _length(f"{where}.value", inner.get("value"), 0, inner.get("max_length", 4000))


def _mentions(allowed: Any) -> _Problems:
    if allowed is None:
        return
    for kind in ("users", "roles"):
        named = allowed.get(kind) or ()
        if len(named) > MENTIONS_MAX:
            yield f"allowed_mentions.{kind}: {len(named)}, at most {MENTIONS_MAX}"
        if named and kind in allowed.get("parse", ()):
            yield f"allowed_mentions: {kind} are both parsed and listed"


def _choices(choices: Any) -> list[str]:
    if not isinstance(choices, list) or len(choices) > CHOICES_MAX:
        return [f"choices: at most {CHOICES_MAX}"]
    return [
        problem
        for number, choice in enumerate(choices)
        for part in ("name", "value")
        for problem in _length(f"choices[{number}].{part}", choice.get(part), 1, 100)
    ]


def _size(part: Payload) -> int:
    """Of a command, an option or a choice, and of all that is in it; each text in its longest language."""
    own = 0
    for name in ("name", "description", "value"):
        texts = [part.get(name, ""), *(part.get(f"{name}_localizations") or {}).values()]
        own += max(len(str(text)) for text in texts)
    return own + sum(_size(one) for name in ("options", "choices") for one in part.get(name) or ())


def _command(where: str, command: Payload, depth: int = 0) -> _Problems:
    names = [command.get("name"), *(command.get("name_localizations") or {}).values()]
    for name in names:
        if not isinstance(name, str) or not _COMMAND_NAME.match(name) or name != name.lower():
            yield f"{where}: {name!r} is no name of a command"
    for text in (command.get("description"), *(command.get("description_localizations") or {}).values()):
        yield from _length(f"{where}.description", text, 1, 100)
    options = command.get("options") or ()
    if len(options) > 25:
        yield f"{where}: {len(options)} options, at most 25"
    if len({option.get("name") for option in options}) != len(options):
        yield f"{where}: two options have one name"
    required = [bool(option.get("required")) for option in options]
    if required != sorted(required, reverse=True):
        yield f"{where}: required options come first"
    for option in options:
        if option.get("type") not in range(1, 12) or depth > 2:
            yield f"{where}: no such option"
        if option.get("autocomplete") and option.get("choices"):
            yield f"{where}: choices and autocomplete exclude each other"
        yield from _command(f"{where} {option.get('name')}", option, depth + 1)
