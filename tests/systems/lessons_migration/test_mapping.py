"""What becomes of one row, what becomes of rows that meet, and mapping files."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest

from sekkei.clock import ManualClock
from sekkei.design import replace
from sekkei.runtime.identifiers import uuid7
from sekkei_lessons_migration.configuration import BadMapping, OldTable
from sekkei_lessons_migration.mapping import Unusable, mapped
from sekkei_lessons_migration.places import OldRow, Verdict, is_untouched, judged, merged, place_of
from sekkei_lessons_migration.returning import returned
from sekkei_systems.lessons.design import Status, TieKind, UserLesson, user_lessons

OLD = OldTable(studio="studioName", studios={"銀座": "gnz"}, statuses={"waiting": "active"})
ROW = {
    "userId": "hana",
    "waitlistId": "gnz#2025-07-30#19:30#BSL House 1",
    "studioName": "銀座",
    "lessonDate": "2025-07-30",
    "startTime": "19:30",
    "lessonName": "BSL House 1",
    "instructor": "Shiori.I",
    "status": "active",
    "createdAt": "2025-07-29T03:45:00.000Z",
    "updatedAt": "2025-07-29T03:45:00.000Z",
    "endTime": "20:15",
    "ttl": 1722319500,
}
STARTS = datetime.fromisoformat("2025-07-30T19:30:00+09:00")
BEFORE = STARTS - timedelta(days=2)


def test_a_row_becomes_a_waitlist_entry() -> None:
    tie = mapped(ROW, OLD)
    assert (tie.user_id, tie.studio_code, tie.kind, tie.status) == ("hana", "gnz", TieKind.WAITLIST, Status.ACTIVE)
    assert (tie.starts_at, tie.waitlist_id, tie.notification_sent) == (STARTS, ROW["waitlistId"], False)
    assert tie.ttl == STARTS + timedelta(days=7), "computed, not the wrong one of the old row"
    assert tie.legacy == {"endTime": "20:15"}


def test_unknown_attributes_keep_their_values_of_every_type() -> None:
    odd = {
        "tags": {"朝", "初級"},
        "history": [{"at": "2025-07-01", "n": 3, "rate": Decimal("0.5")}],
        "photo": b"\x00\xff",
        "numbers": {1, 2},
        "note": None,
        "flag": True,
    }
    tie = mapped({**ROW, **odd}, OLD)
    assert tie.legacy == {"endTime": "20:15", **odd}
    assert user_lessons.decode(user_lessons.encode(tie)) == tie


def test_what_is_named_but_not_understood_is_carried_over_too() -> None:
    odd = {"createdAt": "yesterday", "instructor": ["YUKI", "Miku"], "notificationSent": "maybe", "autoResumeAt": "x"}
    tie = mapped({**ROW, **odd}, OLD)
    assert tie.legacy == {"endTime": "20:15", **odd}
    assert (tie.instructor, tie.notification_sent) == ("-", False)


def test_names_of_the_moves_own_are_not_taken_by_old_attributes() -> None:
    tie = merged([row_of({**ROW, "from": "campaign", "conflicts": "none"})], "waitlistTable")
    assert tie is not None
    assert tie.legacy is not None
    assert (tie.legacy["waitlistTable.from"], tie.legacy["waitlistTable.conflicts"]) == ("campaign", "none")
    assert tie.legacy["from"]["key"] == {"userId": "hana", "waitlistId": ROW["waitlistId"]}


@pytest.mark.parametrize(
    ("resumes", "until"),
    [
        ("2025-07-30T00:00:00.000Z", datetime(2025, 7, 30, tzinfo=UTC)),
        (1753833600, datetime(2025, 7, 30, tzinfo=UTC)),
        (None, STARTS),
        ("some day", STARTS),
    ],
)
def test_a_paused_row_is_not_watched_until_it_resumes(resumes: Any, until: datetime) -> None:
    tie = mapped({**ROW, "status": "paused", "autoResumeAt": resumes}, OLD)
    assert (tie.status, tie.paused_until) == (Status.ACTIVE, until)


def test_an_end_of_a_pause_that_is_over_pauses_nothing() -> None:
    tie = mapped({**ROW, "autoResumeAt": "2025-07-30T00:00:00.000Z"}, OLD)
    assert tie.paused_until is None
    assert (tie.legacy or {})["autoResumeAt"] == "2025-07-30T00:00:00.000Z"


@pytest.mark.parametrize(
    "row",
    [
        {"waitlistId": "銀座#2025-07-30#19:30#BSL#1"},
        {"waitlistId": "GNZ#2025/07/30#19:30:00#BSL#1"},
        {"waitlistId": "wl_1", "studioName": "gnz", "lessonDateTime": "2025-07-30T10:30:00Z", "lessonName": "BSL#1"},
        {"waitlistId": "wl_1", "studioName": "gnz", "lessonDateTime": "2025-07-30T19:30", "lessonName": "BSL#1"},
    ],
)
def test_a_lesson_is_recognised_by_whatever_names_it(row: dict[str, Any]) -> None:
    tie = mapped({"userId": "hana", **row}, OLD)
    assert (tie.studio_code, tie.starts_at, tie.lesson_name) == ("gnz", STARTS, "BSL#1")


def test_a_time_without_its_zero_gets_it() -> None:
    assert f"{mapped({**ROW, 'startTime': '9:30'}, OLD).start_time:%H:%M}" == "09:30"


def test_a_row_without_dates_counts_as_registered_long_before() -> None:
    tie = mapped({"userId": "hana", "waitlistId": ROW["waitlistId"]}, OLD)
    assert tie.created_at == tie.updated_at == STARTS - timedelta(days=30)


def test_a_user_id_that_is_a_number_becomes_text() -> None:
    assert mapped({**ROW, "userId": 4711}, OLD).user_id == "4711"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"userId": ""}, "userId is ''"),
        ({"userId": "a#b"}, "without #"),
        ({"userId": None}, "userId is None"),
        ({"userId": "x" * 2000}, "not longer than a key"),
        ({"lessonDate": "2025-02-30"}, "day '2025-02-30' is none"),
        ({"startTime": "25:00"}, "time '25:00' is none"),
        ({"studioName": "青山 1"}, "studio '青山 1' is no code; name it in \"studios\""),
        ({"status": "lost"}, "status is 'lost'; name it in \"statuses\""),
    ],
)
def test_what_cannot_be_moved_says_why(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        mapped({**ROW, **change}, OLD)


def test_places_in_the_queue_go_by_registration_among_old_and_new() -> None:
    clock = ManualClock(datetime(2025, 7, 29, 3, 45, 0, 500_000, tzinfo=UTC).timestamp())
    first = mapped(ROW, OLD).queue_key or ""
    second = uuid7(clock)
    third = mapped({**ROW, "userId": "ken", "createdAt": "2025-07-29T03:45:01.000Z"}, OLD).queue_key or ""
    assert [first, second, third] == sorted([third, second, first])
    assert len(first) == len(second)


# Rows that meet


def row_of(row: dict[str, Any]) -> OldRow:
    return OldRow({name: row[name] for name in ("userId", "waitlistId")}, row, mapped(row, OLD))


def named(name: str, updated: str, **more: Any) -> dict[str, Any]:
    identity = {"waitlistId": f"gnz#2025-07-30#19:30#{name}", "lessonName": name}
    return {**ROW, **identity, "updatedAt": f"2025-07-{updated}T00:00:00.000Z", **more}


def test_of_rows_that_meet_the_newest_stays_and_the_others_are_kept_whole() -> None:
    rows = [named("House 1", "10"), named("House 2", "12", status="paused"), named("Hip Hop", "11")]
    ties = [merged([row_of(row) for row in order], "t") for order in (rows, rows[::-1])]
    assert ties[0] == ties[1], "in whatever order they come"
    assert ties[0] is not None
    assert (ties[0].lesson_name, (ties[0].legacy or {})["conflicts"]) == ("House 2", [rows[2], rows[0]])


def test_an_entry_knows_whether_it_was_touched() -> None:
    tie = merged([row_of(ROW)], "t")
    assert tie is not None
    assert is_untouched(user_lessons.decode(user_lessons.encode(tie)), "t")
    assert is_untouched(replace(tie, notification_sent=True, notify_count=1), "t"), "the monitor's work is its own"
    assert not is_untouched(replace(tie, instructor="YUKI"), "t")
    assert not is_untouched(replace(tie, status=Status.CANCELLED), "t")
    assert not is_untouched(tie, "another table")


def verdict(
    rows: list[dict[str, Any]], there: UserLesson | None, now: datetime = BEFORE, *, new_leads: bool = False
) -> Verdict:
    old = [row_of(row) for row in rows]
    place = place_of(mapped(ROW, OLD))
    return judged(place, old, frozenset(), there, "t", now, new_leads=new_leads).verdict


def test_newest_wins() -> None:
    copied = merged([row_of(ROW)], "t")
    assert copied is not None
    later = {**ROW, "status": "cancelled", "updatedAt": "2025-07-29T05:00:00.000Z"}
    silently = {**ROW, "instructor": "YUKI"}
    by_user = replace(copied, status=Status.CANCELLED, updated_at=BEFORE + timedelta(hours=23))
    assert verdict([ROW], None) is Verdict.MISSING
    assert verdict([ROW], copied) is Verdict.SAME
    assert verdict([later], copied) is verdict([silently], copied) is Verdict.STALE
    assert verdict([ROW], by_user) is Verdict.AHEAD
    assert verdict([{**later, "updatedAt": "2025-08-01T00:00:00.000Z"}], by_user) is Verdict.STALE
    assert verdict([ROW], replace(copied, instructor="?")) is Verdict.ALTERED
    assert verdict([ROW], replace(copied, legacy=None)) is Verdict.AHEAD, "registered here at the same moment"
    assert verdict([], copied) is Verdict.GONE
    assert verdict([], by_user) is verdict([], copied, STARTS) is Verdict.AHEAD


def test_when_the_new_table_leads_only_what_is_newer_counts() -> None:
    copied = merged([row_of(ROW)], "t")
    assert copied is not None
    assert verdict([], copied, new_leads=True) is Verdict.AHEAD
    assert verdict([{**ROW, "instructor": "?"}], copied, new_leads=True) is Verdict.AHEAD
    assert verdict([{**ROW, "updatedAt": "2025-07-29T05:00:00.000Z"}], copied, new_leads=True) is Verdict.STALE
    assert verdict([ROW], None, new_leads=True) is Verdict.MISSING


def test_what_the_monitor_did_stays_when_the_old_row_changes() -> None:
    copied = merged([row_of(ROW)], "t")
    assert copied is not None
    told = replace(copied, notification_sent=True, notify_count=1, notify_episode=1, notified_at=BEFORE)
    assert verdict([ROW], told) is Verdict.SAME
    place, rows = place_of(told), [row_of({**ROW, "instructor": "YUKI", "updatedAt": "2025-07-29T05:00:00.000Z"})]
    wanted = judged(place, rows, frozenset(), told, "t", BEFORE, new_leads=False).wanted
    assert wanted is not None
    assert (wanted.instructor, wanted.notify_count, wanted.notified_at) == ("YUKI", 1, BEFORE)


# Back again


def test_a_change_goes_back_in_the_old_rows_own_form() -> None:
    before = {**ROW, "status": "waiting", "updatedAt": 1753760700000}
    entry = replace(mapped(before, OLD), status=Status.CANCELLED, updated_at=BEFORE, notified_at=BEFORE)
    row = returned(entry, before, OLD, BEFORE)
    changed = {"status": "cancelled", "updatedAt": int(BEFORE.timestamp() * 1000), "notificationSent": False}
    assert row == {**before, **changed, "lastNotifiedAt": "2025-07-28T10:30:00.000Z"}
    assert mapped(row, OLD).status is Status.CANCELLED
    assert returned(mapped(before, OLD), before, OLD, BEFORE) == before, "what says the same stays as it is"


def test_who_joined_in_the_new_table_gets_a_row_that_would_be_moved_again() -> None:
    entry = replace(mapped(ROW, OLD), waitlist_id="wl_1", paused_until=STARTS, legacy=None, updated_at=BEFORE)
    row = returned(entry, None, OLD, BEFORE)
    assert (row["status"], row["studioName"], row["waitlistId"]) == (
        "paused",
        "銀座",
        "銀座#2025-07-30#19:30#BSL House 1",
    )
    again = mapped(row, OLD)
    assert place_of(again) == place_of(entry)
    assert (again.status, again.paused_until, again.updated_at) == (Status.ACTIVE, STARTS, BEFORE)


# Mapping files


def test_a_mapping_file_changes_what_it_names() -> None:
    old = OldTable.read('{"table": "old-waits", "user": "uid", "studios": {"銀座": "gnz"}}'.encode())
    assert (old.table, old.user, old.status, old.studios) == ("old-waits", "uid", "status", {"銀座": "gnz"})
    assert "uid" in old.attributes
    assert old.fingerprint != OldTable().fingerprint


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "it is not JSON"),
        ("[]", "it must be an object"),
        ('{"usr": "userId"}', '"usr" is not known; did you mean "user"?'),
        ('{"xyzzy": "userId"}', '"xyzzy" is not known; known are table, user'),
        ('{"attributes": "x"}', '"attributes" is not known'),
        ('{"user": 3}', '"user" must be a name, not 3'),
        ('{"user": ""}', '"user" must be a name, not ""'),
        ('{"table": "a b"}', '"table" is "a b", which is no name of a table'),
        ('{"statuses": ["paused"]}', '"statuses" must be an object of texts'),
        ('{"statuses": {"wait": "waiting"}}', '"statuses" makes "waiting" of "wait"; it must be one of active'),
        ('{"studios": {"銀座": "GNZ#1"}}', '"studios" makes "GNZ#1" of "銀座"'),
    ],
)
def test_a_mapping_file_that_cannot_be_used_says_why(text: str, problem: str) -> None:
    with pytest.raises(BadMapping) as refused:
        OldTable.read(text.encode())
    assert problem in str(refused.value)


def test_everything_wrong_with_a_mapping_file_is_said_at_once() -> None:
    with pytest.raises(BadMapping) as refused:
        OldTable.read(b'{"usr": "u", "user": 3}')
    assert '"usr" is not known' in str(refused.value)
    assert '"user" must be a name' in str(refused.value)


def test_full_width_digits_are_read() -> None:
    found = mapped(
        {
            "userId": "hana",
            "waitlistId": "w",
            "studioCode": "gnz",
            "lessonDate": "２０２５/７/30",
            "startTime": "１９：３０",
        },
        OldTable(),
    )
    assert (found.lesson_date, found.start_time) == (date(2025, 7, 30), time(19, 30))
