"""Whom a donation is for, by its code: a prefecture."""

from __future__ import annotations

from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES
from sekkei_systems.chiipochi.texts import Language


def recipient_name(code: str, language: Language) -> str:
    found = PREFECTURES.get(code)
    return code if found is None else found.name(language)
