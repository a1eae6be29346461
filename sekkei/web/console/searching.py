"""Words in what waits, goes out or runs: looked for page by page, a limited way, and further on the next page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from sekkei.design import Database, Query

PAGE_ITEMS = 50
SEARCHED_A_PAGE = 200
PAGES_MAX = 10


@dataclass(slots=True)
class Found:
    items: list[Any] = field(default_factory=list)
    cursor: str | None = None
    looked_through: int = 0


async def search(
    request: Request, db: Database, query: Query[Any], text_of: Callable[[Any], str], state_of: Callable[[Any], str]
) -> Found:
    """`?q=` has words that all must be there, `?state=` one state; without them, the page as it is."""
    words, state = request.query_params.get("q", "").lower().split(), request.query_params.get("state", "")
    after = request.query_params.get("after")
    if not words and not state:
        page = await db.page(query, size=PAGE_ITEMS, after=after)
        return Found(list(page.items), page.cursor, len(page.items))
    found = Found(cursor=after)
    for _ in range(PAGES_MAX):
        page = await db.page(query, size=SEARCHED_A_PAGE, after=found.cursor)
        found.cursor = page.cursor
        found.looked_through += len(page.items)
        found.items += [one for one in page.items if matches(text_of(one).lower(), state_of(one), words, state)]
        if page.cursor is None or len(found.items) >= PAGE_ITEMS:
            break
    return found


def matches(text: str, is_state: str, words: list[str], state: str) -> bool:
    return state in ("", is_state) and all(word in text for word in words)
