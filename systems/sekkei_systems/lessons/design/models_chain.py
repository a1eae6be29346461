"""What is stored of a chain: how each studio's own system is reached, and what is under way with it."""

from __future__ import annotations

from datetime import date, datetime, time
from enum import Enum

from sekkei.design import Attr, attr, epoch, model
from sekkei_systems.lessons.design.models import INSTANT


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
