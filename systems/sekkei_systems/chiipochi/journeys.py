"""What a donor does on LINE (`sekkei measure chiipochi --journeys`)."""

from __future__ import annotations

from typing import Any

import orjson

from sekkei.runtime.transports.line import signature
from sekkei.web.journeys import Journeys, Traveller
from sekkei_systems.chiipochi.design import history_of_user
from sekkei_systems.chiipochi.local import line_id
from sekkei_systems.chiipochi.ports.line import local_secret
from sekkei_systems.chiipochi.service import Service
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM

JOURNEYS = Journeys(SYSTEM, leave_out=("chat_log", "local_payments"))
"""LINE keeps its own chats and Stripe its own payments; the local ones stand in for them. The local Stripe's news
travels through our own outbox, so that paying costs one message too many here."""
PERSON = "demo-aoi"


@JOURNEYS.begin
async def arrive(me: Traveller) -> None:
    await me.sign_in(PERSON)
    me.memory["user"] = line_id(PERSON)
    me.memory["mine"] = (await me.get("/chiipochi/me")).location


def _service(me: Traveller) -> Service:
    service: Service = me.client.shell.deployment.systems["chiipochi"].parts.service
    return service


async def _says(me: Traveller, words: str) -> None:
    number = me.clock.uuid()
    event: dict[str, Any] = {
        "type": "message",
        "mode": "active",
        "timestamp": int(me.clock.now() * 1000),
        "source": {"type": "user", "userId": me.memory["user"]},
        "webhookEventId": number,
        "deliveryContext": {"isRedelivery": False},
        "replyToken": number.replace("-", ""),
        "message": {"id": number, "type": "text", "text": words, "quoteToken": "q"},
    }
    body = orjson.dumps({"destination": "U" + "0" * 32, "events": [event]})
    signed = signature(local_secret(me.client.shell.settings), body)
    await me.send("/chiipochi/webhook", body, {"content-type": "application/json", "x-line-signature": signed})
    await _service(me).inbox.finish()


@JOURNEYS.journey
async def asks_for_the_menu(me: Traveller) -> None:
    """Send a message and be answered."""
    await _says(me, "メニュー")


@JOURNEYS.journey
async def names_a_speciality(me: Traveller) -> None:
    """Name a speciality and be asked whether to donate."""
    await _says(me, "ピーナッツ")


@JOURNEYS.journey
async def says_yes(me: Traveller) -> None:
    """Say yes and get a link to pay."""
    await _says(me, "はい")


@JOURNEYS.journey
async def pays(me: Traveller) -> None:
    """Follow the link and pay; totals, the stamp, books and thanks follow from it."""
    donation = await me.client.shell.deployment.systems["chiipochi"].context.db.first(
        history_of_user(me.memory["user"]).consistent()
    )
    assert donation is not None
    token = _service(me).links.order_token(order_id_of(donation.user_id, donation.created_at))
    page = (await me.get(f"/chiipochi/pay/{token}")).location
    await me.post(page[page.index("/chiipochi/") :], {"decision": "approve"})


@JOURNEYS.journey
async def opens_my_page(me: Traveller) -> None:
    """Look at one's stamps and donations."""
    await me.get(me.memory["mine"])


@JOURNEYS.journey
async def opens_the_board(me: Traveller) -> None:
    """Look at the day's total, open to everybody."""
    await me.get("/chiipochi/")
