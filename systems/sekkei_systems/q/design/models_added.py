"""What trust and safety store, beyond the document: what waits for a look, what was decided, what people were told."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum

from sekkei.design import Attr, attr, computed, epoch, model
from sekkei_systems.q.design.models import INSTANT

NOTICE_KEPT = timedelta(days=90)


class ProfilePart(Enum):
    NAME = "name"
    BIO = "bio"
    PICTURE = "picture"


class DecisionKind(Enum):
    ANSWER = "answer"
    NAME = "name"
    BIO = "bio"
    PICTURE = "picture"
    WARNING = "warning"
    SUSPENSION = "suspension"
    BAN = "ban"


class DecisionState(Enum):
    PROPOSED = "proposed"
    IN_FORCE = "in-force"
    DECLINED = "declined"
    ENDED = "ended"


class AppealState(Enum):
    OPEN = "open"
    UPHELD = "upheld"
    OVERTURNED = "overturned"


class NoticeKind(Enum):
    QUESTION = "question"
    REACTION = "reaction"
    FOLLOW = "follow"
    DIGEST = "digest"
    DECISION = "decision"
    OUTCOME = "outcome"


@model
class ProfileReview:
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="whose profile")
    part: Attr[ProfilePart] = attr(ja="名前・自己紹介・画像のどれか", en="which part of it")
    state: Attr[str] = attr(default="waiting", ja="審査待ちの印", en="waiting")
    since: Attr[datetime] = attr(stored_as=INSTANT, ja="審査待ちになった日時", en="since when it waits")


def waits(state: DecisionState, appeal: AppealState | None) -> str | None:
    """Sparse: a ban that needs a second person, and appeals that nobody has decided."""
    if state is DecisionState.PROPOSED:
        return "approval"
    return "appeal" if appeal is AppealState.OPEN else None


@model
class Decision:
    user_id: Attr[str] = attr("userId", ja="対象のユーザーID", en="about whom")
    decision_id: Attr[str] = attr("decisionId", ja="決定ID（日時で始まる）", en="decision, beginning with its time")
    kind: Attr[DecisionKind] = attr(ja="決定の種類", en="what was decided")
    state: Attr[DecisionState] = attr(default=DecisionState.IN_FORCE, ja="状態", en="state")
    target: Attr[str | None] = attr(default=None, ja="対象（回答なら日付）", en="which answer, by its day")
    reason: Attr[str | None] = attr(default=None, ja="本人に伝える理由", en="why, as the person is told")
    decided_by: Attr[str] = attr("decidedBy", ja="決めた管理者ID", en="by whom")
    approved_by: Attr[str | None] = attr("approvedBy", default=None, ja="承認した管理者ID", en="approved by whom")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="決定日時", en="when")
    until: Attr[datetime | None] = attr(default=None, stored_as=INSTANT, ja="一時停止の終わり", en="until when")
    appeal: Attr[AppealState | None] = attr(default=None, ja="異議申し立ての状態", en="state of the appeal")
    appeal_text: Attr[str | None] = attr("appealText", default=None, ja="異議の内容", en="what they say against it")
    appeal_by: Attr[str | None] = attr("appealBy", default=None, ja="異議を判断した管理者ID", en="who decided that")
    since: Attr[datetime] = attr(stored_as=INSTANT, ja="待ち始めた日時", en="since when it waits")
    waits: Attr[str | None] = computed(waits, ja="待っているもの", en="what it waits for")


@model
class ReportAbout:
    user_id: Attr[str] = attr("userId", ja="通報に関わるユーザーID", en="whom a report concerns")
    report_id: Attr[str] = attr("reportId", ja="通報ID", en="the report")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="通報日時", en="made")


def notice_expiry(created_at: datetime) -> datetime:
    return created_at + NOTICE_KEPT


@model
class Notice:
    user_id: Attr[str] = attr("userId", ja="受け取るユーザーID", en="for whom")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="日時", en="when")
    notice_id: Attr[str] = attr("noticeId", ja="お知らせID（理由から決まる）", en="notice, by its reason")
    kind: Attr[NoticeKind] = attr(ja="種類", en="about what")
    about_id: Attr[str | None] = attr("aboutId", default=None, ja="誰のことか", en="about whom")
    said: Attr[str] = attr(ja="文面の名前", en="which text")
    values: Attr[dict[str, str] | None] = attr(default=None, ja="文面に入る値", en="what is filled in")
    url: Attr[str] = attr(default="/q/", ja="開くページ", en="what it opens")
    ttl: Attr[datetime] = computed(
        notice_expiry, stored_as=epoch(), ja="TTL（90日後に自動削除）", en="deleted after 90 days"
    )
