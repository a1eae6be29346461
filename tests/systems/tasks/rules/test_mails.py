"""The mails that go out: both languages, nothing of people becomes markup."""

from __future__ import annotations

from datetime import date

from sekkei_systems.tasks.design import Role
from sekkei_systems.tasks.rules import mails
from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.mails import Report, from_dsn, from_ses

TODAY = date(2025, 11, 6)


def test_an_invitation_speaks_both_languages() -> None:
    mail = mails.invitation("<b>葵</b>", "開発", Role.ADMIN, "https://x.example/?a=1&b=2", "2025-11-07 12:00")
    assert mail["subject"] == "「開発」への招待 / Invitation to 開発"
    assert "管理者として招待されました" in mail["text"]
    assert "as an admin" in mail["text"]
    assert "https://x.example/?a=1&b=2" in mail["text"].splitlines()
    assert "<b>" not in mail["html"]
    assert 'href="https://x.example/?a=1&amp;b=2"' in mail["html"]


def test_a_digest_says_how_late_and_what_is_left_out() -> None:
    late = [TaskDraft(f"仕事{n}", end=date(2025, 11, 3)).task("t", f"k{n}") for n in range(mails.SHOWN_MAX + 2)]
    mail = mails.digest("葵", late, {"t": "開発"}, TODAY, "https://x.example/tasks", "https://x.example/stop")
    assert mail["subject"] == "遅れているタスク 32件 / 32 late tasks"
    assert "仕事0（開発・終了 11/03・3日超過 / due 11/03, 3 days late）" in mail["text"]
    assert "ほか 2件 / and 2 more" in mail["text"]
    assert mail["html"].count("<li>") == mails.SHOWN_MAX
    one = mails.digest("葵", [TaskDraft("x", start=date(2025, 11, 5)).task("t", "k")], {}, TODAY, "", "")
    assert one["subject"].endswith("1 late task")
    assert "to start 11/05, 1 day late" in one["text"]


# Which addresses a report says mail does not reach.


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
