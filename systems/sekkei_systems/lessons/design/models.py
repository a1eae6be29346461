"""What is stored: ties of users to lessons, the timetable, contacts, saved searches.

Names of the table, its keys, indexes and attributes are those of the original document, to the letter. It names
`lessonDateTime` as an index key but not among the attributes; it is stored here, in Japanese time and one width. What
the document lacks is marked `added=True`."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from enum import Enum
from typing import Any

from sekkei.design import Attr, attr, computed, epoch, iso, model, part, template
from sekkei.kit.text import folded


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


def waits(kind: TieKind, status: Status) -> bool:
    return kind is TieKind.WAITLIST and status is Status.ACTIVE


def starts_at(lesson_date: date, start_time: time) -> datetime:
    return datetime.combine(lesson_date, start_time, JST)


def monitor_partition(kind: TieKind, status: Status, lesson_date: date) -> str | None:
    """Sparse: only active waitlists are watched."""
    return f"MON#{lesson_date.isoformat()}" if waits(kind, status) else None


COPIED = ("lesson_name", "instructor")
"""What users have copies of: it is in their lists, and they are told when it changes."""


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
    passed_over: Attr[int | None] = attr(
        "passedOverEpisode",
        default=None,
        ja="知らせる先がなかった空席の回",
        en="opening nobody could tell them of",
        added=True,
    )
    offer_until: Attr[datetime | None] = attr(
        "offerUntil", default=None, stored_as=INSTANT, ja="取り置きの期限", en="a place is held until", added=True
    )
    reminded_at: Attr[datetime | None] = attr(
        "remindedAt", default=None, stored_as=INSTANT, ja="リマインド日時", en="reminded of a booking", added=True
    )
    cancelled_late: Attr[bool | None] = attr(
        "cancelledLate", default=None, ja="直前の取消", en="cancelled shortly before", added=True
    )
    auto_book_until: Attr[datetime | None] = attr(
        "autoBookUntil",
        default=None,
        stored_as=INSTANT,
        ja="自動予約の締切",
        en="a free place is booked for them until then",
        added=True,
    )
    guest_name: Attr[str | None] = attr(
        "guestName", default=None, ja="当日受付の名前", en="name of a walk-in, who has no account", added=True
    )
    ended_with_lesson: Attr[bool | None] = attr(
        "endedWithLesson", default=None, ja="休講で終わったか", en="ended because the lesson was called off", added=True
    )
    pass_id: Attr[str | None] = attr(
        "passId",
        default=None,
        ja="使った会員証・回数券",
        en="membership or ticket book that it was booked with",
        added=True,
    )
    ticket_taken: Attr[bool | None] = attr(
        "ticketTaken", default=None, ja="回数券を1枚使ったか", en="a ticket was taken", added=True
    )
    week_counted: Attr[date | None] = attr(
        "weekCounted", default=None, ja="数えた週（月曜日）", en="week that it counts in, by its Monday", added=True
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
    booked: Attr[int] = attr(default=0, ja="予約数（合計）", en="places taken, here and elsewhere")
    booked_here: Attr[int] = attr("bookedHere", default=0, ja="うち、ここでの予約数", en="of these, booked here")
    is_open: Attr[bool] = attr("isOpen", default=True, ja="受付中か", en="may be booked")
    called_off: Attr[bool] = attr("calledOff", default=False, ja="休講", en="does not take place")
    called_off_words: Attr[str | None] = attr(
        "calledOffWords", default=None, ja="休講の理由", en="why it is called off"
    )
    made_by: Attr[str | None] = attr("madeBy", default=None, ja="作成元", en="weekly: made by a schedule")
    moving_to: Attr[str | None] = attr("movingTo", default=None, ja="移動先", en="slot that it is being moved to")
    moved_from: Attr[str | None] = attr("movedFrom", default=None, ja="移動元", en="slot that it was moved from")
    opens_after: Attr[bool | None] = attr(
        "opensAfterMove", default=None, ja="移動後に受け付けるか", en="takes bookings when everybody has moved"
    )
    was_available: Attr[bool] = attr(
        "wasAvailable", default=False, ja="前回空席があったか", en="had a free place last time"
    )
    episode: Attr[int] = attr(default=0, ja="空席の回", en="how often a place became free")
    offers: Attr[int] = attr(default=0, ja="取り置きの回数", en="how often a place was held for somebody")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")
    pushed_at: Attr[datetime | None] = attr(
        "pushedAt", default=None, stored_as=INSTANT, ja="最新の空席通知の時刻", en="when the newest push was signed"
    )
    sold_out_at: Attr[datetime | None] = attr(
        "soldOutAt", default=None, stored_as=INSTANT, ja="満席と分かった時刻", en="when it was last known to be full"
    )
    opened_at: Attr[datetime | None] = attr(
        "openedAt", default=None, stored_as=INSTANT, ja="空席が分かった時刻", en="when the last opening was counted"
    )
    listed: Attr[bool | None] = attr(default=None, ja="フィードの時間割にあるか", en="a feed listed it")
    missing_since: Attr[datetime | None] = attr(
        "missingSince", default=None, stored_as=INSTANT, ja="フィードから消えた時刻", en="no longer listed since"
    )
    ttl: Attr[datetime | None] = attr(default=None, stored_as=epoch(), ja="自動削除用", en="when it is deleted")


def copies_of(found: UserLesson | Lesson) -> dict[str, Any]:
    return {name: getattr(found, name) for name in COPIED}


@model
class Contact:
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    name: Attr[str] = attr(ja="名前", en="name")
    email: Attr[str | None] = attr(default=None, ja="確認済みのメール", en="proven mail address")
    line_user_id: Attr[str | None] = attr("lineUserId", default=None, ja="連携した LINE", en="linked LINE user")
    push_token: Attr[str | None] = attr("pushToken", default=None, ja="確認済みの端末", en="proven push token")
    webhook_url: Attr[str | None] = attr("webhookUrl", default=None, ja="確認済みの URL", en="proven webhook")
    channels: Attr[frozenset[str]] = attr(default=frozenset(), ja="通知方法", en="how to be told")
    muted: Attr[frozenset[str]] = attr(default=frozenset(), ja="受け取らない通知", en="what not to be told")
    language: Attr[str] = attr(default="ja", ja="言語", en="language of notices")
    calendar_token: Attr[str | None] = attr(
        "calendarToken", default=None, ja="カレンダーの鍵", en="key of the calendar feed"
    )
    links_from: Attr[datetime | None] = attr(
        "linksFrom", default=None, stored_as=INSTANT, ja="これより古いリンクは無効", en="older links are void"
    )
    quiet_from: Attr[time | None] = attr("quietFrom", default=None, ja="通知休止の開始", en="quiet from")
    quiet_until: Attr[time | None] = attr("quietUntil", default=None, ja="通知休止の終了", en="quiet until")


@model
class Proof:
    """An address that somebody wants to use, until it is shown to be theirs."""

    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    channel: Attr[str] = attr(ja="通知方法", en="way to be told")
    address: Attr[str | None] = attr(default=None, ja="確認中の宛先", en="address to be proven")
    code_hash: Attr[str] = attr("codeHash", ja="コードの指紋", en="what the code hashes to")
    attempts: Attr[int] = attr(default=0, ja="試した回数", en="times tried")
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="期限", en="until when")


@model
class LineCode:
    """A code that somebody types to the LINE bot, so that it knows whose chat it is."""

    code_hash: Attr[str] = attr("codeHash", ja="コードの指紋", en="what the code hashes to")
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="期限", en="until when")


@model
class LineTries:
    """How often a LINE user has typed codes within a window of time, right or wrong."""

    line_user_id: Attr[str] = attr("lineUserId", ja="LINE ユーザーID", en="LINE user")
    window: Attr[int] = attr(ja="時間枠", en="which window of time")
    attempts: Attr[int] = attr(default=0, ja="試した回数", en="times tried")
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="期限", en="until when")


def plain(text: str) -> str:
    """Names as they are compared: width, case and blanks make no difference."""
    return " ".join(folded(text).split())


def search_key(studio_code: str | None, program: str | None, instructor: str | None) -> str:
    """What a search is found by when a lesson comes up: the narrowest that it asks for."""
    if instructor:
        return f"INSTRUCTOR#{plain(instructor)}"
    if program:
        return f"PROGRAM#{plain(program)}"
    return f"STUDIO#{studio_code}"


@model
class Search:
    """Lessons that somebody wants to hear of when they appear or open."""

    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    search_id: Attr[str] = attr("searchId", ja="条件ID", en="which search")
    studio_code: Attr[str | None] = attr("studioCode", default=None, ja="スタジオコード", en="studio")
    program: Attr[str | None] = attr(default=None, ja="プログラム", en="programme")
    instructor: Attr[str | None] = attr(default=None, ja="インストラクター名", en="instructor")
    weekdays: Attr[frozenset[int]] = attr(default=frozenset(), ja="曜日（0 が月曜）", en="weekdays, 0 is Monday")
    time_from: Attr[time | None] = attr("timeFrom", default=None, ja="時間帯（から）", en="starts from")
    time_until: Attr[time | None] = attr("timeUntil", default=None, ja="時間帯（まで）", en="starts before")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="登録日時", en="made")
    search_key: Attr[str] = computed(search_key, "searchKey", ja="条件の鍵", en="what it is found by")


@model
class Match:
    """A lesson that fits somebody's search; stays until it begins, so that they are told of it once."""

    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    lesson_date: Attr[date] = attr("lessonDate", ja="レッスン日", en="day")
    start_time: Attr[time] = attr("startTime", ja="開始時間", en="start")
    seen_at: Attr[datetime] = attr("seenAt", stored_as=INSTANT, ja="見つけた状態", en="which state of the lesson")
    opened: Attr[bool] = attr(default=False, ja="空きが出たか", en="a place became free; else it is new")
    told_at: Attr[datetime | None] = attr("toldAt", default=None, stored_as=INSTANT, ja="通知日時", en="told")
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="期限", en="until when")


class DeskVerb(Enum):
    """What the staff of a studio did to a lesson."""

    BOOKED = "booked"
    WALK_IN = "walk-in"
    CANCELLED = "cancelled"
    CALLED_OFF = "called-off"
    MOVED = "moved"
    MESSAGE = "message"
    REFUSED = "refused"
    """Nobody's doing: a studio's own system refused a booking later, so it has ended."""


@model
class DeskAct:
    """One thing that the staff did, so that others see it and it can be undone."""

    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    lesson_date: Attr[date] = attr("lessonDate", ja="レッスン日", en="day")
    start_time: Attr[time] = attr("startTime", ja="開始時間", en="start")
    act_id: Attr[str] = attr("actId", ja="操作ID（UUIDv7）", en="which act")
    verb: Attr[DeskVerb] = attr(ja="操作", en="what was done")
    by: Attr[str] = attr(ja="担当者", en="who did it")
    user_id: Attr[str | None] = attr("userId", default=None, ja="対象の利用者", en="whom it concerns")
    name: Attr[str | None] = attr(default=None, ja="対象の名前", en="their name")
    words: Attr[str | None] = attr(default=None, ja="文面", en="what was said")
    target: Attr[str | None] = attr(default=None, ja="移動先", en="slot that it was moved to")
    to_waiting: Attr[bool] = attr("toWaiting", default=False, ja="待っている人にも", en="told those who wait, too")
    made: Attr[str | None] = attr(default=None, ja="入れた予約", en="booking that it made")
    done_at: Attr[datetime] = attr("doneAt", stored_as=INSTANT, ja="日時", en="when")
    undone_at: Attr[datetime | None] = attr(
        "undoneAt", default=None, stored_as=INSTANT, ja="取り消した日時", en="when it was undone"
    )
    undone_by: Attr[str | None] = attr(
        "undoneBy", default=None, ja="取り消しで入れた予約", en="booking that it was undone with"
    )
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="期限", en="until when")


class Role(Enum):
    """What somebody may do at a studio."""

    MANAGER = "manager"
    DESK = "desk"


@model
class StaffMember:
    """Somebody who runs a studio, by the proven mail address of their account."""

    chain: Attr[str] = attr(default="all", ja="チェーン", en="all studios are one chain")
    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    email: Attr[str] = attr(ja="メール", en="mail address")
    role: Attr[Role] = attr(ja="役割", en="what they may do")
    added_by: Attr[str] = attr("addedBy", ja="登録した人", en="who added them")
    added_at: Attr[datetime] = attr("addedAt", stored_as=INSTANT, ja="登録日時", en="when")


@model
class StudioSecret:
    """What a studio's own system signs its pushes with, sealed under the secret of this program."""

    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    sealed: Attr[str] = attr(ja="封をした秘密", en="the secret, sealed")
    made_at: Attr[datetime] = attr("madeAt", stored_as=INSTANT, ja="作成日時", en="when")


@model
class WeeklyLesson:
    """A lesson that takes place every week; a job makes the lessons of the next weeks out of it, each day once."""

    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    weekday: Attr[int] = attr(ja="曜日（0 が月曜）", en="0 is Monday")
    start_time: Attr[time] = attr("startTime", ja="開始時間", en="start")
    end_time: Attr[time | None] = attr("endTime", default=None, ja="終了時間", en="end")
    lesson_name: Attr[str] = attr("lessonName", ja="レッスン名", en="name")
    instructor: Attr[str] = attr(ja="インストラクター名", en="instructor")
    program: Attr[str | None] = attr(default=None, ja="プログラム", en="programme")
    capacity: Attr[int | None] = attr(default=None, ja="定員", en="places")
    first_day: Attr[date] = attr("firstDay", ja="いつから", en="from this day")
    last_day: Attr[date | None] = attr("lastDay", default=None, ja="いつまで", en="until this day")
    skipped: Attr[frozenset[str]] = attr(default=frozenset(), ja="行わない日", en="days without it")
    made_until: Attr[date | None] = attr("madeUntil", default=None, ja="作成済みの日", en="lessons are made until")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")


@model
class Holiday:
    """A day on which a studio's weekly lessons do not take place."""

    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    day: Attr[date] = attr(ja="日", en="day")
    name: Attr[str] = attr(ja="名前", en="name")


class PassKind(Enum):
    MEMBERSHIP = "membership"
    TICKETS = "tickets"
    TRIAL = "trial"


@model
class StudioRules:
    """What a studio asks of those who book, and how it handles its waitlists. What is absent is as everywhere."""

    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    needs_pass: Attr[bool] = attr(
        "needsPass", default=False, ja="会員証・回数券が要るか", en="a pass is needed to book"
    )
    has_trial: Attr[bool] = attr("hasTrial", default=False, ja="初回体験があるか", en="the first lesson needs no pass")
    opens_days: Attr[int | None] = attr(
        "opensDays", default=None, ja="何日前から", en="booked from so many days before"
    )
    opens_time: Attr[time | None] = attr("opensTime", default=None, ja="何時から", en="from this hour of that day")
    per_week: Attr[int | None] = attr("perWeek", default=None, ja="週の上限", en="lessons a week at most")
    late_takes_ticket: Attr[bool] = attr(
        "lateTakesTicket", default=True, ja="直前の取消で回数券を失うか", en="a late cancellation costs the ticket"
    )
    no_shows_max: Attr[int | None] = attr("noShowsMax", default=None, ja="無断欠席の上限", en="absences that block")
    no_show_days: Attr[int] = attr("noShowDays", default=30, ja="数える日数", en="within so many days")
    blocked_days: Attr[int] = attr("blockedDays", default=7, ja="予約できない日数", en="blocked for so many days")
    fairness: Attr[str | None] = attr(default=None, ja="待ち行列の方式", en="who is told of a free place")
    minutes: Attr[dict[str, Any]] = attr(
        default_factory=dict, ja="時間の決まり（分）", en="times of the policy, minutes"
    )
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")


@model
class Pass:
    """What somebody may book with at a studio. It ends with its last day; a while later it is gone."""

    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    pass_id: Attr[str] = attr("passId", ja="ID", en="which pass")
    kind: Attr[PassKind] = attr("passKind", ja="種類", en="membership, tickets or a trial")
    name: Attr[str] = attr(ja="名前", en="name")
    valid_from: Attr[date] = attr("validFrom", ja="有効期間（から）", en="first day")
    valid_until: Attr[date] = attr("validUntil", ja="有効期間（まで）", en="last day")
    tickets_left: Attr[int | None] = attr(
        "ticketsLeft", default=None, ja="残り枚数", en="tickets left; absent: no limit"
    )
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="登録日時", en="made")
    ttl: Attr[datetime | None] = attr(default=None, stored_as=epoch(), ja="期限", en="when it is deleted")


@model
class WeekCount:
    """How many lessons of a week somebody has booked at a studio."""

    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    monday: Attr[date] = attr(ja="週の月曜日", en="which week")
    count: Attr[int] = attr(default=0, ja="回数", en="lessons")
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="期限", en="until when")


@model
class Standing:
    """Whether somebody may book at a studio, after lessons that they booked and did not come to."""

    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    absences: Attr[frozenset[str]] = attr(default=frozenset(), ja="無断欠席", en="lessons that they missed")
    blocked_until: Attr[datetime | None] = attr(
        "blockedUntil", default=None, stored_as=INSTANT, ja="予約できない期限", en="may not book until"
    )


class Stage(Enum):
    """In their order; from each of the first four there is a way back."""

    RUNNING = "running"
    COPIED = "copied"
    VERIFIED = "verified"
    CUT_OVER = "cut-over"
    FINAL = "final"
    ROLLING_BACK = "rolling-back"
    ROLLED_BACK = "rolled-back"


@model
class Migration:
    source: Attr[str] = part()
    stage: Attr[Stage] = attr(ja="段階", en="how far it has come")
    cursors: Attr[dict[str, Any]] = attr(default_factory=dict, ja="区画ごとの位置", en="how far each segment is read")
    counts: Attr[dict[str, Any]] = attr(default_factory=dict, ja="件数", en="what was done so far")
    mapping: Attr[str] = attr(default="", ja="対応表の指紋", en="which mapping the rows were read by")
    owner: Attr[str] = attr(default="", ja="実行中のもの", en="who entered this stage")
    led_since: Attr[datetime | None] = attr(
        "ledSince", default=None, stored_as=INSTANT, ja="切替日時", en="when the new table began to lead"
    )
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")


# What is stored of a chain: how each studio's own system is reached, and what is under way with it.


@model
class StudioConnection:
    """A studio's own feed, booking system and booking page; what is there holds instead of the environment."""

    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    feed_url: Attr[str | None] = attr("feedUrl", default=None, ja="空席フィードの URL", en="its feed")
    booking_url: Attr[str | None] = attr("bookingUrl", default=None, ja="予約システムの URL", en="its booking system")
    booking_page: Attr[str | None] = attr("bookingPage", default=None, ja="予約ページの URL", en="its booking page")
    sealed_token: Attr[str | None] = attr("sealedToken", default=None, ja="封をしたトークン", en="its token, sealed")
    counts_ours: Attr[bool] = attr(
        "countsOurs", default=False, ja="ここの予約も数えているか", en="whether it counts ours"
    )
    """Bookings of before the connection were entered there too."""
    updated_by: Attr[str] = attr("updatedBy", ja="変更した人", en="who changed it")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")


class ReservationState(Enum):
    """Of a place in a studio's own system, until it is settled."""

    RESERVING = "reserving"
    BOOKED = "booked"
    RELEASING = "releasing"


@model
class Reservation:
    """A place that is being booked or given back in a studio's own system; gone when that is done."""

    reservation_id: Attr[str] = attr("reservationId", ja="予約ID", en="which reservation")
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="user")
    studio_code: Attr[str] = attr("studioCode", ja="スタジオコード", en="studio")
    lesson_date: Attr[date] = attr("lessonDate", ja="レッスン日", en="day")
    start_time: Attr[time] = attr("startTime", ja="開始時間", en="start")
    state: Attr[ReservationState] = attr(ja="状態", en="how far it has come")
    place_taken: Attr[bool] = attr(
        "placeTaken", default=False, ja="返すまで席を数える", en="counts as taken until the studio has it back"
    )
    tries: Attr[int] = attr(default=0, ja="試した回数", en="times tried")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="期限", en="until when")
