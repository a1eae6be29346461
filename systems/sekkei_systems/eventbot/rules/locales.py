"""What Discord says of a server's language, as our language and a time zone to begin with. People change it later."""

from __future__ import annotations

from sekkei_systems.days import ZONE

UNCHOSEN = "en-US"
"""Discord says this of every server that has not chosen a language."""
ELSEWHERE = "UTC"
ZONES = {
    "bg": "Europe/Sofia", "cs": "Europe/Prague", "da": "Europe/Copenhagen", "de": "Europe/Berlin",
    "el": "Europe/Athens", "en-GB": "Europe/London", "es-ES": "Europe/Madrid", "es-419": "America/Mexico_City",
    "fi": "Europe/Helsinki", "fr": "Europe/Paris", "hi": "Asia/Kolkata", "hr": "Europe/Zagreb",
    "hu": "Europe/Budapest", "id": "Asia/Jakarta", "it": "Europe/Rome", "ja": ZONE, "ko": "Asia/Seoul",
    "lt": "Europe/Vilnius", "nl": "Europe/Amsterdam", "no": "Europe/Oslo", "pl": "Europe/Warsaw",
    "pt-BR": "America/Sao_Paulo", "ro": "Europe/Bucharest", "ru": "Europe/Moscow", "sv-SE": "Europe/Stockholm",
    "th": "Asia/Bangkok", "tr": "Europe/Istanbul", "uk": "Europe/Kyiv", "vi": "Asia/Ho_Chi_Minh",
    "zh-CN": "Asia/Shanghai", "zh-TW": "Asia/Taipei",
}  # fmt: skip


def of_new_guild(guild_locale: str | None, locale: str | None) -> tuple[str, str]:
    """Language and zone: the server's, or where it has not chosen, those of whoever comes first."""
    chosen = locale if guild_locale in (None, UNCHOSEN) else guild_locale
    if chosen is None or chosen.startswith("ja"):
        return "ja", ZONE
    return "en", ZONES.get(chosen, ELSEWHERE)
