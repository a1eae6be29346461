"""Compressed requests and answers."""

from __future__ import annotations

import gzip
import zlib

import orjson
import pytest

from tests.wire.client import Client, post
from tests.wire.conftest import FakeEngine

BODY = orjson.dumps({"TableName": "t"})


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(BODY, mtime=0)),
        ("GZIP", gzip.compress(BODY[:5], mtime=0) + gzip.compress(BODY[5:], mtime=0)),
        ("deflate", zlib.compress(BODY)),
    ],
)
async def test_a_compressed_request_is_understood(
    client: Client, engine: FakeEngine, encoding: str, body: bytes
) -> None:
    reply = await client.ask(post("GetItem", body, headers={"Content-Encoding": encoding}))
    assert reply.status == 200
    assert engine.calls == [("GetItem", {"TableName": "t"})]


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", BODY),
        ("gzip", gzip.compress(BODY, mtime=0)[:-1]),
        ("gzip", gzip.compress(BODY, mtime=0) + b"junk"),
        ("deflate", gzip.compress(BODY, mtime=0)),
        ("br", BODY),
    ],
)
async def test_a_broken_one_changes_nothing(client: Client, engine: FakeEngine, encoding: str, body: bytes) -> None:
    reply = await client.ask(post("PutItem", body, headers={"Content-Encoding": encoding}))
    assert reply.status == 500
    assert engine.calls == []
    assert (await client.ask(post("GetItem", {"TableName": "t"}))).status == 200, "the connection goes on"


async def test_a_small_body_that_grows_too_large_is_refused(client: Client, engine: FakeEngine) -> None:
    body = gzip.compress(b'{"TableName": "t"' + b" " * (20 * 1024 * 1024) + b"}", mtime=0)
    reply = await client.ask(post("PutItem", body, headers={"Content-Encoding": "gzip"}))
    assert reply.status == 413
    assert engine.calls == []


@pytest.mark.parametrize(("accepts", "encoding"), [("gzip, deflate, br", "gzip"), ("deflate", "deflate"), ("br", None)])
async def test_a_large_answer_is_compressed_for_those_who_ask(
    client: Client, accepts: str, encoding: str | None
) -> None:
    small = await client.ask(post("GetItem", headers={"Accept-Encoding": accepts}))
    assert "content-encoding" not in small.headers
    large = await client.ask(post("Scan", {"Limit": 100}, headers={"Accept-Encoding": accepts}))
    assert large.headers.get("content-encoding") == encoding
    assert large.headers["x-amz-crc32"] == str(zlib.crc32(large.body)), "over what travels"
    undone = {"gzip": gzip.decompress, "deflate": zlib.decompress, None: bytes}[encoding](large.body)
    assert len(orjson.loads(undone)["Items"]) == 100


async def test_tagging_answers_with_nothing_at_all(client: Client) -> None:
    assert (await client.ask(post("TagResource"))).body == b""
    assert (await client.ask(post("UntagResource"))).body == b""
