"""The operator's numbers as they are stored: sums that name nobody, and what has been counted already."""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Attr, attr, epoch, model


@model
class DayNumbers:
    """What happened on a Japanese day. Answers stand with the day of their question."""

    day: Attr[date] = attr("period", ja="日付（JST）", en="Japanese day")
    posted: Attr[int] = attr(default=0, ja="投稿された回答", en="answers posted")
    on_time: Attr[int] = attr("onTime", default=0, ja="うちオンタイム", en="of them within 30 minutes")
    deleted: Attr[int] = attr(default=0, ja="うち現在削除済み", en="of them deleted now")
    joined: Attr[int] = attr(default=0, ja="参加した人", en="people who joined")
    away: Attr[int] = attr(default=0, ja="退会・BANでいなくなった人", en="people who left or were locked out")
    back: Attr[int] = attr(default=0, ja="戻ってきた人", en="people who came back")
    sent: Attr[int] = attr(default=0, ja="送れたプッシュ", en="pushes that were taken")
    failed: Attr[int] = attr(default=0, ja="送れなかったプッシュ", en="pushes that were given up")
    gone: Attr[int] = attr(default=0, ja="端末がもうなかったプッシュ", en="pushes to devices that are gone")
    opened: Attr[int] = attr(default=0, ja="この日に始まった案件", en="matters for moderators that began this day")
    waiting: Attr[int] = attr(default=0, ja="うち未対応", en="of them still open")
    settled: Attr[int] = attr(default=0, ja="この日に終わった案件", en="matters that ended this day")
    settled_seconds: Attr[int] = attr(
        "settledSeconds", default=0, ja="終わるまでの秒数の合計", en="how long those had waited, in sum"
    )


@model
class Cohort:
    week: Attr[date] = attr("period", ja="参加した週（月曜日）", en="week of joining, by its Monday")
    joined: Attr[int] = attr(default=0, ja="参加した人", en="people who joined in it")


@model
class CohortWeek:
    week: Attr[date] = attr(ja="参加した週（月曜日）", en="week of joining, by its Monday")
    later: Attr[int] = attr(ja="何週間後か", en="how many weeks later")
    people: Attr[int] = attr(default=0, ja="その週に回答した人", en="of those who joined, how many answered then")


@model
class Totals:
    name: Attr[str] = attr("period", ja="合計の名前", en="which sums")
    members: Attr[int] = attr(default=0, ja="今いる人", en="people who are there now")
    waiting: Attr[int] = attr(default=0, ja="未対応の案件", en="matters that wait now")


@model
class Counted:
    """A change or a message that is in the numbers, so that one which comes again is not counted twice."""

    what: Attr[str] = attr(escape=True, ja="数えたもの", en="what was counted")
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="TTL", en="forgotten then")
