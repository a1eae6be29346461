"""Tables, indexes and keys."""

from __future__ import annotations

from datetime import date, time

from sekkei.design import Design, Index, Key
from sekkei_systems.lessons.design.models import (
    Contact,
    DeskAct,
    Holiday,
    Lesson,
    LineCode,
    LineTries,
    Match,
    Migration,
    Pass,
    Proof,
    Reservation,
    Search,
    StaffMember,
    Standing,
    StudioConnection,
    StudioRules,
    StudioSecret,
    TieKind,
    UserLesson,
    WeekCount,
    WeeklyLesson,
)
from sekkei_systems.original import ADDED

design = Design(
    "lessons",
    language="ja",
    added=ADDED,
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


@contacts_table.entity(Contact, ja="通知先", en="how to reach a user", added=True)
def contacts(user_id: str) -> Key:
    return Key(user_id)


@lessons_table.entity(Proof, type="proof", ja="宛先の確認", en="address to be proven", added=True)
def proofs(user_id: str, channel: str) -> Key:
    return Key(f"PROOF#{user_id}", channel)


@lessons_table.entity(LineCode, type="line-code", ja="LINE 連携コード", en="code for the LINE bot", added=True)
def line_codes(code_hash: str) -> Key:
    return Key(f"LINE-CODE#{code_hash}", "CODE")


@lessons_table.entity(LineTries, type="line-tries", ja="LINE で試した回数", en="codes tried by LINE", added=True)
def line_tries(line_user_id: str, window: int) -> Key:
    return Key(f"LINE-TRIES#{line_user_id}", f"WINDOW#{window:010d}")


@lessons_table.entity(Search, type="search", ja="保存した条件", en="saved search", added=True)
def searches(user_id: str, search_id: str) -> Key:
    return Key(f"SEEKER#{user_id}", f"SEARCH#{search_id}")


@lessons_table.entity(Match, type="match", ja="条件に合ったレッスン", en="lesson that fits a search", added=True)
def matches(user_id: str, studio_code: str, lesson_date: date, start_time: time) -> Key:
    return Key(f"SEEKER#{user_id}", f"MATCH#{studio_code}#{lesson_date}#{start_time}")


by_search_key = searches.index("SearchIndex")


@lessons_table.entity(
    Migration, type="migration", ja="旧テーブルからの移行", en="migration from an older table", added=True
)
def migrations(source: str) -> Key:
    return Key(f"MIGRATION#{source}", "STATE")


design.relate(lessons, matches)
design.relate(contacts, proofs, line_codes, searches, matches)
design.relate(matches, user_lessons)


@lessons_table.entity(
    Reservation, type="reservation", ja="外部システムでの予約の途中", en="a place in a studio's own system", added=True
)
def reservations(reservation_id: str) -> Key:
    return Key(f"RESERVATION#{reservation_id}", "STATE")


@lessons_table.entity(DeskAct, type="desk-act", ja="窓口の操作の記録", en="what the desk did", added=True)
def desk_acts(studio_code: str, lesson_date: date, start_time: time, act_id: str) -> Key:
    return Key(f"DESK#{studio_code}#{lesson_date}#{start_time}", f"ACT#{act_id}")


@lessons_table.entity(StudioRules, type="rules", ja="スタジオの決まり", en="rules of a studio", added=True)
def studio_rules(studio_code: str) -> Key:
    return Key(f"STUDIO#{studio_code}", "RULES")


@lessons_table.entity(Pass, type="pass", ja="会員証・回数券", en="membership or ticket book", added=True)
def passes(user_id: str, studio_code: str, pass_id: str) -> Key:
    return Key(f"MEMBER#{user_id}", f"PASS#{studio_code}#{pass_id}")


@lessons_table.entity(WeekCount, type="week", ja="週の予約数", en="lessons of a week", added=True)
def week_counts(user_id: str, studio_code: str, monday: date) -> Key:
    return Key(f"MEMBER#{user_id}", f"WEEK#{studio_code}#{monday}")


@lessons_table.entity(Standing, type="standing", ja="無断欠席の記録", en="absences", added=True)
def standings(user_id: str, studio_code: str) -> Key:
    return Key(f"MEMBER#{user_id}", f"STANDING#{studio_code}")


@lessons_table.entity(WeeklyLesson, type="weekly", ja="毎週のレッスン", en="lesson of every week", added=True)
def weekly_lessons(studio_code: str, weekday: int, start_time: time) -> Key:
    return Key(f"STUDIO#{studio_code}", f"WEEKLY#{weekday:01d}#{start_time}")


@lessons_table.entity(Holiday, type="holiday", ja="休館日", en="holiday", added=True)
def holidays(studio_code: str, day: date) -> Key:
    return Key(f"STUDIO#{studio_code}", f"HOLIDAY#{day}")


@lessons_table.entity(StaffMember, type="staff", ja="スタジオの担当者", en="staff of a studio", added=True)
def staff_members(chain: str, studio_code: str, email: str) -> Key:
    return Key(f"STAFF#{chain}", f"{studio_code}#{email}")


@lessons_table.entity(StudioSecret, type="secret", ja="スタジオの秘密（封をしたもの）", en="sealed secret", added=True)
def studio_secrets(studio_code: str) -> Key:
    return Key(f"STUDIO#{studio_code}", "SECRET")


@lessons_table.entity(StudioConnection, type="connection", ja="予約システムへの接続", en="connection", added=True)
def studio_connections(studio_code: str) -> Key:
    return Key(f"STUDIO#{studio_code}", "CONNECTION")
