"""The operator's pages of appeals, and of the bot's words and sums; each change is on record."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Annotated

from msgspec import Struct

from sekkei.clock import Clock
from sekkei.kit.text import half_width
from sekkei.kit.typed import Line, Text, Token
from sekkei.web import Html, Pages, Redirect
from sekkei_systems import days
from sekkei_systems.chiipochi.design.models import Appeal, Wording
from sekkei_systems.chiipochi.refusals import BadWording
from sekkei_systems.chiipochi.rules.conversation import AMOUNTS
from sekkei_systems.chiipochi.rules.messages import EDITABLE, SUMS, TEXT_LENGTH_MAX
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.appeals import Appeals, Wordings
from sekkei_systems.chiipochi.texts import say

# The operator's words for the bot, and the sums on its cards.


_BETWEEN = re.compile(r"[\s、,/]+")
_SUM = re.compile(r"[0-9]{1,9}")
pages = Pages()


class WordingForm(Struct):
    name: Token
    ja: Annotated[str, Text(1_000)] = ""
    en: Annotated[str, Text(1_000)] = ""
    amounts: Annotated[str, Line(400, 0)] = ""
    version: int = 0

    def wording(self) -> Wording:
        return Wording(name=self.name, ja=self.ja, en=self.en, amounts=sums(self.amounts), version=self.version)


def sums(typed: str) -> list[int]:
    """「100、300円 ５００」 as people type it."""
    words = [word.strip("円¥") for word in _BETWEEN.split(half_width(typed)) if word]
    if not all(_SUM.fullmatch(word) for word in words):
        raise BadWording(field="amounts")
    return sorted({int(word) for word in words})


@pages.get("/operator/texts", name="texts")
async def show_texts(operator: Operator, wordings: Wordings, appeals: Appeals) -> Html:
    kept = (await wordings.known()).kept
    ours = {name: {language: say(language, f"bot.{name}") for language in ("ja", "en")} for name in EDITABLE}
    return Html(
        "chiipochi/texts.html",
        kept=kept,
        ours=ours,
        sums=kept.get(SUMS),
        usual=AMOUNTS,
        changes=await appeals.changes(operator),
        longest=TEXT_LENGTH_MAX,
    )


@pages.post("/operator/texts", name="keep-text")
async def keep_text(operator: Operator, wordings: Wordings, form: WordingForm) -> Redirect:
    await wordings.keep(operator, form.wording())
    return Redirect("chiipochi:texts").flash("wordings.kept")


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
