"""The operator's words for the bot, and the sums on its cards."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Struct

from sekkei.kit.text import half_width
from sekkei.kit.typed import Line, Text, Token
from sekkei.web import Html, Pages, Redirect
from sekkei_systems.chiipochi.design.models import Wording
from sekkei_systems.chiipochi.refusals import BadWording
from sekkei_systems.chiipochi.rules.conversation import AMOUNTS
from sekkei_systems.chiipochi.rules.messages import EDITABLE, SUMS, TEXT_LENGTH_MAX
from sekkei_systems.chiipochi.service.access import Operator
from sekkei_systems.chiipochi.service.appeals import Appeals, Wordings
from sekkei_systems.chiipochi.texts import say

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
async def show(operator: Operator, wordings: Wordings, appeals: Appeals) -> Html:
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
async def keep(operator: Operator, wordings: Wordings, form: WordingForm) -> Redirect:
    await wordings.keep(operator, form.wording())
    return Redirect("chiipochi:texts").flash("wordings.kept")
