"""Who asks for the money, and how people find the bot; all of it from the settings.

SEKKEI_LINE_BASIC_ID                the bot's basic id, such as @123abcde
SEKKEI_CHIIPOCHI_ORGANISATION       the organisation's name, as it stands on receipts
SEKKEI_CHIIPOCHI_REPRESENTATIVE     who is responsible
SEKKEI_CHIIPOCHI_ADDRESS, _PHONE, _EMAIL
SEKKEI_CHIIPOCHI_NUMBER             its corporate number (法人番号), 13 digits
SEKKEI_CHIIPOCHI_REGISTRATION       what the tax office knows it by, as it is to be printed (認定・登録番号)
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from urllib.parse import quote

from sekkei.runtime.settings import Settings

FACTS = ("organisation", "representative", "address", "phone", "email", "number", "registration")
_BASIC_ID = re.compile(r"@[0-9a-z._-]{3,20}")
_NUMBER = re.compile(r"[0-9]{13}")


@dataclass(frozen=True, slots=True)
class Organisation:
    facts: dict[str, str]
    """What is known of FACTS, in that order."""
    basic_id: str = ""

    @staticmethod
    def configured(settings: Settings) -> Organisation:
        basic_id = settings.get("line_basic_id").strip()
        if basic_id and not _BASIC_ID.fullmatch(basic_id):
            raise ValueError(f"SEKKEI_LINE_BASIC_ID looks like @123abcde; it is {basic_id!r}.")
        facts = {name: settings.get(f"chiipochi_{name}").strip() for name in FACTS}
        if facts["number"] and not _NUMBER.fullmatch(facts["number"]):
            raise ValueError(f"SEKKEI_CHIIPOCHI_NUMBER is a corporate number of 13 digits; it is {facts['number']!r}.")
        return Organisation({name: text for name, text in facts.items() if text}, basic_id)

    @property
    def name(self) -> str:
        return self.facts.get("organisation", "")

    @property
    def friend_url(self) -> str:
        """Opens LINE and offers the bot as a friend; empty where the bot's id is not known."""
        return f"https://line.me/R/ti/p/{quote(self.basic_id)}" if self.basic_id else ""

    @property
    def friend_qr(self) -> str:
        """The same as a picture to be scanned, ready to be the address of an image."""
        return _qr(self.friend_url) if self.basic_id else ""


@functools.cache
def _qr(address: str) -> str:
    import segno  # most pages have no picture of it

    return str(segno.make(address, error="m").svg_data_uri(scale=5, border=3, dark="#000", light="#fff"))
