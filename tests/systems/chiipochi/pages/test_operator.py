"""The operator gives money back."""

from __future__ import annotations

from sekkei.clock import ManualClock
from sekkei.web.testing import opened, test_settings
from sekkei_systems.chiipochi.service.donations import order_id_of
from sekkei_systems.chiipochi.system import SYSTEM
from tests.systems.chiipochi.conftest import AOI, Bot


async def test_the_operator_gives_money_back(clock: ManualClock) -> None:
    settings = test_settings(demo=False, values={"operators": "aoi@demo.example"})
    async with opened(SYSTEM, clock=clock, settings=settings) as client:
        bot = Bot(client, clock)
        donation = await bot.donate("ピーナッツ 500")
        await client.sign_in("demo-aoi")
        for wanted in (donation.tx_id, AOI, order_id_of(AOI, donation.created_at)):
            page = (await client.get(f"/chiipochi/operator?find={wanted}")).text
            assert "/chiipochi/operator/refund" in page
            assert "data-confirm" in page
        assert "見つかりませんでした" in (await client.get("/chiipochi/operator?find=nobody")).text
        order = {"order": order_id_of(AOI, donation.created_at)}
        assert (await client.post("/chiipochi/operator/refund", form=order)).status == 303
        await bot.work()
        page = (await client.get(f"/chiipochi/operator?find={AOI}")).text
        assert "返金済み" in page
        assert (donation.tx_id or "").replace("cs_", "re_") in page
        token = bot.service.links.my_token(AOI)
        assert "返金済み" in (await client.get(f"/chiipochi/u/{token}")).text
        created_at = order["order"].partition("|")[2]
        assert "返金されたため" in (await client.get(f"/chiipochi/u/{token}/receipt/{created_at}")).text
        assert "返金しました" in str((await bot.sent("refunded/"))[0].body)
