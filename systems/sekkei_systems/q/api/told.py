"""What one was told: the inbox, and how one stands with the moderators, with appeals. For whoever is locked out too."""

from __future__ import annotations

from datetime import datetime

from starlette.requests import Request

from sekkei.web import Operations, PageOf, Rate, limit
from sekkei_systems.q.api.shapes import Id, Lines, Paging, Person, Shape, person
from sekkei_systems.q.design.models import Decision, DecisionState
from sekkei_systems.q.rules.notices import words_of
from sekkei_systems.q.service.access import Joined
from sekkei_systems.q.service.decisions import Decisions
from sekkei_systems.q.service.notices import Inbox, Told

_APPEALS = Rate.per_hour(20)
operations = Operations()


class NewAppeal(Shape):
    text: Lines


class DecisionOut(Shape):
    """What moderators decided, as the person is told."""

    decision_id: str
    kind: str
    reason: str | None
    day: str | None
    created_at: datetime
    until: datetime | None
    ended: bool
    appeal: str | None
    can_appeal: bool


class Standing(Shape):
    """How one stands with the moderators; open to whoever is locked out, too."""

    is_banned: bool
    banned_until: datetime | None
    deleting_at: datetime | None
    decisions: list[DecisionOut]


class NoticeOut(Shape):
    """Something that one was told."""

    kind: str
    text: str
    url: str
    created_at: datetime
    is_new: bool
    user: Person | None = None


class Unread(Shape):
    unread: int


def _decision_of(one: Decision) -> DecisionOut:
    in_force = one.state is DecisionState.IN_FORCE
    return DecisionOut(
        decision_id=one.decision_id,
        kind=one.kind.value,
        reason=one.reason,
        day=one.target,
        created_at=one.created_at,
        until=one.until,
        ended=not in_force,
        appeal=one.appeal.value if one.appeal else None,
        can_appeal=in_force and one.appeal is None,
    )


def shown(one: Told, viewer: str, language: str) -> NoticeOut:
    return NoticeOut(
        kind=one.notice.kind.value,
        text=words_of(one.notice, one.about, language),
        url=one.notice.url,
        created_at=one.notice.created_at,
        is_new=one.is_new,
        user=person(viewer, one.about, None) if one.about else None,
    )


@operations.get("/me/inbox", summary="What one was told", tag="me")
async def inbox(joined: Joined, inbox: Inbox, language: str, query: Paging) -> PageOf[NoticeOut]:
    """Newest first, in the language of the request; kept for 90 days."""
    page = await inbox.page(joined, query.after)
    return PageOf([shown(one, joined.id, language) for one in page], page.cursor)


@operations.get("/me/inbox/unread", summary="How many notices are new", tag="me")
async def unread(joined: Joined, inbox: Inbox) -> Unread:
    return Unread(unread=await inbox.unread(joined))


@operations.post("/me/inbox/read", summary="All notices so far are read", status=204, tag="me")
async def read(joined: Joined, inbox: Inbox) -> None:
    await inbox.read(joined)


@operations.get("/me/standing", summary="What moderators decided about one", tag="me")
async def standing(joined: Joined, decisions: Decisions) -> Standing:
    user = joined.user
    return Standing(
        is_banned=user.is_banned,
        banned_until=user.banned_until,
        deleting_at=user.deleting_at,
        decisions=[_decision_of(one) for one in await decisions.mine(joined)],
    )


@operations.post("/me/standing/{decision_id}/appeal", summary="Appeal against a decision", status=201, tag="me")
async def appeal(
    request: Request, joined: Joined, decisions: Decisions, decision_id: Id, body: NewAppeal
) -> DecisionOut:
    """Once for each decision. Another moderator decides, where there is one."""
    limit(request, _APPEALS, "q-appeal")
    return _decision_of(await decisions.appeal(joined, decision_id, body.text))
