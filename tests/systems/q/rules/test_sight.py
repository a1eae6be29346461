"""Who may see what: the rules alone, for every way two people can stand to each other."""

from __future__ import annotations

import itertools
from dataclasses import fields
from datetime import UTC, date, datetime

import pytest

from sekkei.design import replace
from sekkei_systems.q.design.models import Answer, User, Visibility
from sekkei_systems.q.rules.sight import Relation, is_present, is_shown, reads_answers, sees_profile, veiled

NOW = datetime(2025, 11, 6, 3, tzinfo=UTC)
AUTHOR = User(user_id="author", email="a@example.com", birth_date=date(2000, 1, 1), created_at=NOW, updated_at=NOW)
ANSWER = Answer(day=date(2025, 11, 6), user_id="author", question_id="q", text="秋", is_on_time=True, created_at=NOW)
RELATIONS = [Relation(*way) for way in itertools.product((False, True), repeat=len(fields(Relation)))]


@pytest.mark.parametrize("visibility", Visibility)
def test_only_followers_read_and_only_mutual_ones_if_the_author_wants(visibility: Visibility) -> None:
    author = replace(AUTHOR, visibility_type=visibility)
    for relation in RELATIONS:
        enough = relation.follows if visibility is Visibility.FOLLOWERS else relation.mutual
        assert reads_answers("viewer", author, relation) == (enough and not relation.apart)
        assert reads_answers("author", author, relation)


@pytest.mark.parametrize("gone", [{"is_banned": True}, {"deleting_at": NOW}])
def test_who_is_suspended_or_leaves_is_not_there(gone: dict[str, object]) -> None:
    author = replace(AUTHOR, **gone)
    assert not is_present(author)
    assert not any(reads_answers("viewer", author, relation) for relation in RELATIONS)


def test_a_flagged_answer_is_its_authors_alone_and_a_deleted_one_nobodys() -> None:
    flagged, deleted = replace(ANSWER, is_flagged=True), replace(ANSWER, is_deleted=True)
    assert is_shown("viewer", ANSWER)
    assert (is_shown("viewer", flagged), is_shown("author", flagged)) == (False, True)
    assert is_shown("viewer", flagged, hides_flagged=False)
    assert (is_shown("viewer", deleted), is_shown("author", deleted)) == (False, False)


def test_a_private_profile_is_for_followers() -> None:
    for relation, private in itertools.product(RELATIONS, (False, True)):
        expected = not relation.apart and (relation.follows or not private)
        assert sees_profile("viewer", replace(AUTHOR, is_private=private), relation) == expected


def test_what_waits_for_a_look_is_its_owners_alone() -> None:
    shown = replace(AUTHOR, display_name="名", bio="紹", profile_image_url="/q/pictures/author/x")
    assert veiled("viewer", shown) == shown
    for flag, field in (
        ("name_flagged", "display_name"),
        ("bio_flagged", "bio"),
        ("picture_flagged", "profile_image_url"),
    ):
        flagged = replace(shown, **{flag: True})  # type: ignore[arg-type]
        assert veiled("author", flagged) == flagged
        assert veiled("viewer", flagged) == replace(flagged, **{field: None})  # type: ignore[arg-type]
        meanwhile = veiled("viewer", flagged, hides_flagged=False)
        assert (getattr(meanwhile, field) is None) == (field == "profile_image_url")
