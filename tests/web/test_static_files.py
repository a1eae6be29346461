"""What travels as gzip."""

from __future__ import annotations

import gzip

import pytest

from sekkei.web.static_files import accepts
from sekkei.web.testing import Client, opened
from tests.web.example import SYSTEM

GZIP = {"Accept-Encoding": "gzip, deflate, br"}


async def both(client: Client, path: str) -> tuple[bytes, bytes]:
    plain, packed = await client.get(path), await client.get(path, headers=GZIP)
    assert plain.header("content-encoding") is None
    assert packed.header("content-encoding") == "gzip"
    assert packed.header("content-length") == str(len(packed.body))
    assert plain.header("vary") == packed.header("vary") == "Accept-Encoding"
    assert len(packed.body) < len(plain.body) / 2
    return plain.body, gzip.decompress(packed.body)


async def test_scripts_and_styles() -> None:
    async with opened(SYSTEM) as client:
        for name in ("app.css", "app.js"):
            plain, unpacked = await both(client, client.shell.static.url(name))
            assert plain == unpacked


async def test_pages_and_data() -> None:
    async with opened(SYSTEM) as client:
        assert (await both(client, "/sign-in"))[1].startswith(b"<!doctype html>")
        plain, unpacked = await both(client, "/example/openapi.json")
        assert plain == unpacked


async def test_small_answers_and_streams_stay_as_they_are() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        assert (await client.get("/healthz", headers=GZIP)).header("content-encoding") is None
        stream = await client.events("/example/live", 1, headers=GZIP)
        assert stream.header("content-encoding") is None
        assert stream.text.startswith("retry")


async def test_no_two_pages_write_the_token_alike_and_both_are_good() -> None:
    async with opened(SYSTEM) as client:
        await client.sign_in()
        first, second = await client.new_token(), await client.new_token()
        assert first != second
        for token in (first, second):
            assert (await client.post("/example/", {"text": token[:9]}, token=token)).status == 303
        forged = second[:-1] + ("0" if second[-1] != "0" else "1")
        assert (await client.post("/example/", {"text": "x"}, token=forged)).status == 403


@pytest.mark.parametrize(
    ("header", "good"),
    [("gzip", True), ("br, GZIP;q=0.5", True), ("*", True), ("gzip;q=0", False), ("gzip; q=0.0", False), ("", False)],
)
def test_who_takes_it(header: str, good: bool) -> None:
    assert accepts(header) is good
