"""What the API shows of people and posts: no more than the viewer may know."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest

from sekkei.design import replace
from sekkei_systems.q.api import shapes
from sekkei_systems.q.design.models import Answer, User
from sekkei_systems.q.rules.notices import Wishes
from sekkei_systems.q.rules.sight import Relation

NOW = datetime(2025, 11, 6, 3, tzinfo=UTC)
USER = User(
    user_id="u",
    email="u@example.com",
    bio="about me",
    birth_date=date(2000, 1, 1),
    follower_count=3,
    created_at=NOW,
    updated_at=NOW,
)
ANSWER = Answer(day=date(2025, 11, 6), user_id="u", question_id="q", text="秋", is_on_time=True, created_at=NOW)


@pytest.mark.parametrize(
    ("private", "follows", "told"), [(False, False, True), (True, False, False), (True, True, True)]
)
def test_about_and_counts_of_a_private_account_are_for_followers(private: bool, follows: bool, told: bool) -> None:
    found = shapes.person("v", replace(USER, is_private=private), Relation(follows=follows))
    assert (found.bio is not None, found.follower_count is not None) == (told, told)


@pytest.mark.parametrize(("minutes", "by_admin", "can"), [(1, False, True), (31, False, False), (1, True, False)])
def test_what_becomes_of_a_post_is_told_to_its_author(minutes: int, by_admin: bool, can: bool) -> None:
    gone = replace(ANSWER, is_deleted=True, deleted_at=NOW - timedelta(minutes=minutes), deleted_by_admin=by_admin)
    mine, theirs = (shapes.answer(gone, viewer, NOW, 1800) for viewer in ("u", "v"))
    assert (mine.is_deleted, mine.can_restore) == (True, can)
    assert (theirs.is_deleted, theirs.can_restore) == (False, False)


def test_wishes_come_back_as_they_were_sent() -> None:
    wishes = Wishes(True, False, True, False, time(22, 30), time(7))
    assert shapes.wishes(shapes.notifications(wishes)) == wishes
