"""Expo's counterpart, and the real transport in front of it."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from sekkei.clock import ManualClock
from sekkei.runtime.design import Message
from sekkei.runtime.http import Http
from sekkei.runtime.outbox import Rejected, Undeliverable
from sekkei.runtime.transports.expo import DeviceGone, Expo
from sekkei_fakes.expo import PATH, ExpoCounterpart
from sekkei_fakes.served import serve
from tests.runtime.test_transports import message

ANN, BEN = "ExponentPushToken[ann]", "ExpoPushToken[ben]"
HEADERS = {"content-type": "application/json", "authorization": "Bearer token"}


def push(to: str, **body: Any) -> Message:
    return message(to=to, **{"title": "Q.", "body": "今日の質問", **body})


@dataclass(frozen=True, slots=True)
class Town:
    clock: ManualClock
    service: ExpoCounterpart
    expo: Expo
    url: str

    async def asked(self, path: str, content: Any, **headers: str) -> tuple[int, Any]:
        answer = await self.service.answer("POST", PATH + path, {**HEADERS, **headers}, orjson.dumps(content))
        body = orjson.loads(answer.body)
        return answer.status, body.get("data") if answer.status == 200 else body["errors"][0]["code"]


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    clock = ManualClock()
    service = ExpoCounterpart(clock, "token")
    async with serve(service) as served:
        http = Http()
        yield Town(clock, service, Expo(served.url + PATH, "token", http, clock), served.url)
        http.close()


async def test_a_ticket_at_once_and_a_receipt_later(town: Town) -> None:
    phone = town.service.install(ANN)
    ticket = await town.expo.send(push(ANN))
    assert [one["body"] for one in phone.shown] == ["今日の質問"]
    assert await town.expo.receipts([ticket]) == {}
    town.clock.advance(60)
    assert await town.expo.receipts([ticket, "another"]) == {ticket: {"status": "ok"}}
    town.clock.advance(24 * 3600)
    assert await town.expo.receipts([ticket]) == {}


async def test_a_phone_that_lost_the_app_is_found_out_by_a_receipt(town: Town) -> None:
    phone = town.service.install(ANN)
    town.service.uninstall(phone)
    ticket = await town.expo.send(push(ANN))
    town.clock.advance(60)
    assert (await town.expo.receipts([ticket]))[ticket]["details"]["error"] == "DeviceNotRegistered"
    with pytest.raises(DeviceGone):
        await town.expo.send(push(ANN))
    town.service.install(ANN)
    await town.expo.send(push(ANN))
    assert len(phone.shown) == 1


async def test_one_that_is_not_known_keeps_no_other_back(town: Town) -> None:
    phone = town.service.install(BEN)
    found = await town.expo.send_many([push(ANN), push(BEN), push("not a token")])
    assert isinstance(found[0], DeviceGone)
    assert isinstance(found[1], str)
    assert isinstance(found[2], DeviceGone)
    assert len(phone.shown) == 1


async def test_many_go_in_one_request_and_gzipped(town: Town) -> None:
    phones = [town.service.install(f"ExponentPushToken[{number}]") for number in range(130)]
    found = await asyncio.gather(*(town.expo.send(push(phone.token)) for phone in phones))
    assert len(set(found)) == 130
    assert all(len(phone.shown) == 1 for phone in phones)


async def test_what_is_refused_as_a_whole(town: Town) -> None:
    town.service.install(ANN), town.service.install(BEN, "@somebody/else")
    refusals = {
        "VALIDATION_ERROR": [
            {"to": ANN, "colour": "red"},
            {"body": "nobody"},
            {"to": ANN, "priority": "urgent"},
            ["x"],
        ],
        "PUSH_TOO_MANY_NOTIFICATIONS": [[{"to": ANN}] * 101, {"to": [ANN] * 101}, []],
        "PUSH_TOO_MANY_EXPERIENCE_IDS": [[{"to": ANN}, {"to": BEN}]],
    }
    for code, contents in refusals.items():
        for content in contents:
            assert await town.asked("/send", content) == (400, code), content
    assert await town.asked("/getReceipts", {"ids": ["x"] * 1001}) == (400, "PUSH_TOO_MANY_RECEIPTS")
    assert await town.asked("/getReceipts", ["x"]) == (400, "VALIDATION_ERROR")
    assert await town.asked("/send", {"to": ANN}, **{"content-type": "text/plain"}) == (400, "VALIDATION_ERROR")
    assert await town.asked("/send", {"to": ANN}, authorization="Bearer another") == (401, "UNAUTHORIZED")
    assert town.service.phones[ANN].shown == []


async def test_one_bad_message_is_given_up_and_the_rest_goes(town: Town) -> None:
    phone = town.service.install(ANN)
    found = await town.expo.send_many([push(ANN), push(ANN, colour="red")])
    assert isinstance(found[0], str)
    assert isinstance(found[1], Undeliverable)
    assert len(phone.shown) == 1


async def test_six_hundred_a_second(town: Town) -> None:
    town.service.install(ANN)
    for _ in range(6):
        assert (await town.asked("/send", [{"to": ANN}] * 100))[0] == 200
    assert await town.asked("/send", {"to": ANN}) == (429, "TOO_MANY_REQUESTS")
    town.clock.advance(1)
    assert (await town.asked("/send", {"to": ANN}))[0] == 200


async def test_a_payload_above_four_kibibytes_is_told_by_the_receipt(town: Town) -> None:
    town.service.install(ANN)
    _, ticket = await town.asked("/send", {"to": ANN, "body": "x" * 4_096})
    town.clock.advance(60)
    _, receipts = await town.asked("/getReceipts", {"ids": [ticket["id"]]})
    assert receipts[ticket["id"]]["details"]["error"] == "MessageTooBig"


async def test_a_wrong_token_rings_the_operator(town: Town) -> None:
    town.service.install(ANN)
    http = Http()
    with pytest.raises(Rejected):
        await Expo(town.url + PATH, "another", http, town.clock).send(push(ANN))
    http.close()


async def test_answers_are_zipped_for_whoever_takes_them(town: Town) -> None:
    answer = await town.service.answer("POST", PATH + "/send", {**HEADERS, "accept-encoding": "gzip"}, b"[]")
    assert orjson.loads(gzip.decompress(answer.body))["errors"][0]["code"] == "PUSH_TOO_MANY_NOTIFICATIONS"
