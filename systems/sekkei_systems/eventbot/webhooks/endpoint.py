"""`POST /eventbot/interactions`: Discord's way in. The signature over the raw bytes comes first."""

from __future__ import annotations

import logging

import orjson
from starlette.requests import Request
from starlette.responses import Response

from sekkei.web import Pages
from sekkei.web.csrf import body_limit
from sekkei_systems.eventbot.ports.discord.signature import SIGNATURE_HEADER, TIMESTAMP_HEADER, Verifier
from sekkei_systems.eventbot.refusals import Repeated
from sekkei_systems.eventbot.service import Desk
from sekkei_systems.eventbot.webhooks.desk import InteractionDesk
from sekkei_systems.eventbot.webhooks.incoming import BadInteraction, read

log = logging.getLogger("sekkei_systems.eventbot.webhooks.endpoint")
pages = Pages()

BODY_BYTES_MAX = 256 * 1024


@pages.webhook("/interactions", name="interactions")
@body_limit(BODY_BYTES_MAX)
async def receive(request: Request, desk: Desk, verifier: Verifier, interactions: InteractionDesk) -> Response:
    body = await request.body()
    signature, timestamp = request.headers.get(SIGNATURE_HEADER), request.headers.get(TIMESTAMP_HEADER)
    if not verifier.verify(signature, timestamp, body, desk.clock.now()):
        return Response("invalid request signature", 401, media_type="text/plain")
    try:
        interaction = read(body)
    except BadInteraction as bad:
        return Response(str(bad), 400, media_type="text/plain")
    try:
        answer = await interactions.answer(interaction)
    except Repeated:
        # Discord sends an interaction once. Whoever sends it again has recorded it.
        log.warning("an interaction came twice", extra={"interaction": interaction.id})
        return Response("this interaction has been handled", 409, media_type="text/plain")
    return Response(orjson.dumps(answer), media_type="application/json")
