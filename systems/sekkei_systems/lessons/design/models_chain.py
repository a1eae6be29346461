"""What is stored of a chain: how each studio's own system is reached."""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, attr, model
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
