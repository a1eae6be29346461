"""Every text is there in both languages."""

from __future__ import annotations

from sekkei_systems.tasks.texts import say


def test_texts_that_pages_put_together_are_there() -> None:
    statuses, lates = ("todo", "doing", "done"), ("start", "finish", "doing")
    wanted = [f"status.{one}" for one in statuses] + [f"board.empty.{one}" for one in statuses]
    wanted += [f"late.list.{one}" for one in lates] + ["late.start", "late.finish"]
    wanted += [f"role.{one}" for one in ("admin", "member")] + [f"mail.{one}" for one in ("queued", "sent", "failed")]
    wanted += [f"due.{one}" for one in ("overdue", "today", "week", "later", "undated")]
    wanted += [f"nav.{one}" for one in ("board", "list", "late", "burndown", "settings")]
    assert [key for key in wanted if not say.has(key)] == []
