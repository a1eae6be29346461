"""What people write: its limits, what they enter about themselves, and the parts that moderators look at.

`Profile` is the one list of these fields: the API takes it, and `Me` shows it to its owner. A text is one of `PARTS` as
well, with the flag that hides it while it waits. Who sees what of a profile is decided in `rules.sight` and
`api.shapes.person` by hand, for each field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import regex
from msgspec import Struct

from sekkei.design import Field
from sekkei.kit.text import many_lines, one_line
from sekkei.kit.typed import Line, Text
from sekkei_systems.q.design.models import ProfilePart, User, Visibility
from sekkei_systems.q.refusals import BadAppId, BadText, BadUsername

# What people may write: how long it is, as people count, and which characters it may hold.


ANSWER_MAX = 80
QUESTION_MAX = 80
DISPLAY_NAME_MAX = 50
BIO_MAX = 200
DESCRIPTION_MAX = 500
_CODE_POINTS_PER_CHARACTER_MAX = 12
"""A family emoji has 7 to 11; more than this is decoration stacked to break a layout."""

_CLUSTER = regex.compile(
    r"(?:\p{InCB=Consonant}\p{InCB=Extend}*\p{InCB=Linker}[\p{InCB=Extend}\p{InCB=Linker}]*(?=\p{InCB=Consonant}))*\X"
)
r"""`\X` of `regex` lacks rule GB9c: it cuts conjuncts of India's scripts, such as क्षि, in two."""
_APP_ID = re.compile(r"[a-z0-9_]{3,15}")
_USERNAME = re.compile(r"[A-Za-z0-9_]{3,20}")


def characters(text: str) -> int:
    """How many characters a person sees."""
    return len(clusters(text))


def clusters(text: str) -> list[str]:
    """The characters that a person sees: extended grapheme clusters of Unicode's annex 29."""
    return _CLUSTER.findall(text)


def text_of(text: str, most: int, field: str, *, lines: bool = False) -> str:
    """Return the text in the form that is stored; it is refused when it is empty or too long."""
    clean = many_lines(text) if lines else one_line(text)
    if len(clean) > most * _CODE_POINTS_PER_CHARACTER_MAX or not 1 <= characters(clean) <= most:
        raise BadText(field=field, most=most)
    return clean


def app_id_of(text: str) -> str:
    if not _APP_ID.fullmatch(text):
        raise BadAppId(field="appId")
    return text


def username_of(text: str) -> str:
    if not _USERNAME.fullmatch(text):
        raise BadUsername(field="username")
    return text


class Profile(Struct, kw_only=True, frozen=True, rename="camel"):
    """What is not given stays as it is; an empty text takes it away."""

    display_name: Annotated[str, Line(2000, 0)] | None = None
    bio: Annotated[str, Text(2000)] | None = None
    is_private: bool | None = None
    visibility_type: Visibility | None = None
    answers_first: bool | None = None
    language: Literal["ja", "en"] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a profile that moderators may remove: what is stored, and whether it waits for them."""

    field: Field[User, Any]
    flag: Field[User, bool]
    most: int = 0
    """Of characters, as people count them."""
    lines: bool = False


PARTS: Mapping[ProfilePart, Part] = {
    ProfilePart.NAME: Part(User.display_name, User.name_flagged, DISPLAY_NAME_MAX),
    ProfilePart.BIO: Part(User.bio, User.bio_flagged, BIO_MAX, lines=True),
    ProfilePart.PICTURE: Part(User.profile_image_url, User.picture_flagged),
}
TEXTS = {part: found for part, found in PARTS.items() if found.field.name in Profile.__struct_fields__}
WISHES = tuple(name for name in Profile.__struct_fields__ if name not in {found.field.name for found in TEXTS.values()})


def waiting(user: User) -> list[ProfilePart]:
    """Return the parts that only their owner sees until moderators have looked."""
    return [part for part, found in PARTS.items() if getattr(user, found.flag.name)]
