"""Search: all words, each in a title, a description, a comment, or the name of a tag or of whoever has the task.

It reads what stands beside the tasks (SEARCH#) and the comments of one team, the newest tasks first. That costs as much
as the texts are long, and no index pays for them with every move of a card.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import or_
from typing import TypeVar

from sekkei.design import Condition, Database, Page, Query
from sekkei_systems.tasks.design import (
    SearchText,
    Task,
    comments_in,
    comments_on,
    every_task,
    members_of,
    search_texts,
    searchable,
    searched,
    tags_of,
    tasks,
)
from sekkei_systems.tasks.design.statuses import Status
from sekkei_systems.tasks.rules.filters import Filter, Late, Named, lateness
from sekkei_systems.tasks.rules.identifiers import number_in
from sekkei_systems.tasks.service.access import Member
from sekkei_systems.tasks.service.numbers import Numbers

READ_MAX = 300
"""How many tasks that answer a search are looked at more closely."""
M = TypeVar("M")


@dataclass
class Search:
    db: Database
    numbers: Numbers

    async def page(
        self, member: Member, wanted: Filter, today: date, *, size: int, after: str | None = None
    ) -> Page[Task]:
        """The newest first; the cursor is the id of the last one shown."""
        hits = await self._hits(member.team_id, wanted.words)
        for word, id in (await self._meant(member, wanted.words)).items():
            hits.setdefault(id, set()).add(word)
        ids = [id for id in sorted(hits, reverse=True) if after is None or id < after]
        found: list[Task] = []
        for task in await self._tasks(member.team_id, ids[:READ_MAX]):
            if hits[task.task_id] >= set(wanted.words) and passes(wanted, task, today):
                found.append(task)
        more = found[size - 1].task_id if len(found) > size else None
        return Page(found[:size], more)

    async def answers(self, member: Member, task: Task, words: tuple[str, ...]) -> bool:
        """Whether one task answers all words; looks no further than it must."""
        text = await self.db.get(search_texts(task.team_id, task.task_id))
        left = {word for word in words if text is None or word not in text.text}
        left -= {word for word in left if number_in(word, member.keys) == task.number}
        if left:
            left -= (await self._named(member.team_id, tuple(left))).words_of(task)
        if left:
            said = await self.db.all(comments_on(task.team_id, task.task_id))
            left -= {word for word in left for one in said if word in searched(one.text)}
        return not left

    async def _meant(self, member: Member, words: tuple[str, ...]) -> dict[str, str]:
        """Which words are references, and to which task."""
        numbers = {word: number for word in words if (number := number_in(word, member.keys)) is not None}
        known = await self.numbers.known(member, list(numbers.values())) if numbers else {}
        return {word: known[number] for word, number in numbers.items() if number in known}

    async def _hits(self, team_id: str, words: tuple[str, ...]) -> dict[str, set[str]]:
        """Which tasks answer which words."""
        texts, said, named = await asyncio.gather(
            self.db.all(_any(searchable(team_id), (SearchText.text.contains(word) for word in words))),
            self._said(team_id, words),
            self._named(team_id, words),
        )
        hits: dict[str, set[str]] = {}
        for text in texts:
            hits.setdefault(text.task_id, set()).update(word for word in words if word in text.text)
        for task_id, found in said:
            hits.setdefault(task_id, set()).update(found)
        for task in await self._of(team_id, named):
            hits.setdefault(task.task_id, set()).update(named.words_of(task))
        return hits

    async def _said(self, team_id: str, words: tuple[str, ...]) -> list[tuple[str, set[str]]]:
        """Comments are stored as they were written, so their letters are compared here; a page of them at a time."""
        found: list[tuple[str, set[str]]] = []
        async for comment in self.db.each(comments_in(team_id)):
            plain = searched(comment.text)
            answered = {word for word in words if word in plain}
            found += [(comment.task_id, answered)] if answered else []
        return found

    async def _named(self, team_id: str, words: tuple[str, ...]) -> Named:
        tags, members = await asyncio.gather(self.db.all(tags_of(team_id)), self.db.all(members_of(team_id)))
        return Named.by(words, {one.ref: one.name for one in tags}, {one.user_id: one.user_name for one in members})

    async def _of(self, team_id: str, named: Named) -> list[Task]:
        """The tasks that carry one of the tags or belong to one of the people."""
        either = [Task.tags.contains(ref) for ref in sorted(named.refs)]
        either += [Task.assignee == id for id in sorted(named.ids)]
        return await self.db.all(_any(every_task(team_id), either)) if either else []

    async def _tasks(self, team_id: str, ids: list[str]) -> list[Task]:
        found = await self.db.get_many([tasks(team_id, id) for id in ids])
        return [task for task in found if task is not None]


def passes(wanted: Filter, task: Task, today: date) -> bool:
    """What a list asks of the key, asked of a task."""
    if wanted.late is not None:
        late = lateness(task, today)
        begun = task.status is Status.DOING and late is Late.FINISH
        fits = begun if wanted.late is Late.DOING else late is wanted.late
        return fits and wanted.matches(task)
    return task.status in wanted.statuses and wanted.matches(task)


def _any(query: Query[M], conditions: Iterable[Condition[M]]) -> Query[M]:
    return query.filter(reduce(or_, conditions))
