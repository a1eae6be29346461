"""What people look at: everybody's donations as they come in, the chat, one's own stamps and history, the operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from sekkei.runtime import days
from sekkei.runtime.refusals import Invalid, NotThere, say
from sekkei.runtime.system import Context
from sekkei.web import Pages, flash, language_of, page, redirect, sse, t
from sekkei.web.live import live_url
from sekkei_systems.chiipochi.design import pledges
from sekkei_systems.chiipochi.exports import as_csv
from sekkei_systems.chiipochi.links import donation_key, order_id_of
from sekkei_systems.chiipochi.models import Donation
from sekkei_systems.chiipochi.prefectures import PREFECTURES, Prefecture
from sekkei_systems.chiipochi.reactions import LIVE_TOPIC
from sekkei_systems.chiipochi.reports import Day, Sum
from sekkei_systems.chiipochi.service import Service

DAYS_SHOWN = 14
CSV_ROWS_MAX = 5_000
FIRST_YEAR = 2025
"""Before that there was no ちいポチ."""
_SHORT = {
    "FUKUI": "Fki",
    "FUKUOKA": "Fko",
    "FUKUSHIMA": "Fks",
    "KAGAWA": "Kgw",
    "KAGOSHIMA": "Kgs",
    "MIYAGI": "Myg",
    "MIYAZAKI": "Myz",
    "NAGANO": "Ngn",
    "NAGASAKI": "Ngs",
    "SHIGA": "Sga",
    "SHIMANE": "Smn",
    "SHIZUOKA": "Szk",
    "TOKUSHIMA": "Tks",
    "TOKYO": "Tky",
    "YAMAGATA": "Ygt",
    "YAMAGUCHI": "Ygc",
    "YAMANASHI": "Yns",
}
"""On the map a name has three letters; these would be the same as others'."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A prefecture on the map, warmer the more it was given."""

    prefecture: Prefecture
    amount: int
    count: int
    heat: float
    words: str

    def label(self, language: str) -> str:
        if language == "ja":
            return self.prefecture.ja
        return _SHORT.get(self.prefecture.code, self.prefecture.en[:3])


def tiles(found: Mapping[str, Sum]) -> list[Tile]:
    most = max((total.amount for total in found.values()), default=0)
    made = []
    for prefecture in PREFECTURES.values():
        total = found.get(prefecture.code, Sum())
        # The square root, so that small gifts show beside a large one.
        heat = round((total.amount / most) ** 0.5, 3) if most else 0.0
        words = f"¥{total.amount:,} ×{total.count}" if total.amount != total.count else f"×{total.count}"
        made.append(Tile(prefecture, total.amount, total.count, heat, words))
    return made


def asked_day(request: Request, context: Context) -> date:
    given = request.query_params.get("day")
    if not given:
        return days.today(context.clock)
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise Invalid(field="day", words=say("日付を確認してください。", "Please check the date.")) from None


def routes(context: Context, service: Service) -> list[BaseRoute]:
    return [*_everybody(context, service), *_paying(service), *_mine(context, service), *_sheets(context, service)]


def _everybody(context: Context, service: Service) -> Sequence[BaseRoute]:
    pages = Pages()

    @pages.get("/", name="dashboard")
    async def dashboard(request: Request) -> Response:
        live = live_url(request, context.live, LIVE_TOPIC, "/chiipochi/live")
        day = asked_day(request, context)
        today = days.today(context.clock)
        found = await service.reports.day(day)
        last = await service.reports.amounts([today - timedelta(days=age) for age in range(DAYS_SHOWN - 1, -1, -1)])
        return page(
            request,
            "chiipochi/dashboard.html",
            day=day,
            today=today,
            live=live,
            labels=[f"{each.month}/{each.day}" for each, _ in last],
            amounts=[amount / 1000 for _, amount in last],
            **_shown(found),
        )

    @pages.get("/day", name="day")
    async def one_day(request: Request) -> Response:
        """The part of the dashboard that moves."""
        found = await service.reports.day(asked_day(request, context))
        return page(request, "chiipochi/_day.html", day=found.day, **_shown(found))

    @pages.get("/live", name="live")
    async def live(request: Request) -> Response:
        return sse(request, context.live, LIVE_TOPIC)

    return pages.routes


def _shown(found: Day) -> dict[str, Any]:
    ranking = [(PREFECTURES[code], total) for code, total in found.ranking]
    return {"found": found, "tiles": tiles(found.prefectures), "ranking": ranking}


def _paying(service: Service) -> Sequence[BaseRoute]:
    pages = Pages()

    @pages.get("/pay/{token}", name="pay")
    async def pay(request: Request) -> Response:
        url = await service.settling.start(request.path_params["token"])
        return Response(None, 303, {"Location": url, "Cache-Control": "no-store"})

    @pages.get("/pay/{token}/done", name="paid")
    async def paid(request: Request) -> Response:
        donation = await service.settling.order(request.path_params["token"])
        prefecture = PREFECTURES[donation.prefecture]
        return page(request, "chiipochi/done.html", donation=donation, prefecture=prefecture)

    return pages.routes


def _mine(context: Context, service: Service) -> Sequence[BaseRoute]:
    pages = Pages()

    @pages.get("/u/{token}", name="mine")
    async def mine(request: Request) -> Response:
        token = request.path_params["token"]
        user_id = service.links.user_of(token)
        year = await service.reports.year(user_id, days.today(context.clock).year)
        chosen = await context.db.get(pledges(user_id))
        stamps = await service.reports.stamps(user_id)
        return page(
            request,
            "chiipochi/mine.html",
            token=token,
            history=await service.reports.history(user_id, request.query_params.get("after"), size=10),
            today=await service.reports.mine_today(user_id),
            year=year,
            favourites=[(PREFECTURES[code], amount) for code, amount in year.favourites[:3]],
            streak=await service.reports.streak(user_id),
            pledge=chosen,
            stamps=stamps,
            tiles=tiles({code: Sum(count, count) for code, count in stamps.items()}),
            thousands=[amount / 1000 for amount in year.months],
            month_names=[t(request, "mine.month", n=month) for month in range(1, 13)],
            prefectures=PREFECTURES,
            order_id_of=order_id_of,
            order_token=service.links.order_token,
        )

    @pages.get("/u/{token}/donations.csv", name="mine-csv")
    async def mine_csv(request: Request) -> Response:
        user_id = service.links.user_of(request.path_params["token"])
        found: list[Donation] = []
        async for donation in service.reports.all_of(user_id):
            found.append(donation)
            if len(found) == CSV_ROWS_MAX:
                break
        return csv_file(as_csv(found, language_of(request)), "donations.csv")

    @pages.post("/u/{token}/forget", name="forget")
    async def forget(request: Request) -> Response:
        user_id = service.links.user_of(request.path_params["token"])
        await context.jobs.start("forget", {"user_id": user_id}, id=f"forget/{user_id}/{context.clock.uuid()}")
        flash(request, t(request, "mine.forgetting"))
        return redirect(request, "chiipochi:dashboard")

    return pages.routes


def _sheets(context: Context, service: Service) -> Sequence[BaseRoute]:
    """What is printed."""
    pages = Pages()

    @pages.get("/u/{token}/year/{year}", name="year")
    async def one_year(request: Request) -> Response:
        """A year on one sheet, to be printed."""
        user_id = service.links.user_of(request.path_params["token"])
        asked, this_year = request.path_params["year"], days.today(context.clock).year
        if asked not in {str(year) for year in range(FIRST_YEAR, this_year + 1)}:
            raise NotThere()
        year = await service.reports.year(user_id, int(asked))
        return page(
            request,
            "chiipochi/year.html",
            year=year,
            rows=[(PREFECTURES[code], amount) for code, amount in year.favourites],
            token=request.path_params["token"],
            this_year=this_year,
            first_year=FIRST_YEAR,
        )

    @pages.get("/u/{token}/receipt/{created_at}", name="receipt")
    async def receipt(request: Request) -> Response:
        user_id = service.links.user_of(request.path_params["token"])
        key = donation_key(f"{user_id}|{request.path_params['created_at']}")
        donation = None if key is None else await service.reports.receipt(*key)
        if donation is None:
            raise NotThere()
        prefecture = PREFECTURES[donation.prefecture]
        back = f"/chiipochi/u/{request.path_params['token']}"
        return page(request, "chiipochi/receipt.html", donation=donation, prefecture=prefecture, back=back)

    return pages.routes


def csv_file(body: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type="text/csv; charset=utf-8", headers=headers)
