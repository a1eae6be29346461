"""The way from Discord to the pages."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest

from sekkei.web.testing import Client
from sekkei_fakes.discord import oauth
from sekkei_fakes.discord.discord import Fault
from sekkei_systems.eventbot.demo.guild import GUILD_ID, Person
from sekkei_systems.eventbot.ports.discord.oauth import OAuth
from sekkei_systems.eventbot.ports.discord.rest import Refused
from tests.systems.eventbot.conftest import AOI, RECRUIT, SOTA, Bot


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


# Sign-in by Discord: state, PKCE, one use, the same browser, and today's roles.


@pytest.fixture
async def guild(quick: Bot) -> Bot:
    await quick.service.guilds.change_settings(await quick.organiser(AOI), recruit_channel_id=RECRUIT)
    return quick


async def begun(client: Client) -> dict[str, str]:
    """What Discord is asked for."""
    answer = await client.get("/eventbot/discord/sign-in")
    assert answer.status == 303
    return dict(parse_qsl(urlsplit(answer.location or "").query))


async def said_yes(bot: Bot, asked: dict[str, str], person: Person) -> str:
    """The way back, once somebody has agreed."""
    await bot.local.prepare()
    to = await oauth.grant(bot.local, asked, person.id)
    assert to is not None
    found = urlsplit(to)
    return f"{found.path}?{found.query}"


async def test_an_organiser_signs_in_without_mail(guild: Bot) -> None:
    client = guild.client.another(address="10.0.0.9")
    assert "Discord でログイン" in (await client.get("/eventbot/")).text
    asked = await begun(client)
    assert asked["scope"] == "identify guilds"
    assert asked["code_challenge_method"] == "S256"
    back = await client.get(await said_yes(guild, asked, AOI))
    assert (back.status, back.location) == (303, f"/eventbot/guilds/{GUILD_ID}")
    assert (await client.get(f"/eventbot/guilds/{GUILD_ID}")).status == 200
    assert [id for id, _ in await guild.local.things("bearer")] == [], "the token was given back"
    again = guild.client.another(address="10.0.0.9")
    await again.get(await said_yes(guild, await begun(again), AOI))
    assert len(await accounts_of(guild, AOI)) == 1, "the same Discord user has the same account"


async def accounts_of(bot: Bot, person: Person) -> list[str]:
    found = await bot.service.desk.db.store.call("Scan", {"TableName": "OrganiserLinks"})
    return [one["account_id"]["S"] for one in found["Items"] if one["user_id"]["S"] == person.id]


async def test_whoever_may_not_organise_gets_nothing(guild: Bot) -> None:
    client = guild.client.another(address="10.0.0.9")
    back = await client.get(await said_yes(guild, await begun(client), SOTA))
    assert back.location == "/eventbot/"
    assert "主催できるサーバーが見つかりません" in (await client.get("/eventbot/")).text
    assert (await client.get(f"/eventbot/guilds/{GUILD_ID}")).status == 404


async def test_a_state_is_for_one_browser_and_one_time(guild: Bot) -> None:
    client, other = guild.client.another(address="10.0.0.9"), guild.client.another(address="10.0.0.8")
    back = await said_yes(guild, await begun(client), AOI)
    await begun(other)
    assert (await other.get(back)).status == 403, "somebody else's browser"
    assert (await client.get(back.replace("state=", "state=x"))).status == 403
    assert (await client.get(back)).status == 303
    assert (await client.get(back)).status == 403, "a second time"
    refused = await begun(client)
    assert (await client.get(f"/eventbot/discord/callback?error=access_denied&state={refused['state']}")).status == 403


async def test_codes_are_good_once_for_whoever_asked(guild: Bot) -> None:
    given: OAuth = _oauth(guild)
    asked = dict(parse_qsl(urlsplit(given.address("state", "v" * 64)).query))
    await guild.local.prepare()

    async def code() -> str:
        return dict(parse_qsl(urlsplit(await oauth.grant(guild.local, asked, AOI.id) or "").query))["code"]

    for wrong, verifier in (
        (given, "another"),
        (replace(given, secret="another"), "v" * 64),
        (replace(given, redirect="https://elsewhere.example"), "v" * 64),
    ):
        with pytest.raises(Refused):
            await wrong.identify(await code(), verifier)
    late = await code()
    guild.clock.advance(61)
    with pytest.raises(Refused):
        await given.identify(late, "v" * 64)
    good = await code()
    assert (await given.identify(good, "v" * 64)).guild_ids == (GUILD_ID,)
    with pytest.raises(Refused):
        await given.identify(good, "v" * 64)
    assert await oauth.grant(guild.local, {**asked, "redirect_uri": "https://elsewhere.example"}, AOI.id) is None


def _oauth(bot: Bot) -> OAuth:
    from sekkei_fakes.discord.end import APPLICATION, OWN_TOKEN

    [redirect] = bot.local.redirects
    return OAuth(bot.local.send, APPLICATION, OWN_TOKEN, "http://x/authorise", redirect, "DiscordBot (x)")


async def test_a_silent_discord_is_no_sign_in(guild: Bot) -> None:
    client = guild.client.another(address="10.0.0.9")
    back = await said_yes(guild, await begun(client), AOI)
    guild.local.faults.append(Fault("lost", 1, on="POST /oauth2/token"))
    assert (await client.get(back)).status == 429
