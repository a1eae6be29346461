"""What the pages of the desk share."""

from __future__ import annotations

from sekkei.web import Redirect
from sekkei_systems.q.pages.desk import done


def test_what_is_done_is_said_on_the_next_page() -> None:
    assert done("/q/admin/words") == Redirect("/q/admin/words").flash("admin.done")
