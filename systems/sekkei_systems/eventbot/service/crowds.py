"""Those who ask for the same thing at the same moment are served together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Asker = TypeVar("Asker")
Result = TypeVar("Result")


class Crowds(Generic[Key, Asker, Result]):
    """Whoever comes while others are served waits, and is served next with all who came meanwhile, in that order.

    Nobody waits for company: who comes alone is served alone, at once."""

    def __init__(
        self, serve: Callable[[Key, Sequence[Asker]], Awaitable[Sequence[Result | BaseException]]], most: int
    ) -> None:
        self._serve, self._most = serve, most
        self._lines: dict[Key, list[tuple[Asker, asyncio.Future[Result]]]] = {}
        self._serving: set[asyncio.Task[None]] = set()

    async def served(self, key: Key, asker: Asker) -> Result:
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        line = self._lines.get(key)
        if line is not None:
            line.append((asker, future))
            return await future
        self._lines[key] = [(asker, future)]
        serving = asyncio.create_task(self._work_off(key))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)
        return await future

    async def _work_off(self, key: Key) -> None:
        line = self._lines[key]
        try:
            while line:
                group = line[: self._most]
                results = await self._results(key, [asker for asker, _ in group])
                del line[: len(group)]
                for (_, future), result in zip(group, results, strict=True):
                    _deliver(future, result)
        finally:
            del self._lines[key]
            for _, future in line:
                future.cancel()

    async def _results(self, key: Key, askers: Sequence[Asker]) -> Sequence[Result | BaseException]:
        try:
            return await self._serve(key, askers)
        except Exception as error:
            return [error] * len(askers)


def _deliver(future: asyncio.Future[Result], result: Result | BaseException) -> None:
    if future.done():  # whoever asked has gone
        return
    if isinstance(result, BaseException):
        future.set_exception(result)
    else:
        future.set_result(result)
