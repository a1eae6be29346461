"""Answers with a forbidden word, and what becomes of any answer."""

from __future__ import annotations

from datetime import date
from typing import Literal
from urllib.parse import urlencode

from msgspec import Struct, field

from sekkei.kit.typed import Token
from sekkei.runtime.refusals import Conflict
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.q.pages.desk import Paging, Reason, done
from sekkei_systems.q.service.access import Admin
from sekkei_systems.q.service.moderation import Moderation

pages = Pages()


class From(Paging):
    """On which page the decision was made."""

    place: Token = field(name="from", default="")
    look: Token = ""


class Decision(Struct):
    decision: Literal["keep", "remove", "restore"]
    reason: Reason = ""


@pages.get("/admin/flagged", name="admin-flagged")
async def flagged(by: Admin, moderation: Moderation, query: Paging, status: int = 200) -> Html:
    return Html("q/admin/flagged.html", status, found=await moderation.flagged(by, query.after or None))


@pages.post("/admin/answers/{day}/{user_id}")
async def decide(
    by: Admin, moderation: Moderation, day: date, user_id: str, query: From, form: Decision
) -> Html | Redirect:
    try:
        if form.decision == "restore":
            await moderation.restore_post(by, day, user_id)
        else:
            await moderation.review_post(by, day, user_id, form.decision == "remove", form.reason)
    except Conflict as refused:
        return (await flagged(by, moderation, query, refused.status)).flash(refused)
    look = f"?{urlencode({'look': query.look})}" if query.look else ""
    places = {"reports": "/q/admin/reports", "queue": "/q/admin/queue", "user": f"/q/admin/users/{user_id}{look}"}
    return done(places.get(query.place, "/q/admin/flagged"))
