"""The service, taking names where it demands proofs: `by_name(service).following.follow("a", "b")` proves "a" first.

A test says who does something; that they may is proven as a request would prove it, each time anew.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, get_type_hints

from sekkei_systems.q.service import Service
from sekkei_systems.q.service.access import Admin, Author, Joined, Member, ProvenAdmin

KINDS = {Joined: "joined", Member: "member", Author: "author", Admin: "admin", ProvenAdmin: "proven_admin"}


class ByName:
    def __init__(self, service: Service) -> None:
        self._service = service

    def __getattr__(self, noun: str) -> Any:
        found = getattr(self._service, noun)
        return found if noun == "access" else Noun(self._service, found)


class Noun:
    def __init__(self, service: Service, noun: Any) -> None:
        self._service, self._noun = service, noun

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._noun, name)
        if not inspect.iscoroutinefunction(method):
            return method
        first = next(iter(inspect.signature(method).parameters), "")
        kind = KINDS.get(get_type_hints(method).get(first))  # type: ignore[arg-type]
        return method if kind is None else self._proving(method, kind)

    def _proving(self, method: Any, kind: str) -> Any:
        @functools.wraps(method)
        async def call(who: str, *given: Any, **named: Any) -> Any:
            proof = {key: named.pop(key) for key in ("address", "proved_at") if key in named}
            return await method(await getattr(self._service.access, kind)(who, **proof), *given, **named)

        return call
