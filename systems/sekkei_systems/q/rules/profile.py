"""What people enter about themselves, and the parts of it that moderators look at.

`Profile` is the one list of these fields: the API takes it, and `Me` shows it to its owner. A text is one of `PARTS` as
well, with the flag that hides it while it waits. Who sees what of a profile is decided in `rules.sight` and
`api.shapes.person` by hand, for each field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Struct

from sekkei.design import Field
from sekkei.kit.typed import Line, Text
from sekkei_systems.q.design.models import ProfilePart, User, Visibility
from sekkei_systems.q.rules.writing import BIO_MAX, DISPLAY_NAME_MAX


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
