"""What a mail server looks at in an address, in parameters and in a mail. Each says why it is refused, or None."""

from __future__ import annotations

import re
from collections.abc import Collection
from email.parser import BytesHeaderParser
from email.utils import getaddresses, parsedate_to_datetime

LOCAL_OCTETS_MAX, DOMAIN_OCTETS_MAX = 64, 255
"""Of an address, before and after its @ (RFC 5321, 4.5.3.1)."""
LINE_OCTETS_MAX = 998
"""Of a mail, without the end of the line and without a dot that was doubled."""
ONCE = ("Date", "From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Message-ID", "Subject")
"""Headers that stand in a mail once at most (RFC 5322, 3.6)."""
PARAMETERS = {"SIZE": r"[0-9]{1,20}", "BODY": r"7BIT|8BITMIME", "AUTH": r".+"}
"""Of MAIL."""
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Za-z:.]+\]")


def wrong_address(address: str, status: str) -> str | None:
    """`status` is the enhanced code for an address of this side: 5.1.7 for who sends, 5.1.3 for who gets."""
    local, _, domain = address.rpartition("@")
    if not address.isascii():
        return "553 5.6.7 Addresses beyond ASCII are for servers that offer SMTPUTF8"
    if not 1 <= len(local) <= LOCAL_OCTETS_MAX:
        return f"501 {status} Bad local part"
    if len(domain) > DOMAIN_OCTETS_MAX or not _DOMAIN.fullmatch(domain):
        return f"501 {status} Bad domain"
    return None


def wrong_parameters(text: str, known: Collection[str]) -> str | None:
    """What follows an address."""
    for one in text.split():
        name, _, value = one.upper().partition("=")
        if name not in known:
            return f"555 5.5.4 Unsupported option: {name}"
        if not re.fullmatch(PARAMETERS[name], value):
            return f"501 5.5.4 Bad value of {name}"
    return None


def wrong_line(line: bytes) -> str | None:
    """Of a mail, with its end and without a dot that was doubled."""
    if not line.endswith(b"\r\n") or b"\r" in line[:-2]:
        return "550 5.6.11 Bare line feeds and carriage returns are not accepted"
    return f"550 5.6.0 A line is longer than {LINE_OCTETS_MAX} octets" if len(line) > LINE_OCTETS_MAX + 2 else None


def wrong_bits(content: bytes) -> str | None:
    """Of a mail that was not announced with BODY=8BITMIME (RFC 6152)."""
    return None if content.isascii() else "554 5.6.3 Eight bits were not announced"


def wrong_mail(content: bytes) -> str | None:
    """Its header: who wrote it and when, both once (RFC 5322, 3.6)."""
    head = BytesHeaderParser().parsebytes(content)
    found = {name: [str(one) for one in head.get_all(name, [])] for name in ONCE}
    writers = [address for _, address in getaddresses(found["From"])]
    if not writers or any(wrong_address(address, "") for address in writers):
        return "550 5.7.1 Messages missing a valid address in From: are not accepted"
    if not found["Date"] or not _is_date(found["Date"][0]):
        return "554 5.6.0 Messages missing a valid Date: are not accepted"
    twice = next((name for name in ONCE if len(found[name]) > 1), None)
    return f"550 5.7.1 Messages with more than one {twice}: are not accepted" if twice else None


def _is_date(text: str) -> bool:
    try:
        parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return False
    return True
