"""A mail as it is written into the outbox, and as it stands on the wire.

The body of a mail message has `subject`, `text` and perhaps `html`. Names and subjects come from people: what would
break a header out of its line is taken away.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

from sekkei.kit.text import one_line
from sekkei.runtime.design import Message
from sekkei.runtime.outbox import Undeliverable

_SEVEN_BITS = SMTP.clone(cte_type="7bit")
"""Of which every server knows what to do; smtplib announces no others (RFC 6152)."""
_NAMED = re.compile(r"^(?P<name>.*)<(?P<spec>[^<>]*)>$")
"""Read here, because versions of Python differ in what email.utils.parseaddr makes of a strange name."""


def address(text: str) -> Address:
    """Raises Undeliverable when it is no address."""
    line = one_line(text)
    named = _NAMED.match(line)
    name, spec = (named["name"].strip(' "'), named["spec"].strip()) if named else ("", line)
    local, at, domain = spec.rpartition("@")
    if not (local and at and domain) or " " in spec:
        raise Undeliverable(f"{spec or text!r} is no mail address.")
    try:
        return Address(name, local, domain)
    except ValueError as error:
        raise Undeliverable(f"{spec!r} is no mail address: {error}") from None


def sender_of(text: str) -> str:
    """SEKKEI_MAIL_FROM, looked at before the first mail: each would be refused for it."""
    try:
        found = address(text)
    except Undeliverable as error:
        raise ValueError(f"SEKKEI_MAIL_FROM must be set, and be a mail address: {error}") from None
    if not found.addr_spec.isascii():
        raise ValueError(f"SEKKEI_MAIL_FROM: write {found.addr_spec} in ASCII; a domain beyond it begins with xn--.")
    return text


def message_id(message: Message, sender: Address) -> str:
    """Made from the reason, so that mail programs put a repetition beside the first."""
    return f"<{hashlib.sha256(message.id.encode()).hexdigest()[:32]}@{sender.domain}>"


def as_email(message: Message, sender: str) -> EmailMessage:
    """UTF-8, text with HTML beside it, marked as sent by a program; one date and one id however often it is tried."""
    source = address(sender)
    mail = EmailMessage(_SEVEN_BITS)
    mail["Date"] = message.created_at.astimezone(UTC)
    mail["From"] = source
    mail["To"] = address(message.to)
    mail["Subject"] = one_line(str(message.body.get("subject", "")))
    mail["Message-ID"] = message_id(message, source)
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(str(message.body.get("text", "")))
    html = message.body.get("html")
    if html:
        mail.add_alternative(str(html), subtype="html")
    return mail
