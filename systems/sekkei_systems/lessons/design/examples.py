"""The lesson list's table `user_lessons`: what ties a user to a lesson, one item per tie.

Names of the table, its keys, indexes and attributes are those of the original document, to the letter. It names
`lessonDateTime` as an index key but not among the attributes; it is stored here, in Japanese time and one width. What
the document lacks is marked `added=True`.
"""

from __future__ import annotations

from datetime import date, datetime, time

from sekkei_systems.lessons.design.models import JST, TieKind, UserLesson
from sekkei_systems.lessons.design.tables import user_lessons

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
