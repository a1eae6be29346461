"""Every route by everybody."""

from __future__ import annotations

from pathlib import Path

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.design.models import Outcome
from sekkei_systems.chiipochi.ports.payments import PaymentEvent
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, REN, TODAY, Bot
from tests.web.authorisation import Rule, deviations, uncovered

ANYBODY = {"anonymous": 200, "user": 200, "operator": 200}


SIGNED_IN = {"anonymous": 303, "user": 200, "operator": 200}


FORM = {"anonymous": 303, "user": 303, "operator": 303}


OPERATOR = {"anonymous": 303, "user": 403, "operator": 200}


OPERATOR_FORM = {"anonymous": 303, "user": 403, "operator": 303}


async def test_every_route_by_everybody(clock: ManualClock, tmp_path: Path) -> None:
    settings = test_settings(
        demo=False, data=tmp_path, values={"operators": "aoi@demo.example", "chiipochi_organisation": "NPO法人ちい"}
    )
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        donation = await bot.donate()
        await bot.say("ゴーヤ", "はい", user=REN)
        (waiting,) = await bot.donations(REN)
        actors = {"anonymous": client, "user": client.another(), "operator": client.another()}
        await actors["user"].sign_in("demo-ren")
        await actors["operator"].sign_in("demo-aoi")
        links = bot.service.links
        url = await bot.service.settling.start(links.order_token(order_id_of(REN, waiting.created_at)))
        await client.shell.deployment.systems["chiipochi"].parts.scheduled["rankings"]({})
        await bot.decide(url.rpartition("/")[2], Outcome.PAID)
        await bot.work()
        second = PaymentEvent("e2", "cs_second", order_id_of(REN, waiting.created_at), waiting.amount, Outcome.PAID)
        assert await bot.service.settling.apply(second) == "late"
        order = {"order": order_id_of(REN, waiting.created_at)}
        day = {"day": f"{TODAY}"}
        appeal = {
            "code": "NOTO",
            "ja": "能登",
            "words": "能登",
            "goal": "1000",
            "first": f"{TODAY}",
            "last": f"{TODAY}",
        }
        matrix = {
            "GET /chiipochi/": Rule(ANYBODY),
            "GET /chiipochi/day": Rule(ANYBODY),
            "GET /chiipochi/about": Rule(ANYBODY),
            "GET /chiipochi/ranking": Rule(ANYBODY),
            "GET /chiipochi/screen": Rule(ANYBODY),
            "GET /chiipochi/privacy": Rule(ANYBODY),
            "GET /chiipochi/chat": Rule(SIGNED_IN),
            "GET /chiipochi/chat/messages": Rule(SIGNED_IN),
            "POST /chiipochi/chat/sign": Rule(
                {"anonymous": 401, "user": 200, "operator": 200}, json={"text": "りんご"}
            ),
            "GET /chiipochi/chat/menu-{language}.png": Rule(ANYBODY),
            "GET /chiipochi/me": Rule({"anonymous": 303, "user": 303, "operator": 303}),
            "GET /chiipochi/local-pay/{tx_id}": Rule(ANYBODY),
            "POST /chiipochi/local-pay/{tx_id}": Rule(
                {"anonymous": 303, "user": 303, "operator": 303}, form={"decision": "approve"}
            ),
            "GET /chiipochi/pay/{order}": Rule({"anonymous": 303, "user": 303, "operator": 303}),
            "GET /chiipochi/pay/{order}/done": Rule(ANYBODY),
            "GET /chiipochi/pay/{order}/back": Rule({"anonymous": 303, "user": 303, "operator": 303}),
            "GET /chiipochi/u/{token}": Rule(ANYBODY),
            "GET /chiipochi/u/{token}/donations.csv": Rule(ANYBODY),
            "GET /chiipochi/u/{token}/year/{year}": Rule(ANYBODY),
            "GET /chiipochi/u/{token}/receipt/{created_at}": Rule(ANYBODY),
            "GET /chiipochi/u/{token}/receipts": Rule(ANYBODY),
            "POST /chiipochi/u/{token}/details": Rule(FORM, form={"name": "青木 葵", "address": "千葉市"}),
            "POST /chiipochi/u/{token}/receipts": Rule(FORM, form={"year": "2025"}),
            "GET /chiipochi/u/{token}/receipts/{number}.pdf": Rule(ANYBODY),
            "GET /chiipochi/operator/receipts.csv": Rule(OPERATOR),
            "GET /chiipochi/operator/appeals": Rule(OPERATOR),
            "POST /chiipochi/operator/appeals": Rule(OPERATOR_FORM, form=appeal),
            "GET /chiipochi/operator/texts": Rule(OPERATOR),
            "POST /chiipochi/operator/texts": Rule(OPERATOR_FORM, form={"name": "help", "ja": "ヘルプ"}),
            "GET /chiipochi/operator/books": Rule(OPERATOR),
            "GET /chiipochi/operator/books.csv": Rule(OPERATOR),
            "POST /chiipochi/operator/books/sync": Rule(OPERATOR_FORM, form={}),
            "POST /chiipochi/operator/books/close": Rule(OPERATOR_FORM, form={"month": "2025-07"}),
            "GET /chiipochi/operator": Rule(OPERATOR),
            "GET /chiipochi/operator/donations.csv": Rule(OPERATOR),
            "GET /chiipochi/operator/donations.ndjson": Rule(OPERATOR),
            "POST /chiipochi/operator/ask": Rule(OPERATOR_FORM, form=order),
            "POST /chiipochi/operator/reconcile": Rule(OPERATOR_FORM, form={}),
            "POST /chiipochi/operator/repair": Rule(OPERATOR_FORM, form=day),
            "POST /chiipochi/operator/export": Rule(OPERATOR_FORM, form=day),
            "POST /chiipochi/operator/refund": Rule(OPERATOR_FORM, form=order),
            "POST /chiipochi/operator/refunded": Rule(OPERATOR_FORM, form=order),
            "POST /chiipochi/operator/twice": Rule(OPERATOR_FORM, form={"payment": "cs_second", "what": "refunded"}),
            "POST /chiipochi/webhook": Rule({"anonymous": 401, "user": 401, "operator": 401}, json={"events": []}),
            "POST /chiipochi/payments/{provider}": Rule({"anonymous": 400, "user": 400, "operator": 400}, json={}),
            "GET /chiipochi/api/days/{day}": Rule(ANYBODY),
            "GET /chiipochi/api/prefectures": Rule(ANYBODY),
            "GET /chiipochi/openapi.json": Rule(ANYBODY),
            "GET /chiipochi/docs": Rule(ANYBODY),
            "POST /chiipochi/u/{token}/forget": Rule({"anonymous": 303, "user": 303, "operator": 303}, form={}),
        }
        live = {"GET /chiipochi/live": Rule(ANYBODY), "GET /chiipochi/chat/live": Rule(SIGNED_IN)}
        named = {name.replace("{order}", "{token}"): rule for name, rule in {**matrix, **live}.items()}
        assert uncovered(client.app, "chiipochi", named) == []
        parameters = {
            "order": links.order_token(order_id_of(REN, waiting.created_at)),
            "token": links.my_token(AOI),
            "tx_id": url.rpartition("/")[2],
            "created_at": order_id_of(AOI, donation.created_at).partition("|")[2],
            "provider": "local",
            "number": "2025-000001",
            "language": "ja",
            "year": "2025",
            **day,
        }
        assert await deviations(matrix, actors, parameters) == []
        client.shell.connections.stopping.set()
        assert await deviations(live, actors, parameters) == []
