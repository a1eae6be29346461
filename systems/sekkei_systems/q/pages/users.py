"""Finding users, looking at one, and locking one out."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Conflict, Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.q.pages.desk import Paging, Reason, done
from sekkei_systems.q.rules.profile import PARTS
from sekkei_systems.q.service.access import Admin, ProvenAdmin
from sekkei_systems.q.service.moderation import Moderation

SUSPENSIONS = (1, 3, 7, 30)
"""Days; what is longer is a ban."""
pages = Pages()


class Search(Paging):
    q: Annotated[str, Line(500, 0)] = ""


class Ban(Struct):
    reason: Reason = ""


class Look(Struct):
    """Stands for the reason that was given to read somebody's answers."""

    look: Token = ""


@pages.get("/admin/users", name="admin-users")
async def users(by: Admin, moderation: Moderation, query: Search) -> Html:
    asked = query.q.strip()
    if asked:
        return Html("q/admin/users.html", found=await moderation.search(by, asked), cursor=None, asked=asked)
    listed = await moderation.people(by, query.after or None)
    return Html("q/admin/users.html", found=list(listed), cursor=listed.cursor, asked="")


@pages.get("/admin/users/{user_id}", name="admin-user")
async def user(
    by: Admin, moderation: Moderation, user_id: str, query: Look, status: int = 200, filled: Form | None = None
) -> Html:
    found = await moderation.dossier(by, user_id, query.look)
    parts = [(part.value, getattr(found.user, kind.field.name)) for part, kind in PARTS.items()]
    return Html(
        "q/admin/user.html",
        status,
        found=found,
        form=filled or Form(),
        look=query.look,
        me=by.id,
        days=SUSPENSIONS,
        parts=parts,
    )


@pages.post("/admin/users/{user_id}/ban")
async def ban(by: ProvenAdmin, moderation: Moderation, user_id: str, sent: Sent[Ban]) -> Html | Redirect:
    return await _set_banned(by, moderation, user_id, sent, True)


@pages.post("/admin/users/{user_id}/unban")
async def unban(by: ProvenAdmin, moderation: Moderation, user_id: str, sent: Sent[Ban]) -> Html | Redirect:
    return await _set_banned(by, moderation, user_id, sent, False)


async def _set_banned(
    by: ProvenAdmin, moderation: Moderation, user_id: str, sent: Sent[Ban], banned: bool
) -> Html | Redirect:
    change = moderation.ban if banned else moderation.unban
    try:
        await change(by, user_id, sent.value.reason)
    except Invalid as wrong:
        return await user(by, moderation, user_id, Look(), 422, sent.refilled(wrong))
    except Conflict as refused:
        return (await user(by, moderation, user_id, Look(), refused.status)).flash(refused)
    return done(f"/q/admin/users/{user_id}")
