"""The operator's appeals: made, changed and ended here, each change on record."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated

from msgspec import Struct

from sekkei.clock import Clock
from sekkei.kit.typed import Line, Text, Token
from sekkei.web import Html, Pages, Redirect
from sekkei_systems import days
from sekkei_systems.chiipochi.design.models import Appeal
from sekkei_systems.chiipochi.pages.wordings import sums
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.appeals import Appeals

pages = Pages()


class AppealForm(Struct):
    code: Annotated[str, Line(400)]
    ja: Annotated[str, Line(400)]
    words: Annotated[str, Line(1_000)]
    goal: int
    first: date
    last: date
    en: Annotated[str, Line(400, 0)] = ""
    says_ja: Annotated[str, Text(1_000)] = ""
    says_en: Annotated[str, Text(1_000)] = ""
    amounts: Annotated[str, Line(400, 0)] = ""
    monthly: Token = ""
    version: int = 0

    def appeal(self) -> Appeal:
        words = [word.strip() for word in self.words.replace("、", ",").split(",") if word.strip()]
        return Appeal(
            code=self.code.upper(),
            ja=self.ja,
            en=self.en,
            words=list(dict.fromkeys(words)),
            says_ja=self.says_ja,
            says_en=self.says_en,
            amounts=sums(self.amounts),
            monthly=bool(self.monthly),
            goal=self.goal,
            first=self.first,
            last=self.last,
            version=self.version,
        )


@pages.get("/operator/appeals", name="appeals")
async def show(operator: Operator, appeals: Appeals, clock: Clock) -> Html:
    today = days.today(clock)
    return Html(
        "chiipochi/appeals.html",
        found=await appeals.raised(only_open=False),
        changes=await appeals.changes(operator),
        today=today,
        later=today + timedelta(days=90),
    )


@pages.post("/operator/appeals", name="keep-appeal")
async def keep(operator: Operator, appeals: Appeals, form: AppealForm) -> Redirect:
    await appeals.keep(operator, form.appeal())
    return Redirect("chiipochi:appeals").flash("appeals.kept")
