"""Totals and prefectures for programs: /chiipochi/api, described at /chiipochi/docs. Nothing of it is personal."""

from __future__ import annotations

from datetime import date

import msgspec

from sekkei.web import Api
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from sekkei_systems.chiipochi.service.reports import Reports


class PrefectureOut(msgspec.Struct):
    code: str
    iso: str
    ja: str
    en: str
    specialities: list[str]


class Ranked(msgspec.Struct):
    place: int
    prefecture: str
    iso: str
    amount: int
    count: int


class DayOut(msgspec.Struct):
    """Donations of one day in Japan; only those whose money arrived."""

    day: date
    amount: int
    count: int
    ranking: list[Ranked]


api = Api("chiipochi", title="Chiipochi", about="Donations by prefecture")


@api.get("/days/{day}", summary="Totals and ranking of one day")
async def one_day(reports: Reports, day: date) -> DayOut:
    found = await reports.day(day)
    ranking = [
        Ranked(place, code, PREFECTURES[code].iso, total.amount, total.count)
        for place, (code, total) in enumerate(found.ranking, 1)
    ]
    return DayOut(day, found.amount, found.count, ranking)


@api.get("/prefectures", summary="All prefectures and their specialities")
async def prefectures() -> list[PrefectureOut]:
    return [
        PrefectureOut(found.code, found.iso, found.full, found.en, [spellings[0] for spellings in found.specialities])
        for found in PREFECTURES.values()
    ]
