"""Who runs a studio, and the secret that its own system signs with; for its managers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from sekkei.kit.typed import Line
from sekkei.runtime.refusals import Refusal
from sekkei.web import Form, Html, Pages, Redirect
from sekkei_systems.lessons.design import Role
from sekkei_systems.lessons.pages.view import View
from sekkei_systems.lessons.service.access import Member, Roster, Staff
from sekkei_systems.lessons.service.studio_secrets import StudioSecrets

pages = Pages()
Mail = Annotated[str, Line(254)]


class NewStaff(msgspec.Struct):
    email: Mail
    role: Literal["manager", "desk"] = "desk"


class Gone(msgspec.Struct):
    email: Mail


@dataclass(frozen=True, slots=True)
class Shown:
    view: View
    staff: Staff
    roster: Roster
    secrets: StudioSecrets

    async def html(self, secret: str = "") -> Html:
        """`secret` is shown once, on the page that answers its making."""
        return Html(
            "lessons/staff.html",
            view=self.view,
            studio=self.staff.managing().studio,
            people=await self.roster.of(self.staff),
            secret=secret,
            has_secret=await self.secrets.find(self.staff.studio.code),
            form=Form({"role": "desk"}),
        )

    @property
    def again(self) -> Redirect:
        return Redirect("lessons:staff", code=self.staff.studio.code)


@pages.get("/desk/{code}/staff", name="staff")
async def open_staff(shown: Shown) -> Html:
    return await shown.html()


@pages.post("/desk/{code}/staff")
async def add(shown: Shown, roster: Roster, form: NewStaff) -> Redirect:
    try:
        await roster.add(shown.staff.managing(), form.email, Role(form.role))
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.staff")


@pages.post("/desk/{code}/staff/remove", name="remove_staff")
async def remove(shown: Shown, member: Member, roster: Roster, form: Gone) -> Redirect:
    try:
        await roster.remove(shown.staff.managing(), member, form.email)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.staff.gone")


@pages.post("/desk/{code}/secret", name="renew_secret")
async def renew(shown: Shown, secrets: StudioSecrets) -> Html:
    return await shown.html(await secrets.renew(shown.staff))


@pages.post("/desk/{code}/secret/forget", name="forget_secret")
async def forget(shown: Shown, secrets: StudioSecrets) -> Redirect:
    await secrets.forget(shown.staff)
    return shown.again.flash("done.secret.gone")
