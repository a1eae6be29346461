"""The mails that go out: both languages, nothing of people becomes markup."""

from __future__ import annotations

from datetime import date

from sekkei_systems.tasks.design import Role
from sekkei_systems.tasks.rules import mails
from sekkei_systems.tasks.rules.drafts import TaskDraft

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
