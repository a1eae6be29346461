"""Which addresses a report says mail does not reach."""

from __future__ import annotations

from sekkei_systems.tasks.rules.bounces import Report, from_dsn, from_ses

BOUNCED = {
    "notificationType": "Bounce",
    "bounce": {
        "bounceType": "Permanent",
        "bouncedRecipients": [{"emailAddress": "Jane <Jane@Example.com>", "diagnosticCode": "smtp; 550 5.1.1"}],
    },
}


DSN = b"""From: MAILER-DAEMON@mx.example
To: no-reply@tasks.example
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

It did not work.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; Gone@Example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 no such user

Final-Recipient: rfc822; later@example.com
Action: delayed
Status: 4.2.2

--b--
"""


def test_only_what_is_permanent_counts() -> None:
    full = {"eventType": "Bounce", "bounce": {**BOUNCED["bounce"], "bounceType": "Transient"}}  # type: ignore[dict-item]
    assert from_ses(full) == []
    assert from_ses({"eventType": "Delivery"}) == []
    assert from_ses({"eventType": "Bounce", "bounce": {"bounceType": "Permanent", "bouncedRecipients": "x"}}) == []
    complaint = {"complainedRecipients": [{"emailAddress": "x@example.com"}]}
    assert from_ses({"eventType": "Complaint", "complaint": complaint}) == [Report("x@example.com", "complaint")]
    mistake = {**complaint, "complaintFeedbackType": "not-spam"}
    assert from_ses({"eventType": "Complaint", "complaint": mistake}) == []


def test_a_mail_that_came_back_names_its_recipient() -> None:
    assert from_dsn(DSN) == [Report("gone@example.com", "bounce", "smtp; 550 no such user")]
    assert from_dsn(b"Subject: hello\n\nnothing of that kind") == []
    assert from_dsn(b"") == []
