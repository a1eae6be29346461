"""The lesson list's table `user_lessons`: what ties a user to a lesson, one item per tie.

Names of the table, its keys, indexes and attributes are those of the original document, to the letter. It names
`lessonDateTime` as an index key but not among the attributes; it is stored here, in Japanese time and one width. What
the document lacks is marked `added=True`.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from enum import Enum
from importlib import import_module
from typing import Any

from sekkei.design import (
    Attr,
    Design,
    Index,
    Key,
    Put,
    Query,
    Ref,
    Transaction,
    Update,
    attr,
    computed,
    epoch,
    iso,
    model,
    template,
)


class TieKind(Enum):
    FAVORITE = "favorite"
    WAITLIST = "waitlist"
    BOOKING = "booking"
    HISTORY = "history"


class Status(Enum):
    ACTIVE = "active"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


JST = timezone(timedelta(hours=9))
INSTANT = iso("Z", digits=3)
KEPT_AFTER_LESSON = timedelta(days=7)
"""How long a tie that is over stays; history stays for good."""

design = Design(
    "lessons",
    ja="スタジオレッスンの気になる・キャンセル待ち・予約",
    en="Studio lessons: favourites, waitlists, bookings",
)

user_lessons_table = design.table(
    "user_lessons",
    "PK",
    "SK",
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
    indexes=[
        Index(
            "TypeDateIndex", "type", "lessonDate", ja="タイプ別の日付ソート、一括処理", en="ties of one kind, by day"
        ),
        Index(
            "StudioDateIndex", "studioCode", "lessonDate", ja="スタジオ別のレッスン取得", en="ties to a studio, by day"
        ),
        Index(
            "StatusDateTimeIndex",
            "status",
            "lessonDateTime",
            ja="ステータス別の時系列処理、監視対象抽出",
            en="ties of one status, in the order of the lessons",
        ),
        Index(
            "UserTypeIndex", "userType", "lessonDateTime", ja="利用者とタイプ別の時系列", en="a user's list", added=True
        ),
        Index(
            "MonitorIndex", "monitorPk", "monitorSk", ja="監視対象のキャンセル待ち", en="waitlists to watch", added=True
        ),
        Index("WaitlistIdIndex", "waitlistId", ja="キャンセル待ちIDの逆引き", en="tie of a waitlist id", added=True),
        Index("ReservationIdIndex", "reservationId", ja="予約IDの逆引き", en="ties of a reservation", added=True),
    ],
    ja="ユーザーとレッスンの関連情報",
    en="What ties users to lessons",
)
lessons_table = design.table(
    "Lessons",
    "PK",
    "SK",
    discriminator="kind",
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
    indexes=[
        Index("SearchIndex", "searchKey", "userId", ja="条件に合う利用者", en="who looks for such lessons", added=True)
    ],
    ja="レッスン一覧と空席",
    en="The timetable, with free places",
    added=True,
)
contacts_table = design.table("Users", "userId", ja="通知先と設定", en="How to reach users", added=True)


def waits(kind: TieKind, status: Status) -> bool:
    return kind is TieKind.WAITLIST and status is Status.ACTIVE


def starts_at(lesson_date: date, start_time: time) -> datetime:
    return datetime.combine(lesson_date, start_time, JST)


def monitor_partition(kind: TieKind, status: Status, lesson_date: date) -> str | None:
    """Sparse: only active waitlists are watched."""
    return f"MON#{lesson_date.isoformat()}" if waits(kind, status) else None


@model
class UserLesson:
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード (gnz, sby, etc.)", en="studio, such as gnz")
    lesson_date: Attr[date] = attr("lessonDate", ja="レッスン日", en="day of the lesson")
    start_time: Attr[time] = attr("startTime", ja="開始時間", en="start")
    lesson_name: Attr[str] = attr("lessonName", ja="レッスン名", en="name of the lesson")
    instructor: Attr[str] = attr(ja="インストラクター名", en="instructor")
    kind: Attr[TieKind] = attr("type", ja="関係タイプ", en="kind of tie")
    status: Attr[Status] = attr(default=Status.ACTIVE, ja="ステータス", en="status")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="登録日時", en="made")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")
    ttl: Attr[datetime | None] = attr(default=None, stored_as=epoch(), ja="自動削除用", en="when it is deleted")
    waitlist_id: Attr[str | None] = attr("waitlistId", default=None, ja="キャンセル待ちID", en="id of a waitlist entry")
    notification_sent: Attr[bool | None] = attr(
        "notificationSent", default=None, ja="通知送信済み", en="told that a place is free"
    )
    reservation_id: Attr[str | None] = attr("reservationId", default=None, ja="予約ID", en="id of a reservation")
    notes: Attr[str | None] = attr(default=None, ja="メモ", en="a note")
    starts_at: Attr[datetime] = computed(
        starts_at,
        "lessonDateTime",
        stored_as=iso("+09:00", digits=0),
        ja="開始日時（JST）",
        en="start of the lesson, JST",
    )
    user_type: Attr[str] = template("{user_id}#{kind}", "userType", ja="利用者とタイプ", en="user and kind", added=True)
    monitor_pk: Attr[str | None] = computed(
        monitor_partition, "monitorPk", ja="監視の印", en="set while to be watched", added=True
    )
    monitor_sk: Attr[str] = template(
        "{starts_at}#{studio_code}#{queue_key}",
        "monitorSk",
        ja="監視順",
        en="lesson, then queue",
        added=True,
    )
    queue_key: Attr[str | None] = attr(
        "queueKey", default=None, ja="登録順（UUIDv7）", en="place in the queue", added=True
    )
    lesson_id: Attr[str | None] = attr("lessonId", default=None, ja="レッスンの識別子", en="which lesson", added=True)
    notified_at: Attr[datetime | None] = attr(
        "lastNotifiedAt", default=None, stored_as=INSTANT, ja="最終通知日時", en="last told", added=True
    )
    notify_count: Attr[int] = attr("notifyCount", default=0, ja="通知回数", en="how often told", added=True)
    notify_episode: Attr[int] = attr("notifyEpisode", default=0, ja="空席の回", en="which opening", added=True)
    offer_until: Attr[datetime | None] = attr(
        "offerUntil", default=None, stored_as=INSTANT, ja="取り置きの期限", en="a place is held until", added=True
    )
    reminded_at: Attr[datetime | None] = attr(
        "remindedAt", default=None, stored_as=INSTANT, ja="リマインド日時", en="reminded of a booking", added=True
    )
    cancelled_late: Attr[bool | None] = attr(
        "cancelledLate", default=None, ja="直前の取消", en="cancelled shortly before", added=True
    )
    attended: Attr[bool | None] = attr(default=None, ja="出席したか", en="came to the lesson", added=True)
    paused_until: Attr[datetime | None] = attr(
        "pausedUntil", default=None, stored_as=INSTANT, ja="一時停止", en="not watched until", added=True
    )
    legacy: Attr[dict[str, Any] | None] = attr(default=None, ja="移行元の属性", en="carried over", added=True)


@model
class Lesson:
    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    lesson_date: Attr[date] = attr("lessonDate", ja="レッスン日", en="day")
    start_time: Attr[time] = attr("startTime", ja="開始時間", en="start")
    end_time: Attr[time | None] = attr("endTime", default=None, ja="終了時間", en="end")
    lesson_id: Attr[str | None] = attr("lessonId", default=None, ja="レッスンの識別子", en="which lesson")
    lesson_name: Attr[str] = attr("lessonName", ja="レッスン名", en="name")
    instructor: Attr[str] = attr(ja="インストラクター名", en="instructor")
    program: Attr[str | None] = attr(default=None, ja="プログラム", en="programme")
    capacity: Attr[int | None] = attr(default=None, ja="定員", en="places")
    booked: Attr[int] = attr(default=0, ja="予約数", en="places taken")
    is_open: Attr[bool] = attr("isOpen", default=True, ja="受付中か", en="may be booked")
    called_off: Attr[bool] = attr("calledOff", default=False, ja="休講", en="does not take place")
    was_available: Attr[bool] = attr(
        "wasAvailable", default=False, ja="前回空席があったか", en="had a free place last time"
    )
    episode: Attr[int] = attr(default=0, ja="空席の回", en="how often a place became free")
    offers: Attr[int] = attr(default=0, ja="取り置きの回数", en="how often a place was held for somebody")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")
    pushed_at: Attr[datetime | None] = attr(
        "pushedAt", default=None, stored_as=INSTANT, ja="最新の空席通知の時刻", en="when the newest push was signed"
    )
    ttl: Attr[datetime | None] = attr(default=None, stored_as=epoch(), ja="自動削除用", en="when it is deleted")


@user_lessons_table.entity(UserLesson, ja="利用者とレッスンの関係", en="tie of a user to a lesson")
def user_lessons(user_id: str, studio_code: str, lesson_date: date, start_time: time, kind: TieKind) -> Key:
    return Key(f"USER#{user_id}", f"LESSON#{studio_code}#{lesson_date}#{start_time}#{kind}")


@lessons_table.entity(Lesson, type="lesson", ja="レッスン", en="lesson", added=True)
def lessons(studio_code: str, lesson_date: date, start_time: time) -> Key:
    return Key(f"STUDIO#{studio_code}", f"LESSON#{lesson_date}#{start_time}")


by_kind = user_lessons.index("TypeDateIndex")
by_studio = user_lessons.index("StudioDateIndex")
by_status = user_lessons.index("StatusDateTimeIndex")
by_user_and_kind = user_lessons.index("UserTypeIndex")
watched = user_lessons.index("MonitorIndex")
by_waitlist_id = user_lessons.index("WaitlistIdIndex")
by_reservation_id = user_lessons.index("ReservationIdIndex")


# What the document's key design and indexes are for


@design.pattern(number="TypeDateIndex", ja="タイプ別の日付ソート、一括処理")
def of_kind_between(kind: TieKind, first: date, last: date) -> Query[UserLesson]:
    """Ties of one kind between two days, by day."""
    return by_kind.where(UserLesson.kind == kind, UserLesson.lesson_date.between(first, last))


@design.pattern(number="StudioDateIndex", ja="スタジオ別のレッスン取得")
def of_studio_on(studio_code: str, day: date) -> Query[UserLesson]:
    """Who has to do with a studio's lessons of a day."""
    return by_studio.where(UserLesson.studio_code == studio_code, UserLesson.lesson_date == day)


@design.pattern(number="StatusDateTimeIndex", ja="ステータス別の時系列処理、監視対象抽出")
def active_between(first: datetime, last: datetime) -> Query[UserLesson]:
    """Active ties whose lessons start between two moments, in their order."""
    return by_status.where(UserLesson.status == Status.ACTIVE, UserLesson.starts_at.between(first, last))


@design.pattern(number="Primary", ja="ユーザーの全レッスン関係")
def all_of_user(user_id: str) -> Query[UserLesson]:
    """Everything that ties a user to lessons."""
    return user_lessons.where(UserLesson.user_id == user_id)


@design.pattern(number="Primary", ja="ユーザーと一つのレッスンの関係")
def of_user_to_lesson(user_id: str, studio_code: str, lesson_date: date, start_time: time) -> Query[UserLesson]:
    """Everything that ties a user to one lesson."""
    return user_lessons.where(
        UserLesson.user_id == user_id,
        UserLesson.studio_code == studio_code,
        UserLesson.lesson_date == lesson_date,
        UserLesson.start_time == start_time,
    )


@design.pattern(number="Primary", ja="一件の関係を取得")
def user_lesson(user_id: str, studio_code: str, lesson_date: date, start_time: time, kind: TieKind) -> Ref[UserLesson]:
    """One tie, as it is now."""
    return user_lessons(user_id, studio_code, lesson_date, start_time, kind).consistent()


# Added


@design.pattern(ja="登録（取消・期限切れの後は再登録できる）", added=True)
def register(tie: UserLesson) -> Put[UserLesson]:
    """Tie a user to a lesson, unless an active or completed tie of that kind is there."""
    again = UserLesson.user_id.absent() | UserLesson.status.one_of(Status.CANCELLED, Status.EXPIRED)
    return user_lessons.put(tie).when(again)


@design.pattern(ja="過ぎたのに active のもの", added=True)
def active_before(now: datetime) -> Query[UserLesson]:
    """Active ties whose lessons have begun."""
    return by_status.where(UserLesson.status == Status.ACTIVE, UserLesson.starts_at < now)


@design.pattern(ja="ユーザーのタイプ別一覧（時系列）", added=True)
def of_user_and_kind(user_id: str, kind: TieKind) -> Query[UserLesson]:
    """A user's favourites, waitlists, bookings or history, by time across studios."""
    return by_user_and_kind.where(UserLesson.user_id == user_id, UserLesson.kind == kind)


@design.pattern(ja="ユーザーのタイプ別一覧（期間）", added=True)
def of_user_between(user_id: str, kind: TieKind, first: datetime, last: datetime) -> Query[UserLesson]:
    """A user's ties of one kind to lessons that start between two moments, by time across studios."""
    return by_user_and_kind.where(
        UserLesson.user_id == user_id, UserLesson.kind == kind, UserLesson.starts_at.between(first, last)
    )


@design.pattern(ja="一日分の監視対象", added=True)
def watched_on(day: date) -> Query[UserLesson]:
    """Active waitlists for the lessons of a day, by lesson and then by registration."""
    return watched.where(UserLesson.monitor_pk == f"MON#{day}")


@design.pattern(
    ja="一つのレッスンの待ち行列", added=True, sample={"lesson_date": date(2025, 7, 30), "start_time": time(19, 30)}
)
def queue_of(studio_code: str, lesson_date: date, start_time: time) -> Query[UserLesson]:
    """Everyone who waits for one lesson, first come first."""
    return watched.where(
        UserLesson.monitor_pk == f"MON#{lesson_date}",
        UserLesson.starts_at == starts_at(lesson_date, start_time),
        UserLesson.studio_code == studio_code,
    )


@design.pattern(ja="キャンセル待ちIDから引く", added=True)
def of_waitlist_id(waitlist_id: str) -> Query[UserLesson]:
    """The tie that a waitlist id names."""
    return by_waitlist_id.where(UserLesson.waitlist_id == waitlist_id)


@design.pattern(ja="予約IDから引く", added=True)
def of_reservation_id(reservation_id: str) -> Query[UserLesson]:
    """Booking and history of a reservation."""
    return by_reservation_id.where(UserLesson.reservation_id == reservation_id)


@design.pattern(ja="状態の変更", added=True)
def change_status(tie: UserLesson, status: Status, now: datetime) -> Update[UserLesson]:
    """Move a tie on, if it still has the status that was read."""
    update = user_lessons.update(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)
    changed = update.set(UserLesson.status, status).set(UserLesson.updated_at, now)
    changed = changed.set(UserLesson.ttl, tie.starts_at + KEPT_AFTER_LESSON)
    return changed.knowing(tie).when(UserLesson.status == tie.status)


@design.pattern(ja="レッスンの変更を写しに反映", added=True)
def refresh(tie: UserLesson, lesson_name: str, instructor: str, now: datetime) -> Update[UserLesson]:
    """A tie's copies of its lesson, as the timetable has them now."""
    update = user_lessons.update(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)
    update = update.set(UserLesson.lesson_name, lesson_name).set(UserLesson.instructor, instructor)
    return update.set(UserLesson.updated_at, now).when(UserLesson.status == Status.ACTIVE)


@design.pattern(ja="席を一つ取る", added=True)
def take_place(tie: UserLesson, now: datetime) -> Update[Lesson]:
    """One place less, if there is one."""
    update = lessons.update(tie.studio_code, tie.lesson_date, tie.start_time).add(Lesson.booked, 1)
    room = Lesson.capacity.absent() | (Lesson.booked < Lesson.capacity)
    return update.set(Lesson.updated_at, now).when(Lesson.is_open.is_(True), room)


@design.pattern(ja="席を一つ返す", added=True)
def give_place_back(tie: UserLesson, now: datetime) -> Update[Lesson]:
    """One place more."""
    update = lessons.update(tie.studio_code, tie.lesson_date, tie.start_time).add(Lesson.booked, -1)
    return update.set(Lesson.updated_at, now).when(Lesson.booked > 0)


@design.pattern(ja="キャンセル待ちから予約へ", added=True)
def book_from_waitlist(waiting: UserLesson, booking: UserLesson, now: datetime) -> Transaction:
    """The waitlist ends, the booking begins and the place is taken, all together."""
    return Transaction(change_status(waiting, Status.COMPLETED, now), register(booking), take_place(booking, now))


@design.pattern(ja="予約から履歴へ", added=True)
def complete_booking(booking: UserLesson, history: UserLesson, now: datetime) -> Transaction:
    """The lesson took place: the booking is completed and stays as history."""
    return Transaction(change_status(booking, Status.COMPLETED, now), user_lessons.create(history))


@design.pattern(ja="スタジオの時間割", added=True)
def timetable(studio_code: str, first: date, last: date) -> Query[Lesson]:
    """A studio's lessons between two days."""
    return lessons.where(Lesson.studio_code == studio_code, Lesson.lesson_date.between(first, last))


@design.pattern(ja="一つのレッスン", added=True)
def lesson(studio_code: str, lesson_date: date, start_time: time) -> Ref[Lesson]:
    """One lesson, as it is now."""
    return lessons(studio_code, lesson_date, start_time).consistent()


user_lessons.example(
    UserLesson(
        user_id="user123",
        studio_code="gnz",
        lesson_date=date(2025, 7, 30),
        start_time=time(10, 30),
        lesson_name="BSL House 1",
        instructor="YUKI",
        kind=TieKind.FAVORITE,
        created_at=datetime.fromisoformat("2025-07-29T03:45:00.000Z"),
        updated_at=datetime.fromisoformat("2025-07-29T03:45:00.000Z"),
        notes="いつものお気に入り",
    )
)
user_lessons.example(
    UserLesson(
        user_id="user123",
        studio_code="gnz",
        lesson_date=date(2025, 7, 30),
        start_time=time(19, 30),
        lesson_name="BSL House 1",
        instructor="Shiori.I",
        kind=TieKind.WAITLIST,
        created_at=datetime.fromisoformat("2025-07-29T03:45:00.000Z"),
        updated_at=datetime.fromisoformat("2025-07-29T03:45:00.000Z"),
        waitlist_id="wl_abc123",
        notification_sent=False,
        queue_key="019850a1-0000-7000-8000-000000000001",
        ttl=datetime(2025, 8, 6, 19, 30, tzinfo=JST),
    )
)

import_module("sekkei_systems.lessons.people")  # whom to tell, and what they look for, belong to this design
import_module("sekkei_systems.lessons.migration.ledger")  # and how far a move from an older table has come
