"""Names that nobody may take, and names that only look different."""

from __future__ import annotations

import re

from sekkei_systems.q.rules.ng_words import normalised

_LOOKS = {
    **dict(zip("абвекмнорстухіїјѕԁһԛԝ", "abbekmhopctyxiijsdhqw", strict=True)),
    **dict(zip("αβεζηικμνορτυχγω", "abeznikmvoptuxyw", strict=True)),
    **dict(zip("013457|", "oleast" + "l", strict=True)),
    "i": "l",
    "l": "l",
}
_FOLD = str.maketrans(_LOOKS)
_PARTS = re.compile(r"[\W_]+")


def skeleton(name: str) -> str:
    """What is left when letters that look alike are one: `Adm1n` and `аdmin` with a Cyrillic а are `admin`."""
    return normalised(name).translate(_FOLD).translate(_FOLD)


_WHOLE = frozenset(map(skeleton, ("q", "qteam", "help", "info", "mod", "root", "security", "system", "unei")))
_PART = frozenset(map(skeleton, ("admin", "administrator", "moderator", "official", "staff", "support", "qofficial")))
_WITHIN = tuple(map(skeleton, ("管理者", "管理人", "運営", "公式", "事務局")))


def is_reserved(name: str) -> bool:
    """Does it say that its owner speaks for Q.?"""
    whole = skeleton(name)
    parts = {skeleton(part) for part in _PARTS.split(name)}
    return whole in _WHOLE | _PART or bool(parts & _PART) or any(each in whole for each in _WITHIN)
