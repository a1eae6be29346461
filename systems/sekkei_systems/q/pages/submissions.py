"""Questions that users have suggested."""

from __future__ import annotations

from sekkei.web import Html, Pages
from sekkei_systems.q.design.models import QuestionStatus
from sekkei_systems.q.pages.desk import Paging
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.questions import Editing

pages = Pages()


@pages.get("/admin/submissions", name="admin-submissions")
async def submissions(by: Admin, editing: Editing, query: Paging, status: int = 200) -> Html:
    found = await editing.with_status(by, QuestionStatus.PENDING, query.after or None)
    return Html("q/admin/submissions.html", status, found=found)
