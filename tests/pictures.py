"""The pictures of docs/console.md: `make renew WHAT=pictures`, or `python -m tests.pictures [FOLDER]`.

On the tasks' demo data, on a design of one's own with made-up items, and on a table without any design.
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.async_api import expect

from examples.online_shop import design
from sekkei.advice.sample_data import furnished
from sekkei.store import Embedded
from sekkei.store.protocol import Store
from sekkei.store.read_only import ReadOnly
from sekkei.web.console.target import Looked
from sekkei_systems.tasks.system import SYSTEM
from tests.browser import PHONE, Serve, Site, Windows, chromium_open, serving

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
DESKTOP = {"width": 1180, "height": 780}
TABLET = {"width": 820, "height": 1000}
ORDER = "o%23order_id-000000000000"
SHOP = "/console/tables/OnlineShop"
LINE = {"PK": {"S": "o#order_id-000000000000"}, "SK": {"S": "p#product_id-000000000000"}}


class Picture(NamedTuple):
    name: str
    site: str
    path: str
    size: dict[str, int] = DESKTOP
    scheme: str = "light"
    language: str = "en"
    at: str = "h1"
    """What stands at the top of the picture."""


PICTURES = [
    Picture("run", "tasks", "/console/patterns/tasks/members_of?go=1&team_id={team}", at="form.card"),
    Picture("collection", "shop", f"{SHOP}?key={ORDER}", at=".came"),
    Picture("explore", "shop", f"{SHOP}?index=GSI1&attr=quantity&is=ge&value=3", language="ja", at="form.ask"),
    Picture("item", "shop", f"{SHOP}/item?key={ORDER}&sort={ORDER}"),
    Picture(
        "history",
        "shop",
        f"{SHOP}/history?key={ORDER}&sort=p%23product_id-000000000000",
        TABLET,
    ),
    Picture("live", "shop", f"{SHOP}/changes", language="ja"),
    Picture("map", "shop", "/console/designs/online-shop/map?pattern=whole_order", at=".map"),
    Picture(
        "map-dark", "tasks", "/console/designs/tasks/map?pattern=members_of", scheme="dark", language="ja", at=".map"
    ),
    Picture(
        "cost",
        "tasks",
        "/console/designs/tasks/map?pattern=every_task&rate=5k/s&users=10k&spread=zipf&heat=1",
        at="#cost",
    ),
    Picture("bare", "bare", "/console/tables/sensors?attr=reading.celsius&is=gt&value=20", TABLET, at="form.ask"),
    Picture("phone", "shop", f"{SHOP}?key={ORDER}", PHONE, "dark", "ja", ".came"),
]


async def shop() -> Looked:
    """With a stream and recovery, and a line of an order that changed twice."""
    store = await furnished(design, "dev")
    asked = {"PointInTimeRecoveryEnabled": True}
    await store.call("UpdateContinuousBackups", {"TableName": "OnlineShop", "PointInTimeRecoverySpecification": asked})
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    await store.call("UpdateTable", {"TableName": "OnlineShop", "StreamSpecification": stream})
    for quantity in ("3", "7"):
        values = {":n": {"N": quantity}}
        update = {"UpdateExpression": "SET quantity = :n", "ExpressionAttributeValues": values}
        await store.call("UpdateItem", {"TableName": "OnlineShop", "Key": LINE, **update})
    return Looked(ReadOnly(store), {"online-shop": design}, "dev", ":memory:", alone=True, sampled=True)


async def bare() -> Looked:
    """A table of which no design tells anything."""
    store: Store = Embedded()
    await store.call(
        "CreateTable",
        {
            "TableName": "sensors",
            "KeySchema": [
                {"AttributeName": "device", "KeyType": "HASH"},
                {"AttributeName": "at", "KeyType": "RANGE"},
            ],
            "AttributeDefinitions": [
                {"AttributeName": "device", "AttributeType": "S"},
                {"AttributeName": "at", "AttributeType": "N"},
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for number in range(24):
        reading = {"celsius": {"N": f"{18 + number % 7}.5"}, "humid": {"BOOL": number % 3 == 0}}
        item: dict[str, Any] = {
            "device": {"S": f"hall/{number % 3}"},
            "at": {"N": str(1_763_200_000 + number * 600)},
            "reading": {"M": reading},
            "tags": {"SS": ["roof", "north"]},
        }
        await store.call("PutItem", {"TableName": "sensors", "Item": item})
    return Looked(ReadOnly(store), {}, "dev", ":memory:", alone=True)


@asynccontextmanager
async def sites(serve: Serve) -> AsyncIterator[dict[str, Site]]:
    looked = {"shop": await shop(), "bare": await bare()}
    yield {
        "tasks": await serve(SYSTEM, demo=True),
        **{name: await serve(looked=one) for name, one in looked.items()},
    }
    for one in looked.values():
        await one.store.close()


async def shoot(windows: Windows, site: Site, picture: Picture, team: str, folder: Path) -> None:
    page = await windows.window(picture.size, color_scheme=picture.scheme, device_scale_factor=1)
    path = picture.path.format(team=team)
    await page.goto(f"{site.url}{path}{'&' if '?' in path else '?'}lang={picture.language}")
    await expect(page.locator("html")).to_be_visible()
    await expect(page.locator("progress")).to_have_count(0)
    await page.locator(picture.at).first.evaluate("one => scrollBy(0, one.getBoundingClientRect().top - 76)")
    taken = await page.screenshot(animations="disabled")
    Image.open(io.BytesIO(taken)).save(folder / f"console-{picture.name}.webp", quality=82, method=6)


async def main(folder: Path) -> None:
    async with serving() as serve, chromium_open() as windows, sites(serve) as known:
        client = known["tasks"].client.another()
        await client.sign_in("demo-aoi")
        team = (await client.json("GET", "/tasks/api/teams")).json()["items"][0]["id"]
        for picture in PICTURES:
            await shoot(windows, known[picture.site], picture, team, folder)
        if windows.problems:
            raise SystemExit("\n".join(windows.problems))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
