"""A day with many people, written straight into the tables, and its timeline worked out the slow way."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sekkei.design import Database, Entity
from sekkei_systems.q.design.models import Answer, Block, DailyQuestion, Follow, User, Visibility
from sekkei_systems.q.design.tables import answers, blocks, daily_questions, follows, users

VIEWER = "viewer"
BATCH = 25
LANES = 32


@dataclass
class Crowd:
    day: date
    out: datetime
    users: dict[str, User] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    follows: set[tuple[str, str]] = field(default_factory=set)
    blocks: set[tuple[str, str]] = field(default_factory=set)

    def timeline(self) -> list[str]:
        """By going through everybody who answered."""
        found = []
        for name, answer in self.answers.items():
            author = self.users[name]
            own = name == VIEWER
            apart = (VIEWER, name) in self.blocks or (name, VIEWER) in self.blocks
            mutual = (name, VIEWER) in self.follows or author.visibility_type is Visibility.FOLLOWERS
            readable = (VIEWER, name) in self.follows and mutual and not apart
            hidden = answer.is_deleted or (answer.is_flagged and not own)
            gone = author.is_banned or author.deleting_at is not None
            if not hidden and (own or (readable and not gone)):
                found.append((not answer.is_on_time, answer.created_at, name))
        return [name for _, _, name in sorted(found)]


def made(people: int, followees: int, now: datetime, seed: int = 1, answering: float = 0.9) -> Crowd:
    """`people` of whom the viewer follows some; nearly all of them have answered, unless said otherwise."""
    chance = random.Random(seed)
    crowd = Crowd(day=(now + timedelta(hours=9)).date(), out=now - timedelta(hours=1))
    names = [VIEWER, *(f"user-{number:06}" for number in range(people))]
    for name in names:
        crowd.users[name] = User(
            user_id=name,
            email=f"{name}@example.com",
            app_id=None if chance.random() < 0.1 else name.replace("-", "_"),
            birth_date=date(2000, 1, 1),
            visibility_type=chance.choice(list(Visibility)),
            is_banned=name != VIEWER and chance.random() < 0.02,
            deleting_at=now if name != VIEWER and chance.random() < 0.02 else None,
            created_at=crowd.out,
            updated_at=crowd.out,
        )
        if chance.random() < answering or name == VIEWER:
            late = chance.randrange(0, 60)
            crowd.answers[name] = Answer(
                day=crowd.day,
                user_id=name,
                question_id="q",
                text="答え",
                is_on_time=late <= 30,
                late_minutes=max(0, late - 30),
                is_flagged=chance.random() < 0.02,
                is_deleted=name != VIEWER and chance.random() < 0.02,
                created_at=crowd.out + timedelta(minutes=late, milliseconds=chance.randrange(1000)),
                reactors={},
            )
    for name in chance.sample(names[1:], followees):
        crowd.follows.add((VIEWER, name))
        if chance.random() < 0.6:
            crowd.follows.add((name, VIEWER))
        if chance.random() < 0.02:  # the service would have ended the follow; the timeline looks all the same
            crowd.blocks.add(chance.choice([(VIEWER, name), (name, VIEWER)]))
    return crowd


async def store(db: Database, crowd: Crowd) -> None:
    question = DailyQuestion(
        day=crowd.day,
        question_id="q",
        question_text="好きな季節は？",
        scheduled_publish_time=time(8),
        published_at=crowd.out,
        created_at=crowd.out,
    )
    await db.write(daily_questions.put(question))
    await put(db, users, crowd.users.values())
    await put(db, answers, crowd.answers.values())
    await put(db, follows, (Follow(follower_id=a, followee_id=b, created_at=crowd.out) for a, b in crowd.follows))
    await put(db, blocks, (Block(blocker_id=a, blocked_id=b, created_at=crowd.out) for a, b in crowd.blocks))


async def put(db: Database, entity: Entity[..., Any], models: Iterable[Any]) -> None:
    table = db.table_name(entity.table)
    requests: Iterator[Any] = ({"PutRequest": {"Item": entity.encode(one)}} for one in models)

    async def lane() -> None:
        while batch := list(itertools.islice(requests, BATCH)):
            await db.store.call("BatchWriteItem", {"RequestItems": {table: batch}})

    await asyncio.gather(*(lane() for _ in range(LANES)))


NOW = datetime(2025, 11, 6, 3, 0, tzinfo=UTC)
