"""People in the lesson list: how to reach them, what proves an address to be theirs, and what they look for.

Rows of the design in `design`; the original document has none of them.
"""

from __future__ import annotations

import unicodedata
from datetime import date, datetime, time

from sekkei.design import Attr, Key, Query, Ref, attr, computed, epoch, model
from sekkei_systems.lessons.design import INSTANT, contacts_table, design, lessons_table


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
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


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
