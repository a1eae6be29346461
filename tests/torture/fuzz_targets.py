"""What is fuzzed. Whatever comes, there is an answer or a typed error; no promise is broken."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from sekkei.engine import Engine
from sekkei.engine.expressions import parse_condition, parse_key_condition, parse_projection, parse_update
from sekkei.engine.items import keys, numbers
from sekkei.engine.upkeep.verify import verify_file
from sekkei.errors import DamagedFile, DynamoDBError, InternalServerError, NotOurFile, ValidationException
from sekkei.wire.connection import Connection
from sekkei.wire.server import Server
from tests.engine.conftest import Tables, item
from tests.torture.fuzz import Run

ITEM = item(pk="a", sk=1, g="x", l="y", n=5, t=["u", {"M": {"v": {"N": "1"}}}], s={"SS": ["p", "q"]})
NAMES = {"#a": "pk", "#b": "t"}
VALUES = item(**{":a": "a", ":n": 1, ":l": ["u"], ":s": {"SS": ["p"]}})
STATUS = re.compile(rb"HTTP/1\.1 (\d+)")
UNPACKING = (b"Content-Encoding is not one", b"does not match its Content-Encoding", b"before its compressed content")


@contextmanager
def expressions() -> Iterator[Run]:
    """Parsed as each kind of expression, bound, and applied to an item."""
    attempts: list[Callable[[str], object]] = [
        lambda text: parse_condition(text, "FilterExpression", NAMES).bind(VALUES).matches(ITEM),
        lambda text: parse_update(text, NAMES).bind(VALUES).apply(ITEM),
        lambda text: parse_projection(text, NAMES).project(ITEM),
        lambda text: parse_key_condition(text, NAMES).bind(VALUES).tests(),
    ]

    def run(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        for attempt in attempts:
            with contextlib.suppress(ValidationException):
                attempt(text)

    yield run


def _filled() -> Engine:
    engine = Engine(None, housekeeping_seconds=None)
    tables = Tables(engine, engine.clock)  # type: ignore[arg-type]
    _now(tables.create())
    _now(tables("PutItem", TableName="items", Item=ITEM))
    return engine


def _now(call: Any) -> Any:
    """Of a caller who has no event loop: nothing waits."""
    try:
        call.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waited")


@contextmanager
def statements() -> Iterator[Run]:
    """PartiQL on a table with items: an answer, or an error that is no fault of the engine's own."""
    with _filled() as engine:

        def run(data: bytes) -> None:
            try:
                _now(engine.call("ExecuteStatement", {"Statement": data.decode("utf-8", "replace")}))
            except InternalServerError:
                raise
            except DynamoDBError:
                pass

        yield run


class _Transport(asyncio.Transport):
    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.closed = False

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def writelines(self, pieces: Any) -> None:
        self.written += b"".join(pieces)

    def close(self) -> None:
        self.closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def write_eof(self) -> None: ...

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default


@contextmanager
def heads() -> Iterator[Run]:
    """Bytes as a stranger sends them. No answer says that the server is at fault, and nothing escapes."""
    faults: list[Any] = []
    with _filled() as engine, contextlib.closing(asyncio.new_event_loop()) as loop:
        loop.set_exception_handler(lambda _, context: faults.append(context))
        server = Server(engine)

        async def send(data: bytes) -> bytes:
            transport, connection = _Transport(), Connection(server, loop)
            connection.connection_made(transport)
            for piece in (data[:40], data[40:]):
                if not transport.closed:
                    connection.data_received(piece)
            for _ in range(20):
                await asyncio.sleep(0)
            connection.connection_lost(None)
            return transport.written

        def run(data: bytes) -> None:
            answers = loop.run_until_complete(send(data))
            # DynamoDB calls it an internal error when a body cannot be unpacked, and so do we.
            packed = sum(answers.count(words) for words in UNPACKING)
            assert STATUS.findall(answers).count(b"500") == packed, "a fault of the server's own"
            assert not faults, faults.pop()

        yield run


@contextmanager
def bodies() -> Iterator[Run]:
    """An operation and its JSON."""
    with heads() as send:

        def run(data: bytes) -> None:
            operation, _, body = data.partition(b" ")
            send(HEAD % (operation.translate(None, b"\r\n"), len(body)) + body)

        yield run


HEAD = (
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-amz-json-1.0\r\n"
    b"X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
    b"Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n"
    b"X-Amz-Target: DynamoDB_20120810.%s\r\nContent-Length: %d\r\n\r\n"
)


@contextmanager
def encodings() -> Iterator[Run]:
    """Two keys: their bytes stand in the order of their values, and differ where they do."""

    def run(data: bytes) -> None:
        first, _, second = data.decode("utf-8", "ignore").partition("|")
        _check_order(first.encode(), second.encode(), *(keys.part_bytes({"S": each}) for each in (first, second)))
        closed = [
            keys.sort_key_bytes([{"S": first}, {"S": second}]),
            keys.sort_key_bytes([{"S": second}, {"S": first}]),
        ]
        _check_order((first.encode(), second.encode()), (second.encode(), first.encode()), *closed)
        with contextlib.suppress(ValidationException):
            low, high = (numbers.normalise(each) for each in (first, second))
            _check_order(Decimal(low), Decimal(high), numbers.sort_bytes(low), numbers.sort_bytes(high))

    yield run


def _check_order(low: Any, high: Any, low_bytes: bytes, high_bytes: bytes) -> None:
    assert (low < high, low == high) == (low_bytes < high_bytes, low_bytes == high_bytes), (low, high)


@contextmanager
def logs() -> Iterator[Run]:
    """The log of a store whose process is gone, changed: all that was acknowledged is there, or the store says so."""
    folder = Path(tempfile.mkdtemp())
    with Engine(folder / "store.db", housekeeping_seconds=None) as engine:
        tables = Tables(engine, engine.clock)  # type: ignore[arg-type]
        _now(tables.create_plain())
        for number in range(5):
            _now(tables("PutItem", TableName="plain", Item=item(pk=str(number))))
        shutil.copytree(folder, folder / "left")
    LOG.append((folder / "left" / "store.db-wal").read_bytes())

    def run(data: bytes) -> None:
        """The input is written over the log, from the place that its first bytes name."""
        place = folder / "tried"
        shutil.copytree(folder / "left", place)
        try:
            (place / "store.db-wal").write_bytes(_over(LOG[-1], data))
            (place / "store.db-shm").unlink()
            _check_store(place / "store.db")
        finally:
            shutil.rmtree(place)

    try:
        yield run
    finally:
        LOG.pop()
        shutil.rmtree(folder)


LOG: list[bytes] = []


def _over(log: bytes, data: bytes) -> bytes:
    start = int.from_bytes(data[:4]) % (len(log) + 1)
    if data[4:5] == b"\x00":
        return log[:start]
    return log[:start] + data[5:] + log[start + len(data[5:]) :]


def _check_store(path: Path) -> None:
    try:
        if list(verify_file(str(path))):
            return
        with Engine(path, housekeeping_seconds=None) as engine:
            found = _now(engine.call("Scan", {"TableName": "plain"}))
    except (DamagedFile, NotOurFile, DynamoDBError):
        return
    assert {each["pk"]["S"] for each in found["Items"]} == set("01234"), "lost in silence"


@dataclass(frozen=True)
class Target:
    opened: Callable[[], contextlib.AbstractContextManager[Run]]
    corpus: Sequence[bytes]
    words: Sequence[bytes]


def _targets() -> dict[str, Target]:
    """Each with what `corpus.toml` has for it."""
    corpus = tomllib.loads(Path(__file__).with_name("corpus.toml").read_text())
    every = {each.__name__: each for each in (expressions, statements, heads, bodies, encodings, logs)}
    return {
        name: Target(each, *([text.encode("latin-1") for text in corpus[name][kind]] for kind in ("inputs", "words")))
        for name, each in every.items()
    }


TARGETS = _targets()
