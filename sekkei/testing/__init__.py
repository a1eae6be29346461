"""For tests of programs that use Sekkei, or DynamoDB through boto3.

    async with sekkei.testing.store(design) as db:          a fresh store in a millisecond
        await db.write(tasks.create(make(Task, title="x"))) believable instances

    with sekkei.testing.sync_store(design) as db:           the same without await
        db.write(tasks.create(make(Task, title="x")))

    @sekkei.testing.mock_dynamodb                           boto3 and aiobotocore find a DynamoDB of the test's own
    def test_orders(): ...

With pytest, the fixtures of `sekkei.testing.plugin` are there by themselves.
"""

from typing import TYPE_CHECKING, Any

from sekkei.testing.instances import make
from sekkei.testing.server import LocalServer, mock_dynamodb
from sekkei.testing.stores import Snapshots, store, sync_store

if TYPE_CHECKING:
    from sekkei.testing.plugin import OpenDesign, open_design, sekkei_store

__all__ = ["LocalServer", "OpenDesign", "Snapshots", "make", "mock_dynamodb", "open_design", "sekkei_store", "store"]
__all__ += ["sync_store"]


def __getattr__(name: str) -> Any:
    # The fixtures, for `pytest_plugins = ["sekkei.testing"]`; they need pytest, which programs do not have.
    if name not in ("OpenDesign", "open_design", "sekkei_store"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sekkei.testing import plugin

    return getattr(plugin, name)


def __dir__() -> list[str]:
    return sorted(__all__)  # where pytest looks for fixtures
