"""The tables of trust and safety: each of its own, so that a store of an earlier version needs no other change."""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Index, Key
from sekkei_systems.q.design.models_added import Decision, Notice, ProfilePart, ProfileReview, ReportAbout
from sekkei_systems.q.design.tables import design, reports, users

profile_reviews_table = design.table(
    "ProfileReviews",
    "userId",
    "part",
    indexes=[
        Index("GSI1_Waiting", "state", "since", ja="審査待ち（古い順）", en="what waits, oldest first", added=True)
    ],
    stream="NEW_AND_OLD_IMAGES",
    pitr=True,
    ja="プロフィールの審査待ち",
    en="Parts of profiles that wait for a look",
    added=True,
)
decisions_table = design.table(
    "Decisions",
    "userId",
    "decisionId",
    indexes=[Index("GSI1_Waiting", "waits", "since", ja="承認・異議の待ち", en="approvals and appeals", added=True)],
    stream="NEW_AND_OLD_IMAGES",
    pitr=True,
    ja="モデレーションの決定と異議申し立て",
    en="What moderators decided about people, and appeals",
    added=True,
)
reports_about_table = design.table(
    "ReportsAbout",
    "userId",
    "reportId",
    pitr=True,
    ja="人ごとの通報（回答への通報も）",
    en="Reports by the person they concern, those about answers too",
    added=True,
)
notices_table = design.table(
    "Notices",
    "userId",
    "noticeKey",
    indexes=[
        Index("GSI1_About", "aboutId", "noticeKey", ja="誰のことか（退会時）", en="by whom they tell of", added=True)
    ],
    ttl="ttl",
    stream="NEW_IMAGE",
    pitr=True,
    ja="アプリ内のお知らせ",
    en="What people were told: the inbox in the app",
    added=True,
)


@profile_reviews_table.entity(ProfileReview, ja="プロフィールの審査", en="part of a profile to review", added=True)
def profile_reviews(user_id: str, part: ProfilePart) -> Key:
    return Key(user_id, part)


@decisions_table.entity(Decision, ja="決定", en="decision", added=True)
def decisions(user_id: str, decision_id: str) -> Key:
    return Key(user_id, decision_id)


@reports_about_table.entity(ReportAbout, ja="人に関わる通報", en="report about a person", added=True)
def reports_concerning(user_id: str, report_id: str) -> Key:
    return Key(user_id, report_id)


@notices_table.entity(Notice, ja="お知らせ", en="notice", added=True)
def notices(user_id: str, created_at: datetime, notice_id: str) -> Key:
    return Key(user_id, f"{created_at}#{notice_id}")


reviews_waiting = profile_reviews.index("GSI1_Waiting")
decisions_waiting = decisions.index("GSI1_Waiting")
notices_about = notices.index("GSI1_About")

design.relate(users, profile_reviews, decisions, notices, reports_concerning)
design.relate(reports, reports_concerning)
