"""Compressed requests and answers.

A body parsed in pieces is the body parsed whole, or refused like it."""

from __future__ import annotations

import gzip
import random
import zlib
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekkei.errors import SerializationException
from sekkei.wire import bodies
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


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=4) | st.floats(0, 1),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=2), inner, max_size=5),
    max_leaves=40,
)
PIECES = [1, 2, 5, 20]
CORNERS = [
    *(b"", b" ", b"[", b"]", b"[]]", b"[,]", b"[1,]", b"[[1],]", b"[[1],,[2]]", b"[[1][2]]", b"[1] [2]", b"[1],[2]"),
    *(b'{"a" [1]}', b'{"a":[1],}', b'{"a":[1]"b":[2]}', b'{"a":[1],"a":[2]}', b'{"a":{"a":[1]},"b":1,"a":2}'),
    *(b"{[1]}", b'{"a":"b":[1]}', b'[{"a":1],[1}]', b'["a\\"]'),
    *(b"[" * 2_000 + b"]" * 2_000, b'{"a":' * 2_000 + b"1" + b"}" * 2_000),
]


def in_pieces(body: bytes, piece_bytes: int) -> tuple[Any, int]:
    """What it is, and how many pauses there were."""
    pauses = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bodies, "PIECE_BYTES", piece_bytes)
        patch.setattr(bodies, "SLICE_SECONDS", -1.0)
        patch.setattr(bodies, "_TOKENS_BETWEEN_LOOKS", 1)
        parsing = bodies.parsed_in_pieces(body)
        while True:
            try:
                next(parsing)
                pauses += 1
            except StopIteration as stop:
                return stop.value, pauses


def outcome(body: bytes, piece_bytes: int | None = None) -> Any:
    try:
        return bodies.parsed(body) if piece_bytes is None else in_pieces(body, piece_bytes)[0]
    except SerializationException:
        return SerializationException


@given(VALUES, st.sampled_from(PIECES), st.booleans())
def test_the_same_value(value: Any, piece_bytes: int, is_indented: bool) -> None:
    body = orjson.dumps(value, option=orjson.OPT_INDENT_2 if is_indented else 0)
    assert in_pieces(body, piece_bytes)[0] == orjson.loads(body)


@given(VALUES, st.integers(0, 2**32))
def test_what_is_spoiled_is_refused_or_taken_alike(value: Any, seed: int) -> None:
    chance = random.Random(seed)
    body = bytearray(orjson.dumps(value))
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(body) + 1)
        body[at : at + chance.randint(0, 2)] = chance.choice(b',:[]{}" \\1').to_bytes()
    for piece_bytes in PIECES:
        assert outcome(bytes(body), piece_bytes) == outcome(bytes(body)), bytes(body)


@pytest.mark.parametrize(
    "body",
    CORNERS,
    ids=lambda body: body[:20].decode(),
)
@pytest.mark.parametrize("piece_bytes", PIECES)
def test_corners(body: bytes, piece_bytes: int) -> None:
    assert outcome(body, piece_bytes) == outcome(body)


@pytest.mark.parametrize("part", [b"{}", b"[]", b'{"S":"x"}', b'"x"', b"[[1,2],[3]]"])
def test_a_large_body_is_made_of_pieces(part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 0
    parse = bodies.parsed

    def counted(text: bytes) -> Any:
        nonlocal longest
        longest = max(longest, len(text))
        return parse(text)

    monkeypatch.setattr(bodies, "parsed", counted)
    body = b"[" + b",".join([part] * 20_000) + b"]"
    value, pauses = in_pieces(body, 1_000)
    assert value == orjson.loads(body)
    assert longest < 1_100
    assert pauses >= 20_000


def test_a_map_of_many_names_is_made_of_pieces() -> None:
    value = {f"name {number}": number for number in range(5_000)}
    assert in_pieces(orjson.dumps(value), 100)[0] == value


def test_a_string_without_an_end_is_looked_at_once() -> None:
    """Looked for again at every quote, its end would cost the square of the length."""
    assert outcome(b'["' + b'\\"' * 500_000, 1_000) is SerializationException
