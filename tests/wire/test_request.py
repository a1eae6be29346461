"""How large a head may be, and trailers with it, however it comes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sekkei.wire.server import Server
from tests.wire.client import post, until
from tests.wire.conftest import FakeEngine
from tests.wire.peer import Peer


def lines(count: int) -> bytes:
    return b"".join(b"X-%d: %b\r\n" % (number, b"a" * 1000) for number in range(count // 1007))


def long_head(count: int) -> bytes:
    return b"POST / HTTP/1.1\r\nHost: x\r\n" + lines(count) + b"Content-Length: 2\r\n\r\n{}"


def long_url(count: int) -> bytes:
    return b"GET /" + b"a" * count + b" HTTP/1.1\r\nHost: x\r\n\r\n"


def chunked(chunks: list[bytes], trailers: bytes = b"") -> bytes:
    head = post("PutItem", b"", headers={"Transfer-Encoding": "chunked", "X-A": "b"}).replace(
        b"Content-Length: 0\r\n", b""
    )
    return head + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n" + trailers + b"\r\n"


def long_trailers(count: int) -> bytes:
    return chunked([b"{}"], lines(count))


@pytest.mark.parametrize("pieces", [1, 2, 3, 50])
@pytest.mark.parametrize("before", [b"", post("GetItem")], ids=["alone", "behind another"])
@pytest.mark.parametrize("what", [long_head, long_url, long_trailers])
async def test_its_limit_is_that_of_all_its_pieces(
    engine: FakeEngine, what: Callable[[int], bytes], before: bytes, pieces: int
) -> None:
    for count, refused in [(60_000, False), (70_000, True), (98_000, True)]:
        peer = Peer(Server(engine))
        data = before + what(count)
        size = -(-len(data) // pieces)
        for start in range(0, len(data), size):
            peer.connection.data_received(data[start : start + size])
        expected = [False] * bool(before) + [refused]
        await until(lambda peer=peer, expected=expected: len(peer.way.answers) >= len(expected))
        assert [b" 431 " in answer[:20] for answer in peer.way.answers] == expected, count


@pytest.mark.parametrize("by_line", [False, True])
async def test_what_is_around_small_chunks_is_no_head(engine: FakeEngine, by_line: bool) -> None:
    peer = Peer(Server(engine))
    data = chunked([b'{"TableName":"small"', *([b" "] * 20_000), b"}"])
    for piece in data.splitlines(keepends=True) if by_line else [data]:
        peer.connection.data_received(piece)
    await until(lambda: bool(peer.way.answers))
    assert peer.way.answers[0].endswith(b'{"Written":"small"}')
