"""What is stored of appeals: their words, goals and periods, and who changed what."""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Attr, attr, model, part
from sekkei_systems.chiipochi.design.models import UTC_MILLISECONDS

APPEAL = "APPEAL-"
"""How the recipient of an appeal's donations is spelled, where a prefecture's code stands: APPEAL-NOTO."""


@model
class Appeal:
    code: Attr[str] = part(ja="記号（例: NOTO）", en="its code, such as NOTO")
    ja: Attr[str] = attr(ja="名前", en="its name in Japanese")
    en: Attr[str] = attr(default="", ja="英語の名前", en="its name in English")
    words: Attr[list[str]] = attr(ja="呼びかけの言葉", en="what people type")
    says_ja: Attr[str] = attr(default="", ja="説明", en="what it says in Japanese")
    says_en: Attr[str] = attr(default="", ja="英語の説明", en="what it says in English")
    amounts: Attr[list[int]] = attr(
        default_factory=list, ja="すすめる金額", en="sums that it offers, the first as usual"
    )
    monthly: Attr[bool] = attr(default=False, ja="毎月の寄付も受け付ける", en="may it be given to every month?")
    goal: Attr[int] = attr(ja="目標額", en="its goal in yen")
    first: Attr[date] = attr(ja="開始日", en="its first day")
    last: Attr[date] = attr(ja="終了日", en="its last day")
    version: Attr[int] = attr(default=0, ja="版", en="how often it was changed")

    @property
    def recipient(self) -> str:
        return APPEAL + self.code


@model
class AppealSum:
    """What an appeal has raised; it moves with the totals of its days."""

    code: Attr[str] = part(ja="記号", en="its code")
    amount: Attr[int] = attr(default=0, ja="集まった金額", en="yen")
    count: Attr[int] = attr(default=0, ja="件数", en="how many")


@model
class Wording:
    """What an operator has the bot say instead of its own words, or the sums that it offers."""

    name: Attr[str] = part(ja="文の名前（例: welcome）", en="which text, such as welcome")
    ja: Attr[str] = attr(default="", ja="日本語の文", en="its words in Japanese")
    en: Attr[str] = attr(default="", ja="英語の文", en="its words in English")
    amounts: Attr[list[int]] = attr(default_factory=list, ja="すすめる金額", en="sums that are offered")
    version: Attr[int] = attr(default=0, ja="版", en="how often it was changed")


@model
class AppealChange:
    """Who changed an appeal, a text or the sums, when, and what it was before."""

    at: Attr[datetime] = part(stored_as=UTC_MILLISECONDS, ja="日時", en="when")
    code: Attr[str] = part(ja="記号", en="which appeal, or which text")
    by: Attr[str] = attr(ja="変更した運営者", en="who")
    changes: Attr[list[str]] = attr(ja="変更の内容", en="what was changed")
