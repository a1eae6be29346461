"""People in a world: each has a browser, and acts through pages and APIs of some process that lives."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from sekkei.web.testing import Client, Reply
from sekkei.worlds.chance import Asker, Dice

if TYPE_CHECKING:
    from sekkei.worlds.world import World

T = TypeVar("T")


@dataclass(eq=False)
class Person:
    """Somebody with a browser. `dice` belong to the operation that is under way."""

    world: World
    name: str
    role: str
    client: Client
    dice: Dice
    asker: Asker
    memory: dict[str, Any] = field(default_factory=dict)

    _token: str | None = None

    async def get(self, path: str) -> Reply:
        return await self._ask(lambda: self.client.get(path))

    async def post(self, path: str, form: Mapping[str, Any] | None = None) -> Reply:
        token = await self._csrf()
        return self._heeded(await self._ask(lambda: self.client.post(path, form, token=token)))

    async def json(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None
    ) -> Reply:
        token = await self._csrf()
        reply = await self._ask(lambda: self.client.json(method, path, body, headers=headers, token=token))
        return self._heeded(reply)

    def _heeded(self, reply: Reply) -> Reply:
        """Whoever is refused loads the page again: they may have been signed out, and in again."""
        if reply.status == 403:
            self._token = None
        return reply

    async def _csrf(self) -> str:
        """The token of their session, taken from a page once."""
        if self._token is None:
            self._token = await self._ask(self.client.token)
        return self._token

    async def sign_in(self, email: str) -> None:
        await self._ask(lambda: self.client.sign_in_by_email(email, self.name))
        self._token = None

    async def _ask(self, request: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Of some process that lives; Gone when it dies over it. An error of ours breaks the world."""
        process = self.world.some_process(self.dice)
        self.client.app = process.app
        return await self.world.asked(process, request, self.asker)
