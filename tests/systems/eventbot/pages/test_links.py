"""The way from Discord to the pages."""

from __future__ import annotations

from sekkei_systems.eventbot.demo.guild import GUILD_ID, RECRUIT
from tests.systems.eventbot.conftest import AOI, SOTA, Bot


async def test_a_link_from_discord_opens_the_pages_once_it_is_accepted(quick: Bot) -> None:
    said = await quick.app.command(AOI, RECRUIT, "event web", {})
    content = said.response["data"]["content"]
    token = content.partition("token=")[2].partition(">")[0]
    assert token
    refused = await quick.app.command(SOTA, RECRUIT, "event web", {})
    assert "token=" not in str(refused.response)
    client = quick.client
    await client.sign_in("demo-yui")
    assert (await client.get(f"/eventbot/guilds/{GUILD_ID}")).status == 404
    assert (
        await client.post("/eventbot/link", {"token": token[:-1] + ("0" if token[-1] != "0" else "1")})
    ).status == 403
    accepted = await client.post("/eventbot/link", {"token": token})
    assert accepted.status == 303
    assert (await client.get(accepted.location)).status == 200
    quick.clock.advance(601)
    assert (await client.post("/eventbot/link", {"token": token})).status == 403
