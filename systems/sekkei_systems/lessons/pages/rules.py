"""The rules of a studio: as members read them, and as its staff sets them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sekkei.clock import Clock
from sekkei.kit.typed import Token
from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid
from sekkei.web import Form, Html, Pages, Redirect, Sent
from sekkei_systems.lessons.design import StudioRules
from sekkei_systems.lessons.pages.view import Typed, View
from sekkei_systems.lessons.rules.passes import sentences
from sekkei_systems.lessons.rules.policy import MINUTES
from sekkei_systems.lessons.rules.slots import optional_time_in
from sekkei_systems.lessons.service.access import Access, Staff
from sekkei_systems.lessons.service.rulebook import Rulebook

pages = Pages()
_Number = Annotated[int, Meta(ge=0, le=366)]
_Minutes = Annotated[int, Meta(ge=0, le=10_080)]


class RulesForm(msgspec.Struct):
    """An empty field is as everywhere."""

    needs_pass: bool = False
    has_trial: bool = False
    opens_days: _Number | None = None
    opens_time: Typed | None = None
    per_week: _Number | None = None
    late_takes_ticket: bool = False
    no_shows_max: _Number | None = None
    no_show_days: _Number = 30
    blocked_days: _Number = 7
    fairness: Token = ""
    hold: _Minutes | None = None
    broadcast_within: _Minutes | None = None
    stop_before: _Minutes | None = None
    quiet_period: _Minutes | None = None
    cancel_until: _Minutes | None = None
    late_within: _Minutes | None = None
    remind_before: _Minutes | None = None


def _rules_in(code: str, given: RulesForm, clock: Clock) -> StudioRules:
    minutes = {name: getattr(given, name) for name in MINUTES if getattr(given, name) is not None}
    return StudioRules(
        studio_code=code,
        needs_pass=given.needs_pass,
        has_trial=given.has_trial,
        opens_days=given.opens_days,
        opens_time=optional_time_in(given.opens_time, "opens_time"),
        per_week=given.per_week,
        late_takes_ticket=given.late_takes_ticket,
        no_shows_max=given.no_shows_max,
        no_show_days=given.no_show_days,
        blocked_days=given.blocked_days,
        fairness=given.fairness or None,
        minutes=minutes,
        updated_at=days.now(clock),
    )


def _values_of(rules: StudioRules) -> dict[str, Any]:
    plain = ("needs_pass", "has_trial", "late_takes_ticket", "no_show_days", "blocked_days")
    optional = ("opens_days", "per_week", "no_shows_max", "fairness")
    found = {name: getattr(rules, name) for name in plain}
    found |= {name: "" if getattr(rules, name) is None else getattr(rules, name) for name in optional}
    found["opens_time"] = f"{rules.opens_time:%H:%M}" if rules.opens_time else ""
    return found | {name: rules.minutes.get(name, "") for name in MINUTES}


@dataclass(frozen=True, slots=True)
class Shown:
    """The staff's form, beside the sentences that it comes to."""

    view: View
    staff: Staff
    rulebook: Rulebook

    async def html(self, status: int = 200, filled: Form | None = None) -> Html:
        code = self.staff.studio.code
        rules, policy = await self.rulebook.rules(code), await self.rulebook.policy(code)
        return Html(
            "lessons/desk_rules.html",
            status,
            view=self.view,
            studio=self.staff.studio,
            minutes=MINUTES,
            usual=self.rulebook.usual,
            sentences=sentences(rules, policy, self.view.language),
            form=filled or Form(_values_of(rules)),
        )


@pages.get("/rules/{code}", name="rules")
async def read(view: View, access: Access, rulebook: Rulebook, code: str) -> Html:
    studio = access.studio(code)
    said = sentences(await rulebook.rules(code), await rulebook.policy(code), view.language)
    return Html("lessons/rules.html", view=view, studio=studio, studios=access.studios, sentences=said)


@pages.get("/desk/{code}/rules", name="desk_rules")
async def open_rules(shown: Shown) -> Html:
    return await shown.html()


@pages.post("/desk/{code}/rules")
async def save(shown: Shown, rulebook: Rulebook, clock: Clock, sent: Sent[RulesForm]) -> Html | Redirect:
    code = shown.staff.studio.code
    try:
        await rulebook.save(shown.staff, _rules_in(code, sent.value, clock))
    except Invalid as wrong:
        return await shown.html(wrong.status, sent.refilled(wrong))
    return Redirect("lessons:desk_rules", code=code).flash("done.rules")
