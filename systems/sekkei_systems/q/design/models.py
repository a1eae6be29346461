"""What Q. stores: the models of its tables. Stored names are the original document's, to the letter."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from typing import Any

from sekkei.design import Attr, attr, computed, epoch, iso, model, part, version

INSTANT = iso("Z", digits=3)
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # "not used yet", so that new questions are in the index and come first
LOG_KEPT = timedelta(days=90)
WITHDRAWN = "withdrawn"
"""Stands for somebody who has left, in what is kept."""


class Visibility(Enum):
    MUTUAL = "mutual"
    FOLLOWERS = "followers"


class QuestionType(Enum):
    ADMIN = "admin"
    USER = "user"


class QuestionStatus(Enum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    USED = "used"
    ARCHIVED = "archived"


class ReactionType(Enum):
    HEART = "❤️"
    FIRE = "🔥"
    LAUGH = "😂"
    THINK = "🤔"
    EYES = "👀"


class TargetType(Enum):
    USER = "user"
    ANSWER = "answer"


class ReportCategory(Enum):
    SPAM = "spam"
    HARASSMENT = "harassment"
    INAPPROPRIATE = "inappropriate"
    IMPERSONATION = "impersonation"
    PRIVACY = "privacy"
    OTHER = "other"


class ReportStatus(Enum):
    PENDING = "pending"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"


class DeviceType(Enum):
    IOS = "ios"
    ANDROID = "android"
    WEB = "web"


class AdminAction(Enum):
    ADD_NG_WORD = "ADD_NG_WORD"
    DELETE_NG_WORD = "DELETE_NG_WORD"
    CREATE_QUESTION = "CREATE_QUESTION"
    SET_DAILY_QUESTION = "SET_DAILY_QUESTION"
    UPDATE_REPORT = "UPDATE_REPORT"
    REVIEW_SUBMISSION = "REVIEW_SUBMISSION"
    BAN_USER = "BAN_USER"
    UNBAN_USER = "UNBAN_USER"
    REVIEW_FLAGGED_POST = "REVIEW_FLAGGED_POST"
    REVIEW_PROFILE = "REVIEW_PROFILE"
    WARN_USER = "WARN_USER"
    SUSPEND_USER = "SUSPEND_USER"
    PROPOSE_BAN = "PROPOSE_BAN"
    DECLINE_BAN = "DECLINE_BAN"
    DECIDE_APPEAL = "DECIDE_APPEAL"
    VIEW_ANSWERS = "VIEW_ANSWERS"
    VERIFY_USER = "VERIFY_USER"


def folded(username: str | None) -> str | None:
    """Names that differ only in case are one name."""
    return None if username is None else username.casefold()


@model
class User:
    user_id: Attr[str] = attr("userId", ja="ユーザーID（UUID）", en="user (UUID)")
    app_id: Attr[str | None] = attr(
        "appId", default=None, ja="アプリ内ID（3〜15文字、英小文字+数字+_）", en="name within the app, set once"
    )
    username: Attr[str | None] = attr(
        default=None, ja="ユーザー名（3〜20文字、英数字+_）、変更可能", en="user name, may change"
    )
    display_name: Attr[str | None] = attr("displayName", default=None, ja="表示名（1〜50文字）", en="shown name")
    bio: Attr[str | None] = attr(default=None, ja="自己紹介（200文字以下）", en="about oneself")
    email: Attr[str] = attr(escape=True, ja="メールアドレス（小文字正規化済み）", en="mail address in lower case")
    birth_date: Attr[date] = attr("birthDate", ja="生年月日", en="day of birth")
    profile_image_url: Attr[str | None] = attr(
        "profileImageUrl", default=None, ja="プロフィール画像のS3 URL", en="picture"
    )
    is_private: Attr[bool] = attr("isPrivate", default=False, ja="非公開アカウントか", en="follows need approval")
    visibility_type: Attr[Visibility] = attr(
        "visibilityType", default=Visibility.MUTUAL, ja="閲覧範囲", en="who may read the answers"
    )
    following_count: Attr[int] = attr("followingCount", default=0, ja="フォロー数", en="how many this user follows")
    follower_count: Attr[int] = attr("followerCount", default=0, ja="フォロワー数", en="how many follow this user")
    is_banned: Attr[bool] = attr("isBanned", default=False, ja="BANされているか", en="banned")
    is_admin: Attr[bool] = attr("isAdmin", default=False, ja="管理者権限を持つか", en="may administer")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="作成日時", en="made")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")
    deleting_at: Attr[datetime | None] = attr(
        "deletingAt", default=None, stored_as=INSTANT, ja="退会の申し込み", en="asked to withdraw", added=True
    )
    answers_first: Attr[bool] = attr(
        "answersFirst",
        default=False,
        ja="答えてから他の人の回答を見る",
        en="sees others only after answering",
        added=True,
    )
    notify_question: Attr[bool] = attr(
        "notifyQuestion", default=True, ja="お題の通知", en="is told of a new question", added=True
    )
    notify_reaction: Attr[bool] = attr(
        "notifyReaction", default=True, ja="リアクションの通知", en="is told of reactions", added=True
    )
    notify_follow: Attr[bool] = attr(
        "notifyFollow", default=True, ja="フォローの通知", en="is told of followers and requests", added=True
    )
    notify_digest: Attr[bool] = attr(
        "notifyDigest", default=True, ja="週のまとめの通知", en="gets the weekly digest", added=True
    )
    quiet_from: Attr[time | None] = attr(
        "quietFrom", default=None, ja="通知を控える時間帯の始まり", en="quiet hours begin", added=True
    )
    quiet_until: Attr[time | None] = attr(
        "quietUntil", default=None, ja="通知を控える時間帯の終わり", en="quiet hours end", added=True
    )
    was_admin: Attr[bool] = attr(
        "wasAdmin", default=False, ja="管理者になったことがあるか", en="has ever administered", added=True
    )
    leaves_house: Attr[bool] = attr(
        "leavesHouse",
        default=False,
        ja="退会でサインインの情報も消すか",
        en="withdrawal takes the sign-in account too",
        added=True,
    )
    language: Attr[str] = attr(default="ja", ja="通知の言語", en="language of notices", added=True)
    name_flagged: Attr[bool] = attr(
        "nameFlagged", default=False, ja="表示名が審査待ちか（本人だけに見える）", en="name waits, unseen", added=True
    )
    bio_flagged: Attr[bool] = attr(
        "bioFlagged", default=False, ja="自己紹介が審査待ちか", en="bio waits, unseen", added=True
    )
    picture_flagged: Attr[bool] = attr(
        "pictureFlagged", default=False, ja="画像が審査待ちか", en="picture waits, unseen", added=True
    )
    banned_until: Attr[datetime | None] = attr(
        "bannedUntil", default=None, stored_as=INSTANT, ja="一時停止の終わり", en="a suspension ends", added=True
    )
    terms_version: Attr[str | None] = attr(
        "termsVersion", default=None, ja="同意した規約の版", en="version of the terms agreed to", added=True
    )
    terms_at: Attr[datetime | None] = attr(
        "termsAt", default=None, stored_as=INSTANT, ja="規約に同意した日時", en="when they agreed", added=True
    )
    is_verified: Attr[bool] = attr(
        "isVerified", default=False, ja="本人確認済みか（BANには2人が要る）", en="known to be genuine", added=True
    )
    takes_two_until: Attr[datetime | None] = attr(
        "takesTwoUntil",
        default=None,
        stored_as=INSTANT,
        ja="本人確認の取り消し後、BANに2人が要る期限",
        en="a ban takes two until then, though the mark is gone",
        added=True,
    )
    told_until: Attr[datetime | None] = attr(
        "toldUntil",
        default=None,
        stored_as=INSTANT,
        ja="お知らせを読んだ日時",
        en="has read notices so far",
        added=True,
    )
    findable: Attr[bool] = attr(
        default=False, ja="メールアドレスを知る人に見つけてもらうか", en="found by those with their address", added=True
    )
    contacts_day: Attr[date | None] = attr(
        "contactsDay", default=None, ja="連絡先で最後に探した日", en="last looked for contacts on", added=True
    )
    contacts_asked: Attr[int] = attr(
        "contactsAsked", default=0, ja="その日に探した件数", en="how many on that day", added=True
    )
    counted_present: Attr[bool | None] = attr(
        "countedPresent", default=None, ja="運営の数字で「いる人」に数えたか", en="counted as there", added=True
    )
    active_week: Attr[date | None] = attr(
        "activeWeek", default=None, ja="最後に回答した週（月曜日）", en="last week with an answer", added=True
    )
    username_folded: Attr[str | None] = computed(folded, keep=False)
    version: Attr[int] = version(added=True)


@model
class DailyQuestion:
    day: Attr[date] = attr("date", ja="日付（JST）", en="Japanese day")
    question_id: Attr[str] = attr("questionId", ja="お題ID", en="the question")
    question_text: Attr[str] = attr("questionText", ja="お題本文", en="its text")
    scheduled_publish_time: Attr[time] = attr(
        "scheduledPublishTime", ja="公開予定時刻", en="when it is to be published"
    )
    published_at: Attr[datetime | None] = attr(
        "publishedAt", default=None, stored_as=INSTANT, ja="実際の公開日時", en="when it was published"
    )
    is_fallback: Attr[bool] = attr("isFallback", default=False, ja="フォールバックお題か", en="a spare question")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="レコード作成日時", en="made")
    previous_use: Attr[datetime] = attr(
        "previousUse",
        default=NEVER,
        stored_as=INSTANT,
        ja="お題が前回使われた日時（差し替え時に戻す）",
        en="the question's use before this one, put back when it is replaced",
        added=True,
    )


@model
class Question:
    question_id: Attr[str] = attr("questionId", ja="お題ID（UUID）", en="question (UUID)")
    text: Attr[str] = attr(ja="お題本文（最大80文字）", en="text")
    type: Attr[QuestionType] = attr(ja="種別", en="by whom")
    submitted_by: Attr[str | None] = attr("submittedBy", default=None, ja="投稿者userId", en="the user who sent it")
    status: Attr[QuestionStatus] = attr(ja="ステータス", en="status")
    is_flagged: Attr[bool] = attr("isFlagged", default=False, ja="NGワード検知されたか", en="holds a forbidden word")
    last_used_at: Attr[datetime] = attr(
        "lastUsedAt", default=NEVER, stored_as=INSTANT, ja="最後に使用された日時", en="last asked; 1970 for never"
    )
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="作成日時", en="made")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")
    votes: Attr[int] = attr(default=0, ja="投票数", en="votes of users", added=True)


def flag_state(is_flagged: bool, is_deleted: bool) -> str | None:
    """Sparse: only answers that wait for a review."""
    return "flagged" if is_flagged and not is_deleted else None


@model
class Answer:
    day: Attr[date] = attr("date", ja="回答対象の日付", en="the question's day")
    user_id: Attr[str] = attr("userId", ja="回答者のユーザーID", en="who answers")
    question_id: Attr[str] = attr("questionId", ja="質問ID", en="the question")
    text: Attr[str] = attr(ja="回答本文（最大80文字）", en="text")
    is_on_time: Attr[bool] = attr("isOnTime", ja="オンタイム（30分以内）か", en="within 30 minutes")
    late_minutes: Attr[int] = attr("lateMinutes", default=0, ja="遅れた分数", en="minutes late")
    is_flagged: Attr[bool] = attr("isFlagged", default=False, ja="NGワード検知されたか", en="holds a forbidden word")
    is_deleted: Attr[bool] = attr("isDeleted", default=False, ja="削除済みか", en="deleted")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="投稿日時", en="posted")
    deleted_at: Attr[datetime | None] = attr(
        "deletedAt", default=None, stored_as=INSTANT, ja="削除日時", en="when it was deleted"
    )
    deleted_by_admin: Attr[bool] = attr(
        "deletedByAdmin", default=False, ja="管理者による削除か", en="taken down by an administrator", added=True
    )
    reactors: Attr[dict[str, str] | None] = attr(
        default=None,
        ja="リアクションした人と種別（先頭300人。なければ Reactions を読む）",
        en="who reacted, and how: the first 300; read Reactions where it is missing",
        added=True,
    )
    flag_state: Attr[str | None] = computed(
        flag_state, "flagState", ja="審査待ちの印", en="set while to review", added=True
    )


@model
class Follow:
    follower_id: Attr[str] = attr("followerId", ja="フォローする側のユーザーID", en="who follows")
    followee_id: Attr[str] = attr("followeeId", ja="フォローされる側のユーザーID", en="who is followed")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="フォロー日時", en="since")
    accepted: Attr[bool | None] = attr(
        default=None, ja="申請が承認されてできたか", en="true: came out of a request", added=True
    )
    follower_banned: Attr[bool | None] = attr(
        "followerBanned",
        default=None,
        ja="フォローする側がBAN中で、相手のフォロワー数に数えない（なければ数える）",
        en="true: who follows is banned, and not in the other's followerCount",
        added=True,
    )
    followee_banned: Attr[bool | None] = attr(
        "followeeBanned",
        default=None,
        ja="フォローされる側がBAN中で、相手のフォロー数に数えない（なければ数える）",
        en="true: who is followed is banned, and not in the other's followingCount",
        added=True,
    )


@model
class Block:
    blocker_id: Attr[str] = attr("blockerId", ja="ブロックする側のユーザーID", en="who blocks")
    blocked_id: Attr[str] = attr("blockedId", ja="ブロックされる側のユーザーID", en="who is blocked")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="ブロック日時", en="since")


@model
class EndedBlock:
    blocker_id: Attr[str] = attr("blockerId", ja="ブロックしていたユーザーID", en="who blocked")
    blocked_id: Attr[str] = attr("blockedId", ja="ブロックされていたユーザーID", en="who was blocked")
    ended_at: Attr[datetime] = attr("endedAt", stored_as=INSTANT, ja="解除日時", en="until")


@model
class Reaction:
    day: Attr[date] = part(ja="回答の日付", en="the answer's day")
    user_id: Attr[str] = part(ja="回答者", en="the answer's author")
    reactor_id: Attr[str] = attr("reactorId", ja="リアクションしたユーザーID", en="who reacts")
    reaction_type: Attr[ReactionType] = attr("reactionType", ja="リアクション種別", en="which one")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="リアクション日時", en="first given")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時（変更時）", en="last changed")


@model
class Report:
    report_id: Attr[str] = attr("reportId", ja="通報ID（UUID）", en="report (UUID)")
    reporter_id: Attr[str] = attr("reporterId", ja="通報者のユーザーID", en="who reports")
    target_type: Attr[TargetType] = attr("targetType", ja="対象種別", en="what is reported")
    target_id: Attr[str] = attr("targetId", escape=True, ja="対象ID（userId または answerId）", en="which one")
    category: Attr[ReportCategory] = attr(ja="通報カテゴリ", en="why")
    description: Attr[str | None] = attr(default=None, ja="自由記述", en="in the reporter's words")
    status: Attr[ReportStatus] = attr(default=ReportStatus.PENDING, ja="ステータス", en="status")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="通報日時", en="made")
    resolved_at: Attr[datetime | None] = attr(
        "resolvedAt", default=None, stored_as=INSTANT, ja="対応完了日時", en="when it was dealt with"
    )
    resolved_by: Attr[str | None] = attr("resolvedBy", default=None, ja="対応した管理者ID", en="by whom")
    seen_text: Attr[str | None] = attr(
        "seenText",
        default=None,
        ja="通報された時点の文面（回答、または名前と自己紹介）",
        en="as it read when it was reported",
        added=True,
    )
    seen_picture: Attr[str | None] = attr(
        "seenPicture",
        default=None,
        ja="通報された時点の画像のハッシュ（写しは ProfileImages の report-{reportId}）",
        en="hash of the picture that was reported; ProfileImages has a copy under report-{reportId}",
        added=True,
    )


@model
class Submission:
    day: Attr[date] = attr("date", ja="提出日", en="Japanese day")
    user_id: Attr[str] = attr("userId", ja="提出者のユーザーID", en="who submits")
    question_id: Attr[str] = attr("questionId", ja="提出したお題のID", en="the question")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="提出日時", en="made")


@model
class NGWord:
    word: Attr[str] = attr(ja="NGワード（小文字正規化）", en="the word, normalised")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="登録日時", en="made")
    created_by: Attr[str] = attr("createdBy", ja="登録した管理者ID", en="by whom")
    original: Attr[str | None] = attr(default=None, ja="登録時の表記", en="as it was entered", added=True)
    is_allowed: Attr[bool] = attr(
        "isAllowed",
        default=False,
        ja="除外語（この中のNGワードは許す）",
        en="harmless word around a forbidden one",
        added=True,
    )


@model
class PushToken:
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="whose device")
    token: Attr[str] = attr(escape=True, ja="Expo Push Token", en="Expo push token")
    device_type: Attr[DeviceType] = attr("deviceType", ja="デバイス種別", en="kind of device")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="登録日時", en="made")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")
    p256dh: Attr[str | None] = attr(default=None, ja="ブラウザの公開鍵", en="a browser's key", added=True)
    auth: Attr[str | None] = attr(default=None, ja="ブラウザの共有の秘密", en="a browser's secret", added=True)
    server_key: Attr[str | None] = attr(
        "serverKey", default=None, ja="購読に使われたVAPID公開鍵", en="the VAPID key it was made for", added=True
    )
    session: Attr[str | None] = attr(
        default=None,
        ja="登録したサインイン（ハッシュまたは番号）",
        en="the sign-in it came from (a hash or a number)",
        added=True,
    )


def log_expiry(timestamp: datetime) -> datetime:
    return timestamp + LOG_KEPT


def logged_about(target_type: str | None, target_id: str | None) -> str | None:
    """Whom a line concerns: a user, or whoever gave an answer (`{day}#{user}`)."""
    if target_id is None or target_id == WITHDRAWN:
        return None
    return {"user": target_id, "answer": target_id.partition("#")[2] or None}.get(target_type or "")


@model
class AdminLog:
    log_id: Attr[str] = attr("logId", ja="ログID（UUID）", en="entry (UUID)")
    admin_id: Attr[str] = attr("adminId", ja="操作した管理者のユーザーID", en="who did it")
    admin_email: Attr[str | None] = attr("adminEmail", default=None, ja="管理者のメールアドレス", en="their address")
    action: Attr[AdminAction] = attr(ja="操作種別", en="what was done")
    target_type: Attr[str | None] = attr("targetType", default=None, ja="対象の種別", en="to what kind of thing")
    target_id: Attr[str | None] = attr("targetId", default=None, ja="対象のID", en="to which")
    details: Attr[dict[str, Any] | None] = attr(default=None, ja="操作の詳細情報", en="details")
    ip_address: Attr[str | None] = attr("ipAddress", default=None, ja="操作元IPアドレス", en="from where")
    timestamp: Attr[datetime] = attr(stored_as=INSTANT, ja="操作日時", en="when")
    ttl: Attr[datetime] = computed(
        log_expiry, stored_as=epoch(), ja="TTL（90日後に自動削除）", en="deleted after 90 days"
    )
    about_id: Attr[str | None] = computed(
        logged_about, "aboutId", ja="対象のユーザーID", en="whom it concerns", added=True
    )


@model
class FollowRequest:
    followee_id: Attr[str] = attr("followeeId", ja="申請された側", en="who is asked")
    follower_id: Attr[str] = attr("followerId", ja="申請した側", en="who asks")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="申請日時", en="made")


@model
class ProfileImage:
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="whose picture")
    digest: Attr[str] = attr(ja="内容のハッシュ", en="hash of the content")
    content_type: Attr[str] = attr("contentType", ja="形式", en="kind of picture")
    content: Attr[bytes] = attr(ja="画像", en="the picture")
    updated_at: Attr[datetime] = attr("updatedAt", stored_as=INSTANT, ja="更新日時", en="last change")


@model
class Mute:
    muter_id: Attr[str] = attr("muterId", ja="ミュートする側のユーザーID", en="who mutes")
    muted_id: Attr[str] = attr("mutedId", ja="ミュートされる側のユーザーID", en="who is muted")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="ミュート日時", en="since")


@model
class QuestionVote:
    question_id: Attr[str] = attr("questionId", ja="お題ID", en="the question")
    user_id: Attr[str] = attr("userId", ja="投票したユーザーID", en="who votes")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="投票日時", en="made")


# Trust and safety: what waits for a look, what was decided, what people were told


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


# Finding each other: links that invite, and addresses of those who want to be found


@model
class Invite:
    invite_id: Attr[str] = attr("inviteId", ja="招待ID（リンクのハッシュ）", en="invite, by the hash of its link")
    inviter_id: Attr[str] = attr("inviterId", ja="招待した人", en="who invites")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="作成日時", en="made")
    uses_left: Attr[int] = attr("usesLeft", ja="残りの人数", en="how many more may take it")
    taken: Attr[frozenset[str]] = attr(default=frozenset(), ja="使った人（ハッシュ）", en="who took it, hashed")
    expires_at: Attr[datetime] = attr("expiresAt", stored_as=epoch(), ja="有効期限（TTL）", en="good until then")


@model
class Contact:
    address: Attr[str] = attr(ja="アドレスの鍵付きハッシュ", en="keyed hash of an address")
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="whose it is")


# The operator's numbers: sums that name nobody, and what has been counted already


@model
class DayNumbers:
    """What happened on a Japanese day. Answers stand with the day of their question."""

    day: Attr[date] = attr("period", ja="日付（JST）", en="Japanese day")
    posted: Attr[int] = attr(default=0, ja="投稿された回答", en="answers posted")
    on_time: Attr[int] = attr("onTime", default=0, ja="うちオンタイム", en="of them within 30 minutes")
    deleted: Attr[int] = attr(default=0, ja="うち現在削除済み", en="of them deleted now")
    joined: Attr[int] = attr(default=0, ja="参加した人", en="people who joined")
    away: Attr[int] = attr(default=0, ja="退会・BANでいなくなった人", en="people who left or were locked out")
    back: Attr[int] = attr(default=0, ja="戻ってきた人", en="people who came back")
    sent: Attr[int] = attr(default=0, ja="送れたプッシュ", en="pushes that were taken")
    failed: Attr[int] = attr(default=0, ja="送れなかったプッシュ", en="pushes that were given up")
    gone: Attr[int] = attr(default=0, ja="端末がもうなかったプッシュ", en="pushes to devices that are gone")
    opened: Attr[int] = attr(default=0, ja="この日に始まった案件", en="matters for moderators that began this day")
    waiting: Attr[int] = attr(default=0, ja="うち未対応", en="of them still open")
    settled: Attr[int] = attr(default=0, ja="この日に終わった案件", en="matters that ended this day")
    settled_seconds: Attr[int] = attr(
        "settledSeconds", default=0, ja="終わるまでの秒数の合計", en="how long those had waited, in sum"
    )


@model
class Cohort:
    week: Attr[date] = attr("period", ja="参加した週（月曜日）", en="week of joining, by its Monday")
    joined: Attr[int] = attr(default=0, ja="参加した人", en="people who joined in it")


@model
class CohortWeek:
    week: Attr[date] = attr(ja="参加した週（月曜日）", en="week of joining, by its Monday")
    later: Attr[int] = attr(ja="何週間後か", en="how many weeks later")
    people: Attr[int] = attr(default=0, ja="その週に回答した人", en="of those who joined, how many answered then")


@model
class Totals:
    name: Attr[str] = attr("period", ja="合計の名前", en="which sums")
    members: Attr[int] = attr(default=0, ja="今いる人", en="people who are there now")
    waiting: Attr[int] = attr(default=0, ja="未対応の案件", en="matters that wait now")


@model
class Counted:
    """A change or a message that is in the numbers, so that one which comes again is not counted twice."""

    what: Attr[str] = attr(escape=True, ja="数えたもの", en="what was counted")
    ttl: Attr[datetime] = attr(stored_as=epoch(), ja="TTL", en="forgotten then")
