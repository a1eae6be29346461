"""A connection whose client is the test, without sockets: every read and every turn of the loop can be looked at."""

from __future__ import annotations

import asyncio
from typing import cast

from sekkei.wire.connection import Connection
from sekkei.wire.server import Server


class Way:
    """A transport that counts the answers and knows whether it is read from."""

    def __init__(self) -> None:
        self.answers, self.reads, self.closing = list[bytes](), True, False

    def write(self, answer: bytes) -> None:
        self.answers.append(answer)

    def is_closing(self) -> bool:
        return self.closing

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def close(self) -> None:
        self.closing = True

    abort = write_eof = close


class Peer:
    def __init__(self, server: Server) -> None:
        self.way = Way()
        self.connection = Connection(server, asyncio.get_running_loop())
        self.connection.connection_made(cast(asyncio.Transport, self.way))

    def sends(self, data: bytes) -> None:
        assert self.way.reads
        self.connection.data_received(data)
