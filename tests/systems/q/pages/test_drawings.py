"""Pictures of one's own: the code to be found by, and the card of an answer."""

from __future__ import annotations

from xml.etree import ElementTree

from sekkei.web.testing import Client
from sekkei_systems.q.rules import cards
from tests.systems.q.conftest import World

SVG = "{http://www.w3.org/2000/svg}"


async def test_the_code_leads_to_the_owner(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi")
    drawn = await client.get("/q/code.svg")
    assert drawn.header("content-type") == "image/svg+xml"
    assert drawn.body == cards.code(f"{client.shell.settings.public_url}/q/#/id/demo_aoi_id")
    assert drawn.body != cards.code(f"{client.shell.settings.public_url}/q/#/id/demo_ren_id")


async def test_a_card_of_ones_own_answer_only(site: tuple[Client, World]) -> None:
    client, world = site
    await client.sign_in("demo-aoi")
    await world.join("demo-aoi", "author")
    await world.follow(("demo-aoi", "author"))
    day = (await world.ask("<好きな & 色>は？")).day
    await world.answer("author", "ほかの人")
    assert (await client.get(f"/q/cards/{day}.svg")).status == 404
    await world.answer("demo-aoi", "赤 <b>&amp;</b> 青")
    reply = await client.get(f"/q/cards/{day}.svg")
    drawn = ElementTree.fromstring(reply.body)
    words = "".join(one.text or "" for one in drawn.iter(f"{SVG}text"))
    assert "<好きな & 色>は？" in words
    assert "赤 <b>&amp;</b> 青" in words.replace("\u3000", " ")
    assert (await client.get("/q/cards/yesterday.svg")).status == 404
    await world.service.answers.delete("demo-aoi", day)
    assert (await client.get(f"/q/cards/{day}.svg")).status == 404
