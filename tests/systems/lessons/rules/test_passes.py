from __future__ import annotations

from dataclasses import replace as other
from datetime import UTC, date, datetime, time, timedelta

from sekkei.design import replace
from sekkei_systems.days import JST
from sekkei_systems.lessons.design import Pass, PassKind, StudioRules
from sekkei_systems.lessons.rules.passes import blocked_until, chosen, monday_of, opens_at, sentences
from sekkei_systems.lessons.rules.policy import Fairness, Policy

NOW = datetime(2025, 7, 29, 12, 0, tzinfo=JST)
RULES = StudioRules(studio_code="gnz", updated_at=NOW)


def pass_of(name: str, kind: PassKind = PassKind.TICKETS, until: int = 31, left: int | None = 4) -> Pass:
    return Pass(
        user_id="hana",
        studio_code="gnz",
        pass_id=name,
        kind=kind,
        name=name,
        valid_from=date(2025, 7, 1),
        valid_until=date(2025, 7, until),
        tickets_left=left,
        created_at=NOW,
    )


def test_a_membership_goes_before_tickets_and_of_tickets_those_that_end_first() -> None:
    day = date(2025, 7, 30)
    late, soon = pass_of("late"), pass_of("soon", until=30)
    member = pass_of("member", PassKind.MEMBERSHIP, left=None)
    assert chosen([late, soon, member], "gnz", day) == member
    assert chosen([late, soon], "gnz", day) == soon
    assert chosen([pass_of("ended", until=29), pass_of("empty", left=0)], "gnz", day) is None
    assert chosen([late], "sby", day) is None


def test_bookings_open_some_days_before_at_an_hour_of_japan() -> None:
    starts = datetime(2025, 7, 30, 19, 30, tzinfo=JST)
    assert opens_at(RULES, starts) is None
    seven = replace(RULES, opens_days=7, opens_time=time(7, 0))
    assert opens_at(seven, starts) == datetime(2025, 7, 23, 7, 0, tzinfo=JST)
    assert opens_at(seven, starts.astimezone(UTC)) == datetime(2025, 7, 23, 7, 0, tzinfo=JST)


def test_weeks_begin_on_monday() -> None:
    assert monday_of(date(2025, 7, 28)) == monday_of(date(2025, 8, 3)) == date(2025, 7, 28)


def test_absences_block_only_when_there_are_enough_of_late() -> None:
    two = replace(RULES, no_shows_max=2, no_show_days=30, blocked_days=7)
    missed = ["gnz/2025-07-20/10:00", "gnz/2025-07-28/10:00"]
    assert blocked_until(two, missed, NOW) == NOW + timedelta(days=7)
    assert blocked_until(two, ["gnz/2025-05-20/10:00", missed[1]], NOW) is None
    assert blocked_until(RULES, missed, NOW) is None


def test_rules_read_as_sentences() -> None:
    plain = sentences(RULES, Policy(), "en")
    assert plain[0] == "Anyone can book."
    assert "You can cancel up to 1 hour before the start." in plain
    strict = replace(
        RULES, needs_pass=True, has_trial=True, opens_days=7, opens_time=time(7, 0), per_week=3, no_shows_max=2
    )
    policy = other(Policy(), fairness=Fairness.FIRST_IN_LINE, cancel_until=timedelta(minutes=90))
    assert sentences(strict, policy, "ja") == [
        "予約には会員証か回数券が必要です。はじめての方は 1 回だけ体験できます。",
        "予約は開始日の 7 日前の 07:00 から受け付けます。",
        "予約できるのは 1 週間（月曜から日曜）に 3 回までです。",
        "予約は開始の 90 分前まで取り消せます。",
        "開始まで 3 時間を切ってからの取り消しでは、使った回数券は戻りません。",
        "30 日のうちに 2 回無断で欠席すると、7 日間予約できません。",
        "空いた席は、待っている順にお一人ずつ 30 分取り置きます。"
        "開始の 12 時間前からは、待っている方全員にお知らせします。",
    ]
    assert "If you cancel within 3 hours of the start, you lose the ticket." in sentences(strict, policy, "en")
