"""What goes in and out of the API, and how it is made from what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Annotated, Literal

from msgspec import Meta, Struct

from sekkei.kit.typed import Line, NameLine, Text, Token
from sekkei_systems.q.design.models import (
    Answer,
    DailyQuestion,
    DeviceType,
    Question,
    ReactionType,
    ReportCategory,
    TargetType,
    User,
    Visibility,
)
from sekkei_systems.q.rules.notices import Wishes
from sekkei_systems.q.rules.sight import Relation, sees_profile
from sekkei_systems.q.rules.writing import Profile, waiting
from sekkei_systems.q.service.answers import Remembered
from sekkei_systems.q.service.following import Card
from sekkei_systems.q.service.reactions import Summary
from sekkei_systems.q.service.timeline import Entry

Typed = Annotated[str, Line(2000, 0)]
"""One line, whose characters the service counts as people do."""
Lines = Annotated[str, Text(2000)]
Email = Annotated[str, Line(254, 0)]
Short = Annotated[Token, Meta(max_length=254)]
Id = Annotated[str, Meta(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$")]
_AddressHash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256 of an address in lower case, in hex")]
Minute = Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")]
_DeviceOf = Annotated[
    Token, Meta(max_length=200, description="The Expo push token: nobody else hears anything there now")
]
Emoji = Annotated[Token, Meta(min_length=1, max_length=4, description="❤️ 🔥 😂 🤔 👀")]


# In


class Shape(Struct, rename="camel"):
    """Names as the tables have them."""


class AskCode(Shape):
    email: Email
    name: Annotated[str, NameLine(100, 0)] = ""


class GiveCode(Shape):
    challenge: Annotated[Token, Meta(min_length=1, max_length=100)]
    code: Annotated[str, Line(300)]
    device_token: _DeviceOf | None = None


class GivePassword(Shape):
    email: Email
    password: Short
    device_token: _DeviceOf | None = None


class Refresh(Shape):
    refresh_token: Annotated[Token, Meta(min_length=1, max_length=300)]


class Join(Shape):
    birth_date: date
    display_name: Typed = ""
    terms: Short | None = None


class Agreement(Shape):
    """The version of the terms that one agrees to."""

    version: Short


class TermsOut(Shape):
    """What one agrees to; null where the operator asks for nothing."""

    version: str | None
    terms_url: str | None = None
    privacy_url: str | None = None


class AppId(Shape):
    app_id: Short


class Username(Shape):
    username: Short


class Picture(Shape):
    content: Annotated[bytes, Meta(description="JPEG, PNG, WebP or GIF of at most 5 MB, in base64")]


class Device(Shape):
    token: Annotated[Token, Meta(max_length=200)]
    device_type: DeviceType


class DeviceToken(Shape):
    token: Annotated[Token, Meta(max_length=1000)]


class BrowserKeys(Shape):
    p256dh: Annotated[Token, Meta(max_length=100)]
    auth: Annotated[Token, Meta(max_length=30)]


class NewBrowser(Shape):
    """What PushManager.subscribe gives, as JSON."""

    endpoint: Annotated[Token, Meta(max_length=1000)]
    keys: BrowserKeys


class PushKey(Shape):
    """What a browser subscribes with; null while the operator has not set web push up."""

    key: str | None


class NewAnswer(Shape):
    text: Typed
    date: date | None = None


class NewReaction(Shape):
    reaction: Emoji


class NewReport(Shape):
    target_type: TargetType
    target_id: Annotated[str, Meta(min_length=1, max_length=100, pattern="^[A-Za-z0-9_#-]+$")]
    category: ReportCategory
    description: Lines = ""


class NewQuestion(Shape):
    text: Typed


class Notifications(Shape):
    """Which notices one wants, and between which hours (Japan's time, HH:mm) none."""

    question: bool
    reaction: bool
    follow: bool
    digest: bool
    quiet_from: Minute | None = None
    quiet_until: Minute | None = None


class Paging(Shape):
    after: Annotated[Token, Meta(max_length=2000)] | None = None


class TimelinePaging(Paging):
    limit: Annotated[int, Meta(ge=1, le=50)] = 20


class Search(Shape):
    app_id: Short


class Findable(Shape):
    findable: bool


class Addresses(Shape):
    hashes: Annotated[list[_AddressHash], Meta(min_length=1, max_length=50)]


# Out


class Ticket(Shape):
    challenge: str


class SignedIn(Shape):
    access_token: str
    expires_in: int
    refresh_token: str
    user_id: str
    has_joined: bool


class RelationOut(Shape):
    follows: bool
    followed: bool
    blocks: bool
    requested: bool = False
    mutes: bool = False


class Person(Shape):
    """Somebody as others see them; about and counts of a private account are for its followers."""

    user_id: str
    app_id: str | None
    username: str | None
    display_name: str | None
    picture_url: str | None
    is_private: bool
    is_verified: bool = False
    bio: str | None = None
    following_count: int | None = None
    follower_count: int | None = None
    relation: RelationOut | None = None


class Suggested(Shape):
    person: Person
    through: int
    """How many of those whom one follows, and who were looked at, follow them."""


class InviteOut(Shape):
    invite_id: str
    expires_at: datetime
    uses_left: int
    url: str | None = None
    """Only when it is made; afterwards nobody knows it but those who have it."""


class Me(Shape):
    user_id: str
    email: str
    app_id: str | None
    username: str | None
    display_name: str | None
    bio: str | None
    birth_date: date
    picture_url: str | None
    is_private: bool
    visibility_type: Visibility
    answers_first: bool
    answers_first_fixed: bool
    following_count: int
    follower_count: int
    is_admin: bool
    deleting_at: datetime | None
    flagged: list[str]
    """Which parts of the profile only oneself sees until moderators have looked: name, bio, picture."""
    is_verified: bool
    findable: bool = False
    """By those who know one's address, and want to be found too."""


class QuestionOut(Shape):
    date: date
    text: str
    published_at: datetime
    on_time_until: datetime


class AnswerOut(Shape):
    date: date
    user_id: str
    text: str
    is_on_time: bool
    late_minutes: int
    created_at: datetime
    is_flagged: bool = False
    is_deleted: bool = False
    can_restore: bool = False


class Today(Shape):
    question: QuestionOut
    answer: AnswerOut | None


class Reactions(Shape):
    counts: dict[str, int]
    mine: str | None
    more: bool


class Post(Shape):
    answer: AnswerOut
    author: Person
    reactions: Reactions


class Reactor(Shape):
    reaction: str
    user: Person
    created_at: datetime


class TimelineOut(Shape):
    question: QuestionOut
    items: list[Post]
    total: Annotated[int, Meta(description="Answers that one may see, on all pages; with `more`, at least so many")]
    locked: bool
    cursor: str | None = None
    more: bool = False


class Memory(Shape):
    question: str
    answer: AnswerOut


class LookBack(Shape):
    streak: int
    year_ago: Memory | None


class AnswerPage(Shape):
    question: str
    answer: AnswerOut
    author: Person
    reactions: Reactions


class FollowOutcome(Shape):
    outcome: Literal["following", "requested"]


class SentQuestion(Shape):
    question_id: str
    text: str
    status: str
    created_at: datetime


class Candidate(Shape):
    question_id: str
    text: str
    votes: int
    mine: bool


class DigestAnswer(Shape):
    question: str
    answer: AnswerOut
    counts: dict[str, int]


class Digest(Shape):
    since: date
    until: date
    total: int
    counts: dict[str, int]
    answers: list[DigestAnswer]


class Farewell(Shape):
    deleted_at: datetime


# How they are made


def person(viewer: str, user: User, relation: Relation | None, requested: bool = False) -> Person:
    found = Person(
        user_id=user.user_id,
        app_id=user.app_id,
        username=user.username,
        display_name=user.display_name,
        picture_url=user.profile_image_url,
        is_private=user.is_private,
        is_verified=user.is_verified,
    )
    if relation is not None:
        found.relation = RelationOut(
            follows=relation.follows,
            followed=relation.followed,
            blocks=relation.blocks,
            requested=requested,
            mutes=relation.mutes,
        )
        if sees_profile(viewer, user, relation):
            found.bio = user.bio
            found.following_count = user.following_count
            found.follower_count = user.follower_count
    return found


def card(viewer: str, one: Card) -> Person:
    return person(viewer, one.user, one.relation, one.requested)


def me(user: User, answers_first: bool) -> Me:
    """`answers_first` is the operator's rule, which nobody can switch off for themselves."""
    entered = {name: getattr(user, name) for name in Profile.__struct_fields__ if name != "language"}
    return Me(
        **{**entered, "answers_first": answers_first or user.answers_first},
        user_id=user.user_id,
        email=user.email,
        app_id=user.app_id,
        username=user.username,
        birth_date=user.birth_date,
        picture_url=user.profile_image_url,
        answers_first_fixed=answers_first,
        following_count=user.following_count,
        follower_count=user.follower_count,
        findable=user.findable,
        is_admin=user.is_admin,
        deleting_at=user.deleting_at,
        flagged=[part.value for part in waiting(user)],
        is_verified=user.is_verified,
    )


def question(row: DailyQuestion, on_time_until: datetime) -> QuestionOut:
    assert row.published_at is not None
    return QuestionOut(date=row.day, text=row.question_text, published_at=row.published_at, on_time_until=on_time_until)


def answer(one: Answer, viewer: str, now: datetime, undo_seconds: float) -> AnswerOut:
    found = AnswerOut(
        date=one.day,
        user_id=one.user_id,
        text=one.text,
        is_on_time=one.is_on_time,
        late_minutes=one.late_minutes,
        created_at=one.created_at,
    )
    if one.user_id == viewer:  # what becomes of a post is its author's affair
        found.is_flagged, found.is_deleted = one.is_flagged, one.is_deleted
        recent = one.deleted_at is not None and (now - one.deleted_at).total_seconds() <= undo_seconds
        found.can_restore = one.is_deleted and recent and not one.deleted_by_admin
    return found


def reactions(summary: Summary) -> Reactions:
    mine = summary.mine.value if summary.mine else None
    return Reactions(counts=counts(summary.counts), mine=mine, more=summary.more)


def post(entry: Entry, shown: AnswerOut, viewer: str) -> Post:
    return Post(answer=shown, author=person(viewer, entry.author, None), reactions=reactions(entry.reactions))


def memory(one: Remembered, shown: AnswerOut) -> Memory:
    return Memory(question=one.question_text, answer=shown)


def counts(found: Mapping[ReactionType, int]) -> dict[str, int]:
    return {kind.value: count for kind, count in found.items()}


def wishes(given: Notifications) -> Wishes:
    quiet = [None if one is None else time.fromisoformat(one) for one in (given.quiet_from, given.quiet_until)]
    return Wishes(given.question, given.reaction, given.follow, given.digest, *quiet)


def notifications(found: Wishes) -> Notifications:
    quiet = [None if one is None else one.strftime("%H:%M") for one in (found.quiet_from, found.quiet_until)]
    return Notifications(found.question, found.reaction, found.follow, found.digest, *quiet)


def candidate(one: Question, mine: bool) -> Candidate:
    return Candidate(question_id=one.question_id, text=one.text, votes=one.votes, mine=mine)


def sent_question(one: Question) -> SentQuestion:
    return SentQuestion(question_id=one.question_id, text=one.text, status=one.status.value, created_at=one.created_at)
