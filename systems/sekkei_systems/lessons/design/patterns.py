"""The access patterns: what the original document asks for, then what this system adds."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from sekkei.design import Condition, Field, Put, Query, Ref, Transaction, Update
from sekkei_systems.lessons.design.models import (
    KEPT_AFTER_LESSON,
    Contact,
    DeskAct,
    Holiday,
    Lesson,
    Match,
    Pass,
    Search,
    StaffMember,
    Standing,
    Status,
    StudioConnection,
    StudioRules,
    TieKind,
    UserLesson,
    WeekCount,
    WeeklyLesson,
    copies_of,
    starts_at,
)
from sekkei_systems.lessons.design.tables import (
    by_kind,
    by_reservation_id,
    by_search_key,
    by_status,
    by_studio,
    by_user_and_kind,
    by_waitlist_id,
    contacts,
    design,
    desk_acts,
    holidays,
    lessons,
    matches,
    passes,
    searches,
    staff_members,
    standings,
    studio_connections,
    studio_rules,
    user_lessons,
    watched,
    week_counts,
    weekly_lessons,
)


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
@design.pattern(ja="スタジオの数日分の関係", added=True)
def of_studio_between(studio_code: str, first: date, last: date) -> Query[UserLesson]:
    """Who has to do with a studio's lessons between two days."""
    return by_studio.where(UserLesson.studio_code == studio_code, UserLesson.lesson_date.between(first, last))


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
    """Move a tie on, if it still has the status that was read; a booking, if it is the same one."""
    update = user_lessons.update(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)
    changed = update.set(UserLesson.status, status).set(UserLesson.updated_at, now)
    changed = changed.set(UserLesson.ttl, tie.starts_at + KEPT_AFTER_LESSON)
    changed = changed.knowing(tie).when(UserLesson.status == tie.status)
    return changed.when(*_same_booking(tie)) if tie.kind is TieKind.BOOKING else changed


def _same_booking(tie: UserLesson) -> list[Condition[UserLesson]]:
    """It may have been cancelled and made anew since it was read, or have ended with its lesson and come back, and have
    taken other things; or somebody may have noted whether they came."""
    read: list[tuple[Field[UserLesson, Any], object]] = [
        (UserLesson.reservation_id, tie.reservation_id),
        (UserLesson.attended, tie.attended),
        (UserLesson.pass_id, tie.pass_id),
        (UserLesson.ticket_taken, tie.ticket_taken),
        (UserLesson.week_counted, tie.week_counted),
    ]
    return [field.absent() if value is None else field == value for field, value in read]


@design.pattern(ja="レッスンの変更を写しに反映", added=True)
def refresh(tie: UserLesson, lesson: Lesson, now: datetime) -> Update[UserLesson]:
    """A tie's copies of its lesson, as the timetable has them now."""
    update = user_lessons.update(tie.user_id, tie.studio_code, tie.lesson_date, tie.start_time, tie.kind)
    for name, value in copies_of(lesson).items():
        update = update.set(getattr(UserLesson, name), value)
    return update.set(UserLesson.updated_at, now).when(UserLesson.status == Status.ACTIVE)


@design.pattern(ja="席を一つ取る", added=True)
def take_place(lesson: Lesson, now: datetime) -> Update[Lesson]:
    """One place less, if there is one. Own bookings are counted apart."""
    update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time).add(Lesson.booked, 1)
    free = Lesson.capacity.absent() | (Lesson.booked < Lesson.capacity)
    update = update.set(Lesson.updated_at, now).when(Lesson.is_open.is_(True), free)
    return update.add(Lesson.booked_here, 1)


@design.pattern(ja="確保した席を取る", added=True)
def take_reserved(lesson: Lesson, now: datetime) -> Update[Lesson]:
    """One place less, which the studio's own system holds for us: it has counted it."""
    update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time).add(Lesson.booked, 1)
    update = update.set(Lesson.updated_at, now).when(Lesson.is_open.is_(True))
    return update.add(Lesson.booked_here, 1)


@design.pattern(ja="席を一つ返す", added=True)
def give_place_back(lesson: Lesson, now: datetime) -> Update[Lesson]:
    """One place more."""
    update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time).add(Lesson.booked, -1)
    update = update.remove(Lesson.sold_out_at).set(Lesson.updated_at, now).when(Lesson.booked > 0)
    return update.add(Lesson.booked_here, -1).when(Lesson.booked_here > 0)


@design.pattern(ja="席を手放す（スタジオに戻るまでは空かない）", added=True)
def leave_place(lesson: Lesson, now: datetime) -> Update[Lesson]:
    """Ours no longer, and taken until the studio's own system has it back or says that it is free."""
    update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time).set(Lesson.updated_at, now)
    return update.add(Lesson.booked_here, -1).when(Lesson.booked_here > 0)


@design.pattern(ja="手放した席が空く", added=True)
def free_place(lesson: Lesson, now: datetime) -> Update[Lesson]:
    """One place more that was ours: the studio's own system has it back."""
    update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time).add(Lesson.booked, -1)
    update = update.remove(Lesson.sold_out_at).set(Lesson.updated_at, now)
    return update.when(Lesson.booked > lesson.booked_here)


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


@design.pattern(ja="通知先", added=True)
def contact(user_id: str) -> Ref[Contact]:
    """How to reach a user, as it is now."""
    return contacts(user_id).consistent()


@design.pattern(ja="利用者の保存した条件", added=True)
def searches_of(user_id: str) -> Query[Search]:
    """What a user looks for."""
    return searches.where(Search.user_id == user_id)


@design.pattern(ja="条件に合う利用者", added=True)
def seekers(search_key: str) -> Query[Search]:
    """Searches for one instructor, programme or studio."""
    return by_search_key.where(Search.search_key == search_key)


@design.pattern(ja="条件に合ったレッスン", added=True)
def matches_of(user_id: str) -> Query[Match]:
    """Upcoming lessons that fit a user's searches, told of or not."""
    return matches.where(Match.user_id == user_id)


@design.pattern(ja="窓口の操作の記録", added=True)
def acts_of(studio_code: str, lesson_date: date, start_time: time) -> Query[DeskAct]:
    """What the desk did to a lesson, first things first."""
    return desk_acts.where(
        DeskAct.studio_code == studio_code, DeskAct.lesson_date == lesson_date, DeskAct.start_time == start_time
    )


@design.pattern(ja="移動先で席を取る", added=True)
def arrive(lesson: Lesson, now: datetime) -> Update[Lesson]:
    """A booking comes with a lesson that was moved: its place was counted before."""
    update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time).add(Lesson.booked, 1)
    return update.add(Lesson.booked_here, 1).set(Lesson.updated_at, now).when(Lesson.moved_from.exists())


@design.pattern(ja="休講の取り消しで席を戻す", added=True)
def restore_place(lesson: Lesson, now: datetime) -> Update[Lesson]:
    """A booking that ended with a lesson is taken up again, while a place is free; also before others may book."""
    update = lessons.update(lesson.studio_code, lesson.lesson_date, lesson.start_time).add(Lesson.booked, 1)
    free = Lesson.capacity.absent() | (Lesson.booked < Lesson.capacity)
    return update.add(Lesson.booked_here, 1).set(Lesson.updated_at, now).when(~Lesson.called_off.is_(True), free)


@design.pattern(ja="スタジオの決まり", added=True)
def rules_of(studio_code: str) -> Ref[StudioRules]:
    """A studio's own rules, as they are now."""
    return studio_rules(studio_code).consistent()


@design.pattern(ja="スタジオの予約システムへの接続", added=True)
def connection_of(studio_code: str) -> Ref[StudioConnection]:
    """How a studio's own system is reached, as it is now."""
    return studio_connections(studio_code).consistent()


@design.pattern(ja="利用者の会員証・回数券", added=True)
def passes_of(user_id: str) -> Query[Pass]:
    """What a user may book with, by studio."""
    return passes.where(Pass.user_id == user_id)


@design.pattern(ja="回数券を1枚使う", added=True)
def take_ticket(found: Pass) -> Update[Pass]:
    """One ticket less, if there is one."""
    update = passes.update(found.user_id, found.studio_code, found.pass_id).add(Pass.tickets_left, -1)
    return update.when(Pass.tickets_left > 0)


@design.pattern(ja="回数券を1枚戻す", added=True)
def return_ticket(found: Pass) -> Update[Pass]:
    """One ticket more, as long as the book is there."""
    update = passes.update(found.user_id, found.studio_code, found.pass_id).add(Pass.tickets_left, 1)
    return update.when(Pass.tickets_left.exists())


@design.pattern(ja="週の予約を数える", added=True)
def count_in_week(user_id: str, studio_code: str, monday: date, limit: int, ttl: datetime) -> Update[WeekCount]:
    """One lesson more in a week, if the rules allow it."""
    update = week_counts.upsert(user_id, studio_code, monday).add(WeekCount.count, 1).set(WeekCount.ttl, ttl)
    return update.when(WeekCount.count.absent() | (WeekCount.count < limit))


@design.pattern(ja="スタジオの毎週のレッスン", added=True)
def weekly_of(studio_code: str) -> Query[WeeklyLesson]:
    """What a studio does every week, by weekday and time."""
    return weekly_lessons.where(WeeklyLesson.studio_code == studio_code)


@design.pattern(ja="スタジオの休館日", added=True)
def holidays_between(studio_code: str, first: date, last: date) -> Query[Holiday]:
    """A studio's holidays between two days."""
    return holidays.where(Holiday.studio_code == studio_code, Holiday.day.between(first, last))


@design.pattern(ja="チェーンの担当者", added=True)
def staff_of_chain(chain: str) -> Query[StaffMember]:
    """Who runs which studio."""
    return staff_members.where(StaffMember.chain == chain)


@design.pattern(ja="利用者の週ごとの予約数", added=True)
def weeks_of(user_id: str) -> Query[WeekCount]:
    """How many lessons a user has booked, by studio and week."""
    return week_counts.where(WeekCount.user_id == user_id)


@design.pattern(ja="利用者の予約の可否", added=True)
def standings_of(user_id: str) -> Query[Standing]:
    """Whether a user may book, by studio."""
    return standings.where(Standing.user_id == user_id)
