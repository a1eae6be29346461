"""Rich menus and the webhook's address at LINE's counterpart, judged by LINE's own SDK."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from linebot.v3.messaging import (
    ApiClient,
    Configuration,
    CreateRichMenuAliasRequest,
    MessagingApi,
    MessagingApiBlob,
    RichMenuRequest,
    SetWebhookEndpointRequest,
    UpdateRichMenuAliasRequest,
)
from linebot.v3.messaging import TestWebhookEndpointRequest as WebhookTest
from linebot.v3.messaging.exceptions import ApiException
from PIL import Image

from sekkei.clock import ManualClock
from sekkei.runtime.transports.line import signature
from sekkei_fakes import line_menus, served
from sekkei_fakes.line import DATA, LineCounterpart
from sekkei_fakes.line_menu_rules import problems
from tests.runtime.servers import http_server

AOI = "U" + "a" * 32
MENU: dict[str, Any] = {
    "size": {"width": 800, "height": 270},
    "selected": False,
    "name": "menu",
    "chatBarText": "メニュー",
    "areas": [
        {
            "bounds": {"x": 0, "y": 0, "width": 800, "height": 270},
            "action": {"type": "message", "label": "寄付する", "text": "寄付する"},
        }
    ],
}


def drawn(kind: str = "PNG", width: int = 800, height: int = 270) -> bytes:
    found = io.BytesIO()
    Image.new("RGB", (width, height)).save(found, kind)
    return found.getvalue()


class Channel:
    """LINE's SDK, in front of a served counterpart."""

    def __init__(self, line: LineCounterpart, url: str) -> None:
        self.line = line
        self.bot = MessagingApi(ApiClient(Configuration(host=url, access_token="line-token")))
        self.data = MessagingApiBlob(ApiClient(Configuration(host=url + DATA, access_token="line-token")))
        self.wrong = MessagingApiBlob(ApiClient(Configuration(host=url, access_token="line-token")))

    async def do(self, call: Callable[..., Any], *given: Any, **named: Any) -> Any:
        return await asyncio.to_thread(call, *given, **named)

    async def refused(self, call: Callable[..., Any], *given: Any, **named: Any) -> tuple[int, str]:
        with pytest.raises(ApiException) as caught:
            await self.do(call, *given, **named)
        body = orjson.loads(caught.value.body)
        details = "".join(f"; {one['property']}: {one['message']}" for one in body.get("details", []))
        return caught.value.status, body["message"] + details

    async def menu(self, picture: bytes | None = None) -> str:
        id: str = (await self.do(self.bot.create_rich_menu, RichMenuRequest.from_dict(MENU))).rich_menu_id
        if picture is not None:
            await self.upload(id, picture)
        return id

    async def upload(self, id: str, picture: bytes, kind: str = "image/png") -> Any:
        return await self.do(self.data.set_rich_menu_image, id, picture, _headers={"Content-Type": kind})


@pytest.fixture
async def channel() -> Iterator[Channel]:  # type: ignore[misc]
    line = LineCounterpart(ManualClock(), secret="secret")
    line.befriend(AOI)
    async with served.serve(line) as end:
        yield Channel(line, end.url)


async def test_a_menu_is_made_given_a_picture_shown_and_removed(channel: Channel) -> None:
    id = await channel.menu()
    unready = await channel.refused(channel.bot.set_default_rich_menu, id)
    assert unready == (400, "must upload richmenu image before applying it to user")
    await channel.upload(id, drawn())
    assert bytes(await channel.do(channel.data.get_rich_menu_image, id)) == drawn()
    await channel.do(channel.bot.set_default_rich_menu, id)
    assert (await channel.do(channel.bot.get_default_rich_menu_id)).rich_menu_id == id
    (listed,) = (await channel.do(channel.bot.get_rich_menu_list)).richmenus
    assert listed.to_dict()["areas"] == MENU["areas"]
    assert (await channel.do(channel.bot.get_rich_menu, id)).chat_bar_text == "メニュー"
    await channel.do(channel.bot.delete_rich_menu, id)
    assert await channel.refused(channel.bot.delete_rich_menu, id) == (404, "Not found")
    assert await channel.refused(channel.bot.get_default_rich_menu_id) == (404, "no default richmenu")


async def test_pictures_must_be_as_line_wants_them_and_go_to_its_other_address(channel: Channel) -> None:
    id = await channel.menu()
    for picture, kind, refusal in (
        (drawn(), "image/gif", (415, "The content type, image/gif, is not supported")),
        (drawn(), "image/jpeg", (400, "The image size is not allowed for richmenu")),
        (drawn(width=1_200), "image/png", (400, "The image size is not allowed for richmenu")),
        (drawn() + b"\0" * 1024 * 1024, "image/png", (400, "The image size is not allowed for richmenu")),
    ):
        upload = channel.data.set_rich_menu_image
        assert await channel.refused(upload, id, picture, _headers={"Content-Type": kind}) == refusal
    assert await channel.refused(channel.data.get_rich_menu_image, id) == (404, "Not found")
    png = {"Content-Type": "image/png"}
    assert (await channel.refused(channel.wrong.set_rich_menu_image, id, drawn(), _headers=png))[0] == 404
    await channel.upload(id, drawn("JPEG"), "image/jpeg")
    again = await channel.refused(channel.data.set_rich_menu_image, id, drawn(), _headers=png)
    assert again == (400, "An image has already been uploaded to the richmenu")


@pytest.mark.parametrize(
    ("change", "property"),
    [
        ({"name": None}, "name"),
        ({"name": "x" * 301}, "name"),
        ({"chatBarText": "x" * 15}, "chatBarText"),
        ({"selected": "yes"}, "selected"),
        ({"size": {"width": 2_501, "height": 1_000}}, "size"),
        ({"size": {"width": 800, "height": 249}}, "size"),
        ({"size": {"width": 800, "height": 600}}, "size"),
        ({"areas": MENU["areas"] * 21}, "areas"),
        ({"areas": [{"bounds": MENU["areas"][0]["bounds"]}]}, "areas[0].action"),
        ({"areas": [{**MENU["areas"][0], "bounds": {"x": -1, "y": 0, "width": 1, "height": 1}}]}, "areas[0].bounds.x"),
    ],
)
def test_a_menu_that_line_would_refuse(change: dict[str, Any], property: str) -> None:
    assert [name for name, _ in problems({**MENU, **change})] == [property]
    assert problems(MENU) == []


@pytest.mark.parametrize(
    ("action", "property"),
    [
        ({"type": "camera", "label": "x"}, "type"),
        ({"type": "message", "text": "x" * 301}, "text"),
        ({"type": "message", "text": "x", "label": "x" * 21}, "label"),
        ({"type": "uri", "uri": "javascript:alert(1)"}, "uri"),
        ({"type": "uri", "uri": "https://"}, "uri"),
        ({"type": "postback", "data": "x", "text": "a", "displayText": "b"}, "displayText"),
        ({"type": "postback", "data": "x", "fillInText": "a"}, "fillInText"),
        ({"type": "datetimepicker", "data": "x", "mode": "year"}, "mode"),
        ({"type": "richmenuswitch", "data": "x", "richMenuAliasId": "Ä"}, "richMenuAliasId"),
        ({"type": "clipboard", "clipboardText": ""}, "clipboardText"),
    ],
)
def test_an_action_that_line_would_refuse(action: dict[str, Any], property: str) -> None:
    found = problems({**MENU, "areas": [{**MENU["areas"][0], "action": action}]})
    assert [name for name, _ in found] == [f"areas[0].action.{property}"]


async def test_line_names_everything_that_is_wrong(channel: Channel) -> None:
    wanted = RichMenuRequest.from_dict({**MENU, "name": "", "size": {"width": 1, "height": 1}})
    status, words = await channel.refused(channel.bot.validate_rich_menu_object, wanted)
    assert (status, words.startswith("The request body has 2 error(s); size: ")) == (400, True)
    assert channel.line.menus.menus == {}


async def test_aliases(channel: Channel) -> None:
    first, second, bare = await channel.menu(drawn()), await channel.menu(drawn()), await channel.menu()
    make = channel.bot.create_rich_menu_alias

    def wanted(id: str, alias: str = "tab-a") -> CreateRichMenuAliasRequest:
        return CreateRichMenuAliasRequest(richMenuAliasId=alias, richMenuId=id)

    assert await channel.refused(make, wanted(bare)) == (400, "richmenu not found")
    assert (await channel.refused(make, wanted("x")))[1].endswith("richMenuId: invalid richMenuId")
    await channel.do(make, wanted(first))
    assert await channel.refused(make, wanted(second)) == (400, "conflict richmenu alias id")
    await channel.do(channel.bot.update_rich_menu_alias, "tab-a", UpdateRichMenuAliasRequest(richMenuId=second))
    assert (await channel.do(channel.bot.get_rich_menu_alias, "tab-a")).rich_menu_id == second
    assert len((await channel.do(channel.bot.get_rich_menu_alias_list)).aliases) == 1
    await channel.do(channel.bot.delete_rich_menu_alias, "tab-a")
    assert await channel.refused(channel.bot.get_rich_menu_alias, "tab-a") == (404, "richmenu alias not found")


async def test_one_may_have_a_menu_of_their_own(channel: Channel) -> None:
    id, stranger = await channel.menu(drawn()), "U" + "b" * 32
    for user in (AOI, stranger):
        await channel.do(channel.bot.link_rich_menu_id_to_user, user, id)
    assert (await channel.do(channel.bot.get_rich_menu_id_of_user, AOI)).rich_menu_id == id
    nobody = await channel.refused(channel.bot.get_rich_menu_id_of_user, stranger)
    assert nobody == (404, "the user has no richmenu")
    assert (await channel.refused(channel.bot.link_rich_menu_id_to_user, "aoi", id))[0] == 400
    await channel.do(channel.bot.unlink_rich_menu_id_from_user, AOI)
    assert channel.line.menus.shown_to(AOI) is None


async def test_there_is_a_most_of_menus_and_of_haste(channel: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_menus, "MENUS_MAX", 1)
    await channel.menu()
    assert (await channel.refused(channel.bot.create_rich_menu, RichMenuRequest.from_dict(MENU)))[0] == 400
    for _ in range(98):
        with pytest.raises(line_menus.Refused):
            channel.line.menus.create(MENU)
    assert (await channel.refused(channel.bot.create_rich_menu, RichMenuRequest.from_dict(MENU)))[0] == 429
    channel.line._clock.advance(3_601)  # type: ignore[attr-defined]
    assert (await channel.refused(channel.bot.create_rich_menu, RichMenuRequest.from_dict(MENU)))[0] == 400


async def test_the_webhooks_address_is_set_told_and_tried(channel: Channel) -> None:
    told = channel.bot.get_webhook_endpoint
    assert await channel.refused(told) == (404, "Webhook endpoint not found")
    assert (await channel.refused(channel.bot.test_webhook_endpoint))[0] == 404
    with pytest.raises(line_menus.Refused):
        channel.line.endpoint.set({"endpoint": "https://example.com/" + "x" * 500})
    for wrong in ("http://example.com/hook", "nonsense"):
        wanted = SetWebhookEndpointRequest(endpoint=wrong)
        assert await channel.refused(channel.bot.set_webhook_endpoint, wanted) == (400, "Invalid webhook endpoint URL")
    async with http_server((200, {}, {}), (401, {}, {})) as bot:
        await channel.do(channel.bot.set_webhook_endpoint, SetWebhookEndpointRequest(endpoint=f"{bot.url}/hook"))
        assert (await channel.do(told)).to_dict() == {"endpoint": f"{bot.url}/hook", "active": True}
        found = await channel.do(channel.bot.test_webhook_endpoint)
        assert (found.success, found.status_code, found.reason, found.detail) == (True, 200, "OK", "200")
        other = await channel.do(channel.bot.test_webhook_endpoint, WebhookTest(endpoint=bot.url))
        assert (other.success, other.status_code, other.reason) == (False, 401, "ERROR_STATUS_CODE")
        url = bot.url
    first = bot.received[0]
    assert (first.path, first.json["events"]) == ("/hook", [])
    assert first.headers["x-line-signature"] == signature(b"secret", first.body)
    gone = await channel.do(channel.bot.test_webhook_endpoint, WebhookTest(endpoint=url))
    assert (gone.success, gone.status_code, gone.reason) == (False, 0, "COULD_NOT_CONNECT")


async def test_a_new_address_is_called_after_a_minute(channel: Channel) -> None:
    async with http_server(*[(200, {}, {})] * 4) as bot:
        for path in ("old", "new"):
            await channel.do(channel.bot.set_webhook_endpoint, SetWebhookEndpointRequest(endpoint=f"{bot.url}/{path}"))
        assert (await channel.do(channel.bot.get_webhook_endpoint)).endpoint == f"{bot.url}/new"
        await channel.do(channel.bot.test_webhook_endpoint)
        await channel.do(channel.bot.test_webhook_endpoint, WebhookTest(endpoint=f"{bot.url}/new"))
        channel.line._clock.advance(60)  # type: ignore[attr-defined]
        await channel.do(channel.bot.test_webhook_endpoint)
    assert [one.path for one in bot.received] == ["/old", "/new", "/new"]


async def test_a_webhook_that_does_not_answer_is_a_timeout(channel: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object) -> int:
        return await asyncio.Event().wait()  # type: ignore[return-value]

    monkeypatch.setattr("sekkei_fakes.line_webhook.ANSWER_SECONDS", 0.0)
    channel.line.endpoint.post = never
    found = await channel.line.endpoint.test({"endpoint": "http://127.0.0.1:1/"}, b"{}", {})
    assert found["reason"] == "REQUEST_TIMEOUT"


async def test_the_bot_is_told_who_it_is(channel: Channel) -> None:
    found = await channel.do(channel.bot.get_bot_info)
    assert (found.basic_id[0], found.chat_mode, found.mark_as_read_mode) == ("@", "bot", "auto")
