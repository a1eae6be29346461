"""Access patterns of trust and safety: what waits, what was decided, what people are told."""

from __future__ import annotations

from sekkei.design import Query
from sekkei_systems.q.design.models_added import Decision, Notice, ProfileReview, ReportAbout
from sekkei_systems.q.design.tables import design
from sekkei_systems.q.design.tables_added import (
    decisions,
    decisions_waiting,
    notices,
    notices_about,
    profile_reviews,
    reports_concerning,
    reviews_waiting,
)


@design.pattern(ja="審査待ちのプロフィール", added=True, page=50)
def profiles_to_review() -> Query[ProfileReview]:
    """Names, bios and pictures that wait for a look, oldest first."""
    return reviews_waiting.where(ProfileReview.state == "waiting")


@design.pattern(ja="ユーザーの審査待ちのプロフィール", added=True)
def reviews_of(user_id: str) -> Query[ProfileReview]:
    """The parts of one profile that wait for a look."""
    return profile_reviews.where(ProfileReview.user_id == user_id)


@design.pattern(ja="承認や異議の判断を待つ決定", added=True, page=50)
def waiting_decisions(what: str) -> Query[Decision]:
    """Bans that need a second person, or appeals; oldest first."""
    return decisions_waiting.where(Decision.waits == what)


@design.pattern(ja="ユーザーについての決定（新しい順）", added=True, page=50)
def decisions_about(user_id: str) -> Query[Decision]:
    """What was decided about a user, newest first."""
    return decisions.where(Decision.user_id == user_id).backwards()


@design.pattern(
    ja="すべての決定（管理者だった人の退会時）", scan="an administrator of old leaves: rare, page by page", added=True
)
def all_decisions() -> Query[Decision]:
    """Every decision, to take the name of an administrator of old out of them."""
    return decisions.scan()


@design.pattern(ja="ユーザーに関わる通報（回答への通報も）", added=True, page=50)
def reports_on(user_id: str) -> Query[ReportAbout]:
    """The reports about a user and about their answers."""
    return reports_concerning.where(ReportAbout.user_id == user_id)


@design.pattern(ja="お知らせ（新しい順）", added=True, page=30)
def notices_of(user_id: str) -> Query[Notice]:
    """What a user was told, newest first."""
    return notices.where(Notice.user_id == user_id).backwards()


@design.pattern(ja="ある人についてのお知らせ（退会時）", added=True)
def notices_on(user_id: str) -> Query[Notice]:
    """What others were told of a user; for their withdrawal."""
    return notices_about.where(Notice.about_id == user_id)
