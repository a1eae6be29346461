"""Memberships and ticket books: mine, and at the desk those of a member."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta

from sekkei.clock import Clock
from sekkei.kit.typed import Line, NameLine, Token
from sekkei.runtime.refusals import Refusal
from sekkei.web import Form, Html, Pages, Redirect
from sekkei_systems import days
from sekkei_systems.lessons.pages.view import View
from sekkei_systems.lessons.rules.passes import is_good
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.service.access import Access, Member, Staff
from sekkei_systems.lessons.service.contacts import Members
from sekkei_systems.lessons.service.passes import Entitlements

pages = Pages()
_Mail = Annotated[str, Line(254)]


class Asked(msgspec.Struct):
    email: Annotated[str, Line(254, 0)] = ""


class Given(msgspec.Struct):
    email: _Mail
    name: Annotated[str, NameLine(NAME_MAX)]
    valid_from: date
    valid_until: date
    tickets: Annotated[int, Meta(ge=1, le=1000)] | None = None
    """None: a membership."""


class Gone(msgspec.Struct):
    email: _Mail
    pass_id: Annotated[Token, Meta(max_length=64)]


@pages.get("/passes", name="passes")
async def mine(view: View, member: Member, access: Access, entitlements: Entitlements) -> Html:
    found = await entitlements.passes_of(member.user_id)
    good = {one.pass_id for one in found if is_good(one, one.studio_code, view.today)}
    return Html("lessons/passes.html", view=view, passes=found, good=good, studios=access.studios)


@pages.get("/desk/{code}/passes", name="desk_passes")
async def of_member(
    view: View, staff: Staff, members: Members, entitlements: Entitlements, clock: Clock, query: Asked
) -> Html:
    person, problem = None, ""
    if query.email.strip():
        try:
            person = await members.by_mail(query.email)
        except Refusal as refusal:
            problem = refusal.text(view.language)
    own = await entitlements.passes_of(person.user_id) if person else []
    today = days.today(clock)
    return Html(
        "lessons/desk_passes.html",
        view=view,
        studio=staff.studio,
        person=person,
        problem=problem,
        passes=[one for one in own if one.studio_code == staff.studio.code],
        form=Form({"email": query.email, "valid_from": f"{today}", "tickets": ""}),
    )


@pages.post("/desk/{code}/passes", name="give_pass")
async def give(staff: Staff, members: Members, entitlements: Entitlements, form: Given) -> Redirect:
    answer = Redirect("lessons:desk_passes", code=staff.studio.code).query(email=form.email)
    try:
        person = await members.by_mail(form.email)
        await entitlements.give(staff, person, form.name, form.valid_from, form.valid_until, form.tickets)
    except Refusal as refusal:
        return answer.flash(refusal)
    return answer.flash("done.pass")


@pages.post("/desk/{code}/passes/delete", name="take_pass")
async def take_away(staff: Staff, members: Members, entitlements: Entitlements, form: Gone) -> Redirect:
    answer = Redirect("lessons:desk_passes", code=staff.studio.code).query(email=form.email)
    try:
        await entitlements.take_away(staff, (await members.by_mail(form.email)).user_id, form.pass_id)
    except Refusal as refusal:
        return answer.flash(refusal)
    return answer.flash("done.pass.gone")
