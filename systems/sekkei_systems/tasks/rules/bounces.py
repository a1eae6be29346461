"""Which addresses a report says mail does not reach: reports of Amazon SES, and those of mail servers (RFC 3464)."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import parseaddr
from typing import Any

BOUNCE, COMPLAINT = "bounce", "complaint"


@dataclass(frozen=True, slots=True)
class Report:
    """One address, and why nothing is to be sent there any more."""

    email: str
    reason: str
    detail: str = ""


def from_ses(event: Mapping[str, Any]) -> list[Report]:
    """Of a notification (`notificationType`) or a published event (`eventType`). A full mailbox is no reason: only what
    is permanent counts, and complaints."""
    kind = event.get("notificationType") or event.get("eventType")
    if kind == "Bounce" and _of(event, "bounce").get("bounceType") == "Permanent":
        found = _of(event, "bounce").get("bouncedRecipients")
        return [Report(one, BOUNCE, words) for one, words in _recipients(found, "diagnosticCode")]
    if kind == "Complaint":
        about = _of(event, "complaint")
        if about.get("complaintFeedbackType") == "not-spam":
            return []
        return [Report(one, COMPLAINT, words) for one, words in _recipients(about.get("complainedRecipients"), "")]
    return []


def _of(event: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = event.get(name)
    return found if isinstance(found, dict) else {}


def _recipients(listed: Any, detail: str) -> list[tuple[str, str]]:
    given = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    pairs = [(_address(str(one.get("emailAddress", ""))), str(one.get(detail, ""))) for one in given]
    return [(address, words) for address, words in pairs if address]


def from_dsn(content: bytes) -> list[Report]:
    """Of the mail that a server sends back: every recipient whose action is `failed`, with a permanent status (5.x)."""
    mail = email.message_from_bytes(content, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    found: list[Report] = []
    for part in mail.walk():
        if part.get_content_type() != "message/delivery-status":
            continue
        for group in part.get_payload():
            fields = {name.lower(): str(value) for name, value in group.items()}  # type: ignore[union-attr]
            permanent = fields.get("status", "").strip().startswith("5")
            if fields.get("action", "").strip().lower() == "failed" and permanent:
                address = _address(fields.get("final-recipient", "").partition(";")[2])
                found += [Report(address, BOUNCE, fields.get("diagnostic-code", ""))] if address else []
    return found


def _address(text: str) -> str:
    """In the one form in which addresses are compared."""
    found = parseaddr(text.strip())[1].lower()
    return found if "@" in found and len(found) <= 254 else ""
