"""DynamoDB's endpoint inside a test's own process, for boto3 and every other SDK.

with LocalServer() as server:
    client = boto3.client("dynamodb", **server.boto3)

@mock_dynamodb
def test_orders() -> None:
    boto3.resource("dynamodb").create_table(...)
"""

from __future__ import annotations

import inspect
import os
import shutil
import tempfile
from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import Any, Self, TypeVar, overload

from sekkei.clock import SYSTEM, Clock
from sekkei.design.sync_driver import Loop
from sekkei.engine.engine import Engine
from sekkei.store.remote import Remote
from sekkei.testing.stores import Snapshots
from sekkei.wire.server import Server

_F = TypeVar("_F", bound=Callable[..., Any])
_REGION = "us-east-1"
_KEY = "testing"
_loop = Loop()  # one thread serves every server of the process


class _Switch:
    """The engine that answers now; another takes its place when a snapshot is restored."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def call(self, *args: Any) -> Coroutine[Any, Any, Any]:
        return self.engine.call(*args)


class LocalServer:
    """A DynamoDB of one's own at `url`, empty, in memory, ready in a few milliseconds."""

    def __init__(self, *, region: str = _REGION, clock: Clock = SYSTEM) -> None:
        self.region, self._clock = region, clock
        in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._folder = Path(tempfile.mkdtemp(prefix="sekkei-", dir=in_memory))
        self._snapshots = Snapshots(self._folder / "snapshots")
        self._stores = 0
        self._switch = _Switch(self._engine(None))
        self._server = _loop.run(self._start())
        self.url = f"http://127.0.0.1:{self._server.port}"

    async def _start(self) -> Server:
        server = Server(self._switch, region=self.region, clock=self._clock)
        await server.start("127.0.0.1", 0)
        return server

    def _engine(self, snapshot: str | None) -> Engine:
        self._stores += 1
        path = self._folder / f"store-{self._stores}.db"
        if snapshot is not None:
            self._snapshots.put(snapshot, path)
        return Engine(path, region=self.region, clock=self._clock)

    # How programs find it

    @property
    def boto3(self) -> dict[str, Any]:
        """Arguments for `boto3.client("dynamodb", **server.boto3)`, resources and sessions' clients."""
        return {
            "endpoint_url": self.url,
            "region_name": self.region,
            "aws_access_key_id": _KEY,
            "aws_secret_access_key": _KEY,
        }

    @property
    def environment(self) -> dict[str, str]:
        """What the AWS SDKs read: every client made while this is set finds the server."""
        return {
            "AWS_ENDPOINT_URL_DYNAMODB": self.url,
            "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": self.url,
            "AWS_ACCESS_KEY_ID": _KEY,
            "AWS_SECRET_ACCESS_KEY": _KEY,
            "AWS_REGION": os.environ.get("AWS_REGION", self.region),
            "AWS_DEFAULT_REGION": os.environ.get("AWS_DEFAULT_REGION", self.region),
        }

    def store(self) -> Remote:
        """The server as a store of a design."""
        return Remote(endpoint_url=self.url, region=self.region, credentials=(_KEY, _KEY))

    # Moments

    def take(self, name: str) -> None:
        """Keep everything as it is now, under a name."""
        self._snapshots.take(name, Path(self._switch.engine.path))

    def snapshots(self) -> list[str]:
        """The names that were taken."""
        return self._snapshots.names()

    def restore(self, name: str) -> None:
        """Go back to a moment that was taken; clients stay connected."""
        self._replace(self._engine(name))

    def reset(self) -> None:
        """Go back to nothing; what was taken stays."""
        self._replace(self._engine(None))

    def _replace(self, engine: Engine) -> None:
        before, self._switch.engine = self._switch.engine, engine
        before.close()
        for left in self._folder.glob(f"{Path(before.path).name}*"):
            left.unlink(missing_ok=True)

    # Being there and going

    def close(self) -> None:
        _loop.run(self._server.stop())
        self._switch.engine.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@overload
def mock_dynamodb(decorated: _F, /) -> _F: ...
@overload
def mock_dynamodb() -> _Mock: ...
def mock_dynamodb(decorated: Any = None, /) -> Any:
    """Gives a test a DynamoDB of its own: as a decorator of functions, coroutines and classes, or as a context manager.

    boto3, aiobotocore and every SDK that reads AWS's environment variables find it, in clients made inside.
    """
    return _Mock() if decorated is None else _Mock()(decorated)


class _Shared(LocalServer):
    """The one server of all mocks of a process, so that a client that somebody keeps from test to test stays good."""

    def begin(self) -> Engine:
        """Another, empty engine answers; gives the one before."""
        before, self._switch.engine = self._switch.engine, self._engine(None)
        return before

    def end(self, before: Engine) -> None:
        self._replace(before)


_shared: list[_Shared] = []


class _Mock:
    """What `mock_dynamodb()` gives: `with` it, or decorate with it. Inside another, it starts empty all the same."""

    def __init__(self) -> None:
        self._open: list[tuple[Engine, dict[str, str | None]]] = []

    def __enter__(self) -> LocalServer:
        if not _shared:
            _shared.append(_Shared())
        server = _shared[0]
        before = {name: os.environ.get(name) for name in server.environment}
        self._open.append((server.begin(), before))
        os.environ.update(server.environment)
        return server

    def __exit__(self, *error: object) -> None:
        engine, before = self._open.pop()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        _shared[0].end(engine)

    def __call__(self, decorated: _F) -> _F:
        found: Any = _decorated_class(decorated) if isinstance(decorated, type) else _decorated(decorated)
        return found  # type: ignore[no-any-return]


def _decorated(function: Any) -> Any:
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with _Mock():
                return await function(*args, **kwargs)

        return coroutine

    @wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        with _Mock():
            return function(*args, **kwargs)

    return plain


def _decorated_class(cls: type[Any]) -> type[Any]:
    """A `unittest.TestCase` has one DynamoDB from setUp to the end of a test; other classes one for each test."""
    if hasattr(cls, "setUp") and hasattr(cls, "addCleanup"):
        set_up = cls.setUp

        def with_dynamodb(self: Any) -> None:
            mock = _Mock()
            mock.__enter__()
            self.addCleanup(mock.__exit__, None, None, None)
            set_up(self)

        cls.setUp = with_dynamodb
        return cls
    for name, member in list(vars(cls).items()):
        if name.startswith("test") and callable(member):
            setattr(cls, name, _decorated(member))
    return cls
