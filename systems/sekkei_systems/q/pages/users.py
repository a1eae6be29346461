"""Finding users, looking at one, locking one out, and what else moderators decide about one."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from msgspec import Struct

from sekkei.kit.typed import Line, Token
from sekkei.runtime.refusals import Conflict, Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.q.design.models import ProfilePart
from sekkei_systems.q.pages.desk import Paging, Reason, done
from sekkei_systems.q.rules.writing import PARTS
from sekkei_systems.q.service.access import Admin, ProvenAdmin
from sekkei_systems.q.service.cases import Profiles
from sekkei_systems.q.service.moderation import Moderation
from sekkei_systems.q.service.sanctions import Sanctions

_SUSPENSIONS = (1, 3, 7, 30)
"""Days; what is longer is a ban."""
pages = Pages()


class Search(Paging):
    q: Annotated[str, Line(500, 0)] = ""


class Why(Struct):
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
        days=_SUSPENSIONS,
        parts=parts,
    )


@pages.post("/admin/users/{user_id}/ban")
async def ban(by: ProvenAdmin, moderation: Moderation, user_id: str, sent: Sent[Why]) -> Html | Redirect:
    return await _set_banned(by, moderation, user_id, sent, True)


@pages.post("/admin/users/{user_id}/unban")
async def unban(by: ProvenAdmin, moderation: Moderation, user_id: str, sent: Sent[Why]) -> Html | Redirect:
    return await _set_banned(by, moderation, user_id, sent, False)


async def _set_banned(
    by: ProvenAdmin, moderation: Moderation, user_id: str, sent: Sent[Why], banned: bool
) -> Html | Redirect:
    change = moderation.ban if banned else moderation.unban
    try:
        await change(by, user_id, sent.value.reason)
    except Invalid as wrong:
        return await user(by, moderation, user_id, Look(), 422, sent.refilled(wrong))
    except Conflict as refused:
        return (await user(by, moderation, user_id, Look(), refused.status)).flash(refused)
    return done(f"/q/admin/users/{user_id}")


# What moderators decide about somebody: their profile, a warning, a time away, an appeal. Each asks for a reason.


class OfProfile(Why):
    part: ProfilePart = ProfilePart.NAME
    decision: Literal["keep", "remove"] = "keep"


class Suspension(Why):
    days: Literal["1", "3", "7", "30"] = "7"


class Verified(Struct):
    verified: Literal["yes", "no"]


class Ruling(Struct):
    decision: Literal["approve", "decline", "uphold", "overturn"]


async def _shown(
    by: Admin, moderation: Moderation, user_id: str, sent: Sent[Any] | None, act: Awaitable[Any]
) -> Html | Redirect:
    """Do it and go back to the person; or the page as it is now, and why it was not done."""
    try:
        await act
    except Invalid as wrong:
        filled = sent.refilled(wrong) if sent else None
        return (await user(by, moderation, user_id, Look(), 422, filled)).flash(wrong)
    except Conflict as refused:
        return (await user(by, moderation, user_id, Look(), refused.status)).flash(refused)
    return done(f"/q/admin/users/{user_id}")


@pages.post("/admin/users/{user_id}/profile")
async def of_profile(
    by: Admin, moderation: Moderation, profiles: Profiles, user_id: str, sent: Sent[OfProfile]
) -> Html | Redirect:
    part = sent.value.part
    if sent.value.decision == "keep":
        return await _shown(by, moderation, user_id, sent, profiles.keep(by, user_id, part))
    return await _shown(by, moderation, user_id, sent, profiles.remove(by, user_id, part, sent.value.reason))


@pages.post("/admin/users/{user_id}/warn")
async def warn(
    by: Admin, moderation: Moderation, sanctions: Sanctions, user_id: str, sent: Sent[Why]
) -> Html | Redirect:
    return await _shown(by, moderation, user_id, sent, sanctions.warn(by, user_id, sent.value.reason))


@pages.post("/admin/users/{user_id}/suspend")
async def suspend(
    by: ProvenAdmin, moderation: Moderation, sanctions: Sanctions, user_id: str, sent: Sent[Suspension]
) -> Html | Redirect:
    act = sanctions.suspend(by, user_id, int(sent.value.days), sent.value.reason)
    return await _shown(by, moderation, user_id, sent, act)


@pages.post("/admin/users/{user_id}/verify")
async def verify(
    by: ProvenAdmin, moderation: Moderation, sanctions: Sanctions, user_id: str, form: Verified
) -> Html | Redirect:
    return await _shown(by, moderation, user_id, None, sanctions.verify(by, user_id, form.verified == "yes"))


@pages.post("/admin/users/{user_id}/decisions/{decision_id}")
async def rule(
    by: ProvenAdmin, moderation: Moderation, sanctions: Sanctions, user_id: str, decision_id: str, form: Ruling
) -> Html | Redirect:
    """A ban that somebody else proposed, or an appeal."""
    act: Awaitable[Any]
    if form.decision == "approve":
        act = sanctions.approve(by, user_id, decision_id)
    elif form.decision == "decline":
        act = sanctions.decline(by, user_id, decision_id)
    else:
        act = sanctions.decide_appeal(by, user_id, decision_id, form.decision == "overturn")
    return await _shown(by, moderation, user_id, None, act)


@pages.post("/admin/users/{user_id}/look")
async def look(by: Admin, moderation: Moderation, user_id: str, sent: Sent[Why]) -> Html | Redirect:
    """Read what somebody answered for their friends: why stands in the log."""
    try:
        opened = await moderation.look(by, user_id, sent.value.reason)
    except Invalid as wrong:
        return (await user(by, moderation, user_id, Look(), 422, sent.refilled(wrong))).flash(wrong)
    return Redirect(f"/q/admin/users/{user_id}?{urlencode({'look': opened})}")
