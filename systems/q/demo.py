"""A few friends in the middle of a day: today's question is out, most have answered, and the operators have work."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from sekkei.runtime import days
from sekkei.runtime.people import DEMO_PEOPLE
from sekkei.runtime.system import Context, Parts
from systems.q import times
from systems.q.demo_words import ANSWERS, BIOS, FRIENDS, OLD_ANSWERS, PROPOSALS, QUESTIONS, TODAY
from systems.q.entities import answers, daily_questions, questions, reactions, users
from systems.q.models import (
    Answer,
    DailyQuestion,
    DeviceType,
    Question,
    QuestionStatus,
    QuestionType,
    Reaction,
    ReactionType,
    ReportCategory,
    TargetType,
    User,
    Visibility,
)
from systems.q.service import Service
from systems.q.service.people import Profile, Visitor

DAYS = 14
OUT_SINCE = timedelta(minutes=12)
KINDS = list(ReactionType)
SCENES = (
    ((255, 214, 186), (72, 104, 140), (255, 120, 84)),
    ((186, 218, 240), (38, 92, 110), (255, 226, 150)),
    ((58, 52, 92), (28, 30, 58), (244, 236, 214)),
)


@dataclass(frozen=True, slots=True)
class Friend:
    id: str
    email: str
    name: str
    app_id: str


async def demo(context: Context, parts: Parts) -> None:
    service: Service = parts.service
    friends = [
        *(Friend(one.id, one.email, one.name, one.id.removeprefix("demo-")) for one in DEMO_PEOPLE),
        *(Friend(f"friend-{app_id}", f"{app_id}@friends.example", name, app_id) for app_id, name in FRIENDS),
    ]
    for number, friend in enumerate(friends):
        await _join(service, friend, number)
    await context.db.write(users.update(friends[0].id).set(User.is_admin, True))
    await _follow(service, friends)
    await _questions(context)
    await _days(context, friends)
    await _today(context, service, friends)
    await _for_the_operators(context, service, friends)


async def _join(service: Service, friend: Friend, number: int) -> None:
    await service.people.join(
        Visitor(friend.id, friend.email, friend.name), date(1996 + number % 9, 1 + number % 12, 8)
    )
    await service.people.choose_app_id(friend.id, friend.app_id)
    await service.people.choose_username(friend.id, friend.app_id.title())
    visibility = Visibility.FOLLOWERS if number % 3 == 2 else Visibility.MUTUAL
    await service.people.change(
        friend.id, Profile(bio=BIOS[number % len(BIOS)], visibility=visibility, answers_first=number == 3)
    )
    if number % 3 == 1:
        await service.people.set_picture(friend.id, _picture(number))
    await service.devices.register(friend.id, f"ExponentPushToken[demo-{friend.app_id}]", DeviceType.IOS)


def _picture(number: int) -> bytes:
    """A sun over a sea, in colours of its own: a PNG of 96 by 96."""
    side = 96
    sky, sea, sun = SCENES[number // 3 % len(SCENES)]
    rows = bytearray()
    for y in range(side):
        rows.append(0)
        for x in range(side):
            inside = (x - 48) ** 2 + (y - 50) ** 2 < 22**2 and y < 62
            rows += bytes(sun if inside else sea if y >= 62 else sky)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")

    header = side.to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    image = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + image


async def _follow(service: Service, friends: list[Friend]) -> None:
    """The five know each other; of the others, most know two of them."""
    for one in friends[:5]:
        for other in friends[:5]:
            if one is not other:
                await service.graph.follow(one.id, other.id)
    for number, friend in enumerate(friends[5:-2]):
        for known in (friends[0], friends[1 + number % 4]):
            await service.graph.follow(friend.id, known.id)
            if number % 4 != 3:
                await service.graph.follow(known.id, friend.id)
    private, blocked = friends[2], friends[-1]
    await service.people.change(private.id, Profile(is_private=True))
    await service.graph.follow(friends[-2].id, private.id)
    await service.graph.follow(friends[8].id, private.id)
    await service.graph.block(friends[1].id, blocked.id)


async def _questions(context: Context) -> None:
    now = days.now(context.clock)
    for number, text in enumerate(QUESTIONS):
        status = QuestionStatus.ARCHIVED if number % 11 == 10 else QuestionStatus.APPROVED
        made = now - timedelta(days=60 - number)
        kind = QuestionType.USER if number % 5 == 4 else QuestionType.ADMIN
        row = Question(
            question_id=f"demo-question-{number:02}",
            text=text,
            type=kind,
            status=status,
            created_at=made,
            updated_at=made,
        )
        await context.db.write(questions.put(row))


async def _days(context: Context, friends: list[Friend]) -> None:
    """The last two weeks, and this day a year ago."""
    today = days.today(context.clock)
    past = [today - timedelta(days=back) for back in range(1, DAYS + 1)]
    for number, day in enumerate([*past, times.year_before(today)]):
        text, said = OLD_ANSWERS[number % len(OLD_ANSWERS)]
        out = days.at(day, 8 + number * 5 % 14, number * 17 % 60)
        await _asked(context, day, f"old-question-{number:02}", text, out)
        for place, friend in enumerate(friends[:-2]):
            if number < 6 or (place + number) % 4:
                late = (place * 7 + number * 11) % 50
                await _answered(context, friend.id, day, out, said[place % len(said)], late)


async def _asked(context: Context, day: date, id: str, text: str, out: datetime) -> None:
    await context.db.write(
        questions.put(
            Question(
                question_id=id,
                text=text,
                type=QuestionType.ADMIN,
                status=QuestionStatus.USED,
                last_used_at=out,
                created_at=out - timedelta(days=40),
                updated_at=out,
            )
        )
    )
    local = out.astimezone(days.JST)
    row = DailyQuestion(
        day=day,
        question_id=id,
        question_text=text,
        scheduled_publish_time=time(local.hour, local.minute),
        published_at=out,
        created_at=out - timedelta(days=1),
    )
    await context.db.write(daily_questions.put(row))


async def _answered(context: Context, user: str, day: date, out: datetime, text: str, minutes: int) -> None:
    at = out + timedelta(minutes=minutes, seconds=20)
    late = times.lateness(out, at)
    await context.db.write(
        answers.put(
            Answer(
                day=day,
                user_id=user,
                question_id=f"demo-{day}",
                text=text,
                is_on_time=late == 0,
                late_minutes=late,
                created_at=at,
            )
        )
    )


async def _today(context: Context, service: Service, friends: list[Friend]) -> None:
    """Out for a few minutes; everybody but the first of the five has answered."""
    now = days.now(context.clock)
    today = days.today(context.clock)
    out = max(now - OUT_SINCE, days.start_of(today))
    await _asked(context, today, "today-question", TODAY, out)
    await service.planning.plan(today + timedelta(days=1))
    answered = friends[1:-2]
    for place, friend in enumerate(answered):
        minutes = min(place % 11, int((now - out).total_seconds() // 60))
        await _answered(context, friend.id, today, out, ANSWERS[place % len(ANSWERS)], minutes)
        for reactor in range(place % 4):
            await _reacted(
                context, today, friend.id, friends[(place * 3 + reactor) % 5].id, KINDS[(place + reactor) % 5]
            )


async def _reacted(context: Context, day: date, author: str, by: str, kind: ReactionType) -> None:
    now = days.now(context.clock)
    if author != by:
        await context.db.write(
            reactions.put(
                Reaction(day=day, user_id=author, reactor_id=by, reaction_type=kind, created_at=now, updated_at=now)
            )
        )


async def _for_the_operators(context: Context, service: Service, friends: list[Friend]) -> None:
    """Proposals, reports, a post that needs a look, and a few lines in the log."""
    admin, ren, mei = friends[0].id, friends[1].id, friends[2].id
    for friend, text in zip(friends[1:], PROPOSALS, strict=False):
        await service.submissions.submit(friend.id, text)
    for word, allowed in (("バカ", False), ("消えろ", False), ("バカンス", True)):
        await service.moderation.add_word(admin, word, allowed=allowed)
    await service.answers.answer(friends[-2].id, "バカみたいに寝る")
    await service.reports.send(
        ren, TargetType.USER, friends[-2].id, ReportCategory.SPAM, "宣伝のメッセージが何度も届きます。"
    )
    await service.reports.send(
        mei, TargetType.USER, friends[-1].id, ReportCategory.IMPERSONATION, "友だちの名前をかたっています。"
    )
    await service.moderation.ban(admin, friends[-1].id, "なりすまし", proved_at=days.now(context.clock))
    await service.editing.create(admin, "今年のうちにやっておきたいことは？")
