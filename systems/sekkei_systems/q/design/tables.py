"""Q.'s twelve tables, and those that were added: uniqueness markers, requests to follow, pictures, mutes, ended
blocks, votes.

Names of tables, keys, indexes and attributes are those of the original document, to the letter; its index
`username-index`, marked TODO there, is built here. What was added is marked `added=True`. The streams are added too:
through those of Follows, FollowRequests and Reactions people are told of followers and reactions, and through those of
Users, Answers and Reports the operator's numbers are kept.
"""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Design, Index, Key
from sekkei_systems.original import ADDED
from sekkei_systems.q.design.models import (
    AdminLog,
    Answer,
    Block,
    Cohort,
    CohortWeek,
    Contact,
    Counted,
    DailyQuestion,
    DayNumbers,
    Decision,
    EndedBlock,
    Follow,
    FollowRequest,
    Invite,
    Mute,
    NGWord,
    Notice,
    ProfileImage,
    ProfilePart,
    ProfileReview,
    PushToken,
    Question,
    QuestionVote,
    Reaction,
    Report,
    ReportAbout,
    Submission,
    Totals,
    User,
)

design = Design(
    "q",
    language="ja",
    added=ADDED,
    tables="{env}-q-{table}",
    ja="毎日の質問 SNS「Q.（仮）」",
    en="Q., a question a day",
)

users_table = design.table(
    "Users",
    "userId",
    indexes=[
        Index("GSI1_AppId", "appId", ja="アプリ内IDでユーザー検索", en="user by app id"),
        Index(
            "email-index",
            "email",
            ja="メールアドレスでユーザー検索（ログイン時）",
            en="user by mail address, to log in",
        ),
        Index("username-index", "username", ja="ユーザー名の重複チェック", en="user by user name"),
    ],
    stream="NEW_IMAGE",
    pitr=True,
    ja="ユーザー",
    en="Users",
)
daily_questions_table = design.table("DailyQuestions", "date", pitr=True, ja="日別お題", en="The question of each day")
questions_table = design.table(
    "Questions",
    "questionId",
    indexes=[
        Index("GSI1_Status", "status", "createdAt", ja="ステータス別一覧（承認待ち等）", en="questions by status"),
        Index(
            "GSI2_Approved",
            "status",
            "lastUsedAt",
            ja="承認済み＆未使用のお題取得",
            en="by status, longest unused first",
        ),
        Index("GSI3_Submitter", "submittedBy", "createdAt", ja="投稿者別一覧", en="questions of a user", added=True),
    ],
    pitr=True,
    ja="お題マスタ",
    en="All questions",
)
answers_table = design.table(
    "Answers",
    "date",
    "userId",
    indexes=[
        Index("GSI1_UserHistory", "userId", "date", ja="ユーザーの過去回答一覧", en="a user's answers by day"),
        Index("GSI2_Flagged", "flagState", "createdAt", ja="審査待ちの回答", en="answers to review", added=True),
    ],
    stream="NEW_AND_OLD_IMAGES",
    pitr=True,
    ja="回答",
    en="Answers",
)
follows_table = design.table(
    "Follows",
    "followerId",
    "followeeId",
    indexes=[Index("GSI1_Followers", "followeeId", "followerId", ja="フォロワー一覧取得", en="who follows a user")],
    stream="NEW_IMAGE",
    pitr=True,
    ja="フォロー関係",
    en="Who follows whom",
)
blocks_table = design.table(
    "Blocks",
    "blockerId",
    "blockedId",
    indexes=[
        Index("GSI1_BlockedBy", "blockedId", "blockerId", ja="自分をブロックしている人の確認", en="who blocks a user")
    ],
    pitr=True,
    ja="ブロック関係",
    en="Who blocks whom",
)
reactions_table = design.table(
    "Reactions",
    "answerId",
    "reactorId",
    indexes=[Index("GSI1_Reactor", "reactorId", "createdAt", ja="ユーザー別一覧", en="a user's reactions", added=True)],
    stream="NEW_IMAGE",
    pitr=True,
    ja="リアクション",
    en="Reactions to answers",
)
reports_table = design.table(
    "Reports",
    "reportId",
    indexes=[
        Index("GSI1_Status", "status", "createdAt", ja="ステータス別一覧（未対応等）", en="reports by status"),
        Index("GSI2_Reporter", "reporterId", "createdAt", ja="通報者別一覧", en="reports of a user", added=True),
        Index("GSI3_Target", "targetId", "createdAt", ja="対象別一覧", en="reports about something", added=True),
    ],
    stream="NEW_AND_OLD_IMAGES",
    pitr=True,
    ja="通報",
    en="Reports",
)
submissions_table = design.table(
    "UserQuestionSubmissions",
    "date",
    "userId",
    indexes=[Index("GSI1_User", "userId", "date", ja="ユーザー別一覧", en="a user's submissions", added=True)],
    pitr=True,
    ja="ユーザーお題提出履歴",
    en="One submitted question per user and day",
)
ng_words_table = design.table("NGWords", "word", pitr=True, ja="NGワード", en="Forbidden words")
push_tokens_table = design.table(
    "PushTokens", "userId", "token", pitr=True, ja="プッシュ通知トークン", en="Push tokens of devices"
)
admin_logs_table = design.table(
    "AdminLogs",
    "pk",
    "sk",
    ttl="ttl",
    indexes=[
        Index("GSI1_Action", "action", "timestamp", ja="アクション種別でフィルタ", en="entries by action"),
        Index("GSI2_Admin", "adminId", "timestamp", ja="管理者IDでフィルタ", en="entries by administrator"),
        Index("GSI3_About", "aboutId", "timestamp", ja="誰のことか（退会時）", en="by whom they concern", added=True),
    ],
    pitr=True,
    ja="監査ログ",
    en="What administrators did",
)
unique_keys_table = design.table("UniqueKeys", "key", pitr=True, ja="一意性の目印", en="Uniqueness markers", added=True)
follow_requests_table = design.table(
    "FollowRequests",
    "followeeId",
    "followerId",
    indexes=[
        Index("GSI1_Requester", "followerId", "createdAt", ja="申請者別一覧", en="requests of a user", added=True)
    ],
    stream="NEW_IMAGE",
    pitr=True,
    ja="フォロー申請",
    en="Requests to follow a private account",
    added=True,
)

profile_images_table = design.table(
    "ProfileImages", "userId", pitr=True, ja="プロフィール画像", en="Pictures of users", added=True
)
mutes_table = design.table(
    "Mutes",
    "muterId",
    "mutedId",
    indexes=[Index("GSI1_MutedBy", "mutedId", "muterId", ja="ミュートしている人", en="who mutes a user", added=True)],
    pitr=True,
    ja="ミュート",
    en="Who does not want to read whom in the timeline",
    added=True,
)
ended_blocks_table = design.table(
    "EndedBlocks",
    "blockerId",
    "blockedId",
    indexes=[
        Index(
            "GSI1_BlockedBy", "blockedId", "blockerId", ja="ブロックされていた人別", en="by who was blocked", added=True
        )
    ],
    pitr=True,
    ja="解除されたブロック（再フォローには承認が要る）",
    en="Blocks that have ended: who blocked asks before they follow again",
    added=True,
)
question_votes_table = design.table(
    "QuestionVotes",
    "questionId",
    "userId",
    indexes=[Index("GSI1_Voter", "userId", "createdAt", ja="投票者別一覧", en="a user's votes", added=True)],
    pitr=True,
    ja="お題への投票",
    en="Votes for questions that wait to be asked",
    added=True,
)


@users_table.entity(User, ja="ユーザー", en="user")
def users(user_id: str) -> Key:
    return Key(user_id)


@daily_questions_table.entity(DailyQuestion, ja="日別お題", en="question of a day")
def daily_questions(day: date) -> Key:
    return Key(day)


@questions_table.entity(Question, ja="お題", en="question")
def questions(question_id: str) -> Key:
    return Key(question_id)


@answers_table.entity(Answer, ja="回答", en="answer")
def answers(day: date, user_id: str) -> Key:
    return Key(day, user_id)


@follows_table.entity(Follow, ja="フォロー", en="follow")
def follows(follower_id: str, followee_id: str) -> Key:
    return Key(follower_id, followee_id)


@blocks_table.entity(Block, ja="ブロック", en="block")
def blocks(blocker_id: str, blocked_id: str) -> Key:
    return Key(blocker_id, blocked_id)


@reactions_table.entity(Reaction, ja="リアクション", en="reaction")
def reactions(day: date, user_id: str, reactor_id: str) -> Key:
    return Key(f"{day}#{user_id}", reactor_id)


@reports_table.entity(Report, ja="通報", en="report")
def reports(report_id: str) -> Key:
    return Key(report_id)


@submissions_table.entity(Submission, ja="お題提出", en="submission")
def submissions(day: date, user_id: str) -> Key:
    return Key(day, user_id)


@ng_words_table.entity(NGWord, ja="NGワード", en="forbidden word")
def ng_words(word: str) -> Key:
    return Key(word)


@push_tokens_table.entity(PushToken, ja="プッシュトークン", en="push token")
def push_tokens(user_id: str, token: str) -> Key:
    return Key(user_id, token)


@admin_logs_table.entity(AdminLog, ja="監査ログ", en="log entry")
def admin_logs(timestamp: datetime, log_id: str) -> Key:
    return Key("LOG", f"{timestamp}#{log_id}")


@follow_requests_table.entity(FollowRequest, ja="フォロー申請", en="request to follow", added=True)
def follow_requests(followee_id: str, follower_id: str) -> Key:
    return Key(followee_id, follower_id)


@profile_images_table.entity(ProfileImage, ja="プロフィール画像", en="picture of a user", added=True)
def profile_images(user_id: str) -> Key:
    return Key(user_id)


@mutes_table.entity(Mute, ja="ミュート", en="mute", added=True)
def mutes(muter_id: str, muted_id: str) -> Key:
    return Key(muter_id, muted_id)


@ended_blocks_table.entity(EndedBlock, ja="解除されたブロック", en="ended block", added=True)
def ended_blocks(blocker_id: str, blocked_id: str) -> Key:
    return Key(blocker_id, blocked_id)


@question_votes_table.entity(QuestionVote, ja="投票", en="vote", added=True)
def question_votes(question_id: str, user_id: str) -> Key:
    return Key(question_id, user_id)


unique_keys = unique_keys_table.markers()
unique_email = users.unique("EMAIL#{email}", unique_keys)
unique_app_id = users.unique("APPID#{app_id}", unique_keys)
unique_username = users.unique("USERNAME#{username_folded}", unique_keys)
unique_token = push_tokens.unique("TOKEN#{token}", unique_keys)
unique_report = reports.unique("REPORT#{reporter_id}#{target_id}", unique_keys)

users_by_app_id = users.index("GSI1_AppId")
users_by_email = users.index("email-index")
users_by_username = users.index("username-index")
questions_by_status = questions.index("GSI1_Status")
questions_by_last_use = questions.index("GSI2_Approved")
questions_by_submitter = questions.index("GSI3_Submitter")
answers_by_user = answers.index("GSI1_UserHistory")
answers_flagged = answers.index("GSI2_Flagged")
followers = follows.index("GSI1_Followers")
blocked_by = blocks.index("GSI1_BlockedBy")
reactions_by_reactor = reactions.index("GSI1_Reactor")
reports_by_status = reports.index("GSI1_Status")
reports_by_reporter = reports.index("GSI2_Reporter")
reports_by_target = reports.index("GSI3_Target")
submissions_by_user = submissions.index("GSI1_User")
logs_by_action = admin_logs.index("GSI1_Action")
logs_by_admin = admin_logs.index("GSI2_Admin")
logs_by_user = admin_logs.index("GSI3_About")
requests_by_requester = follow_requests.index("GSI1_Requester")
muted_by = mutes.index("GSI1_MutedBy")
ended_blocks_by_blocked = ended_blocks.index("GSI1_BlockedBy")
votes_by_user = question_votes.index("GSI1_Voter")

design.relate(users, answers, submissions, push_tokens, question_votes, follows, blocks, follow_requests, reports)
design.relate(users, admin_logs)
design.relate(users, profile_images, many=False)
design.relate(daily_questions, answers, submissions)
design.relate(questions, daily_questions, question_votes)
design.relate(answers, reactions)


# Trust and safety


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


# Finding each other


invites_table = design.table(
    "Invites",
    "inviteId",
    indexes=[Index("GSI1_Inviter", "inviterId", "createdAt", ja="招待した人別", en="by who invites", added=True)],
    ttl="expiresAt",
    pitr=True,
    ja="招待リンク",
    en="Links that invite",
    added=True,
)
contacts_table = design.table(
    "Contacts", "address", pitr=True, ja="連絡先で見つかる人", en="Who can be found by their address", added=True
)


@invites_table.entity(Invite, ja="招待", en="invite", added=True)
def invites(invite_id: str) -> Key:
    return Key(invite_id)


@contacts_table.entity(Contact, ja="連絡先", en="contact", added=True)
def contacts(address: str) -> Key:
    return Key(address)


invites_by_inviter = invites.index("GSI1_Inviter")
design.relate(users, invites, contacts)


# The operator's numbers: whatever is counted is added as it happens, and nothing is scanned for it


NOW = "now"

numbers_table = design.table(
    "Numbers",
    "kind",
    "period",
    ttl="ttl",
    pitr=True,
    ja="運営の数字",
    en="Numbers for the operator",
    added=True,
)


@numbers_table.entity(DayNumbers, ja="日ごとの数字", en="numbers of a day", added=True)
def day_numbers(day: date) -> Key:
    return Key("day", day)


@numbers_table.entity(Cohort, ja="参加週", en="week of joining", added=True)
def cohorts(week: date) -> Key:
    return Key("cohort", week)


@numbers_table.entity(CohortWeek, ja="参加週ごとの継続", en="retention of a week of joining", added=True)
def cohort_weeks(week: date, later: int) -> Key:
    return Key("cohort-week", f"{week}#{later:04d}")


@numbers_table.entity(Totals, ja="合計", en="sums of now", added=True)
def totals(name: str) -> Key:
    return Key("total", name)


@numbers_table.entity(Counted, ja="数えた目印", en="marker of what is counted", added=True)
def counted(what: str) -> Key:
    return Key(f"counted#{what}", "-")


# What `sekkei check` says about this design, and why it stays so

design.accept("R1", "AdminLogs: admin_logs", "Administrators write a few rows a day.")
design.accept(
    "R1",
    "Numbers: *",
    "Reactions to streams count there; where a key is full, the operator's page is late and nobody waits.",
)
design.accept("R3", "DailyQuestions: *", "There is one question a day.")
design.accept(
    "R3", "Answers: *", "The document's key. DynamoDB splits a hot day between people, whose ids do not rise with time."
)
design.accept("R3", "UserQuestionSubmissions: *", "A few hundred a day.")
design.accept("R21", "*", "Questions, reports and logs are small, and few change in a day.")
design.accept("R39", "unblock", "The end of a block that was written last wins.")
design.accept(
    "R47", "*", "Keeping 35 days of history costs as much as the data; turn it on per table where you run it."
)
