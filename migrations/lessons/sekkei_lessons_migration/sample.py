"""A believable old table to try the move on: rows that meet in one place, rows in many forms, rows that are no use."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from sekkei.clock import Clock
from sekkei.design import Contended
from sekkei.design.retries import TRIES_MAX, pause
from sekkei.store.protocol import Store
from sekkei_lessons_migration.old_rows import stored
from sekkei_systems import days

BATCH_WRITE_MAX = 25
ROWS_PER_USER = 10
CONFLICTS = 0.1
ODDITIES = 0.2
_STUDIOS = {"gnz": "銀座", "sby": "渋谷", "sjk": "新宿", "ikb": "池袋"}
_NAMES = ("BSL House 1", "BSL House 2", "BB2 HIP HOP", "朝ヨガ#中級", "BSB RIZUMU")
_STATUSES = ("active",) * 6 + ("paused", "cancelled", "expired", "completed")

OldItem = dict[str, Any]


def old_rows(count: int, now: datetime, seed: int = 3) -> Iterator[OldItem]:
    """The same rows for the same count, moment and seed. No two have the same key."""
    chance = random.Random(seed)
    made: set[tuple[str, str]] = set()
    row: OldItem = {}
    while len(made) < count:
        meets = bool(row) and chance.random() < CONFLICTS
        row = _beside(row, chance, now) if meets else _plain(chance, count, now)
        odd = _odd(row, chance, now) if chance.random() < ODDITIES else row
        key = str(odd["userId"]), str(odd["waitlistId"])
        if key not in made:
            made.add(key)
            yield odd


def _plain(chance: random.Random, count: int, now: datetime) -> OldItem:
    code = chance.choice(list(_STUDIOS))
    day = days.day_of(now) + timedelta(days=chance.randrange(1, 60))
    start = f"{chance.randrange(7, 22):02}:{chance.choice((0, 15, 30, 45)):02}"
    row = {
        "userId": f"user{chance.randrange(1 + count // ROWS_PER_USER):05}",
        "studioName": _STUDIOS[code],
        "lessonDate": str(day),
        "startTime": start,
        "endTime": f"{int(start[:2]) + 1:02}{start[2:]}",
        "lessonDateTime": f"{day}T{start}:00+09:00",
        "instructor": chance.choice(("YUKI", "Shiori.I", "Miku")),
        "ttl": 1_722_319_500,
    }
    return _named(row, code, chance.choice(_NAMES), chance, now)


def _named(row: OldItem, code: str, name: str, chance: random.Random, now: datetime) -> OldItem:
    made = now - timedelta(minutes=chance.randrange(10, 40_000), milliseconds=chance.randrange(1000))
    changed = made + timedelta(minutes=chance.randrange(10))
    named = {
        **row,
        "waitlistId": f"{code}#{row['lessonDate']}#{row['startTime']}#{name}",
        "lessonName": name,
        "status": chance.choice(_STATUSES),
        "createdAt": _iso(made),
        "updatedAt": _iso(changed),
    }
    if named["status"] == "paused":
        named["pausedAt"] = _iso(changed)
        if chance.random() < 0.7:
            named["autoResumeAt"] = _iso(now + timedelta(hours=chance.randrange(1, 240)))
    if chance.random() < 0.2:
        told = {"at": _iso(changed), "channel": "mail", "places": chance.randrange(1, 4)}
        named |= {"notificationSent": True, "lastNotifiedAt": told["at"], "notificationHistory": [told]}
    return named


def _beside(row: OldItem, chance: random.Random, now: datetime) -> OldItem:
    """The same user and the same slot, another lesson: both go to one place."""
    code, day, start, name = row["waitlistId"].split("#", 3)
    other = chance.choice([one for one in _NAMES if one != name])
    base = {**row, "lessonDate": day, "startTime": start}
    for absent in ("pausedAt", "autoResumeAt", "notificationSent", "lastNotifiedAt", "notificationHistory"):
        base.pop(absent, None)
    return _named(base, code, other, chance, now)


def _odd(row: OldItem, chance: random.Random, now: datetime) -> OldItem:
    """Forms that can be understood, and about one in ten that cannot."""
    odd = dict(row)
    code, rest = odd["waitlistId"].split("#", 1)
    kind = chance.randrange(20)
    if kind < 3:  # only the id says which lesson
        for name in ("lessonDate", "startTime", "lessonName", "lessonDateTime"):
            del odd[name]
    elif kind < 5:
        odd["waitlistId"] = f"{code.upper()}#{rest}"
    elif kind < 7:  # moments as numbers
        odd["createdAt"] = int(datetime.fromisoformat(odd["createdAt"]).timestamp())
        odd["updatedAt"] = int(datetime.fromisoformat(odd["updatedAt"]).timestamp() * 1000)
    elif kind < 9:
        del odd["updatedAt"]
    elif kind < 11:  # attributes that nobody remembers
        odd |= {"source": "app-1.3", "tags": {"朝", "初級"}, "score": [1, {"of": 5}], "from": "campaign", "note": None}
    elif kind < 13:
        odd["startTime"] = odd["startTime"].removeprefix("0")
    elif kind < 15:
        odd |= {"createdAt": "yesterday", "notificationSent": "false", "instructor": ["YUKI", "Miku"]}
    elif kind < 18:  # over for a month
        day = days.day_of(now) - timedelta(days=30)
        odd |= {"lessonDate": str(day), "waitlistId": f"{code}#{day}#{odd['startTime']}#{odd['lessonName']}"}
    else:
        odd |= chance.choice(({"status": "lost"}, {"lessonDate": "2025-02-30"}, {"startTime": "25:00"}))
    return odd


def old_people(count: int, names: Mapping[str, str], seed: int = 3) -> Iterator[OldItem]:
    """Contacts of those who are in `old_rows(count, …)`: one in ten has none, or none that can be used."""
    chance = random.Random(seed)
    for number in range(1 + count // ROWS_PER_USER):
        user, kind = f"user{number:05}", chance.randrange(20)
        said = {"name": f"会員 {number}", "mail": f"{user}@example.com", "line": f"U{number:032x}", "language": "ja"}
        if kind == 0:
            continue  # nobody knows them any more
        if kind == 1:
            said |= {"mail": "  ", "line": ""}
        elif kind < 5:
            said |= {"name": "長" * 80, "language": "en", "line": ""}
        yield {names["user"]: user, **{names[name]: value for name, value in said.items() if name in names}}


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def make_table(store: Store, name: str) -> None:
    """An old table, with a stream. Raises ResourceInUseException when there is one."""
    keys = ("userId", "waitlistId")
    await store.call(
        "CreateTable",
        {
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in keys],
            "KeySchema": [
                {"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=True)
            ],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        },
    )


async def make_people_table(store: Store, names: Mapping[str, str]) -> None:
    """The table of contacts that a mapping names. Raises ResourceInUseException when there is one."""
    key = names["user"]
    await store.call(
        "CreateTable",
        {
            "TableName": names["table"],
            "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )


async def fill(store: Store, name: str, rows: Iterator[OldItem], clock: Clock) -> int:
    """Put rows into the table, in batches."""
    filled, batch = 0, []
    for row in rows:
        batch.append({"PutRequest": {"Item": stored(row)}})
        if len(batch) == BATCH_WRITE_MAX:
            filled += await _put(store, name, batch, clock)
            batch = []
    return filled + (await _put(store, name, batch, clock) if batch else 0)


async def _put(store: Store, name: str, batch: list[dict[str, Any]], clock: Clock) -> int:
    request: Any = {name: batch}
    for attempt in range(TRIES_MAX):
        answer = await store.call("BatchWriteItem", {"RequestItems": request})
        request = answer.get("UnprocessedItems")
        if not request:
            return len(batch)
        await pause(attempt, clock)
    raise Contended("SK305", f"the store left writes to {name} unprocessed {TRIES_MAX} times. Try again later.")
