"""Q.'s access patterns: the nineteen of the document, by number, then those that it implies or that were added."""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Action, Delete, Put, Query, Ref, Transaction, Update
from sekkei_systems.q.design.models import (
    NEVER,
    AdminAction,
    AdminLog,
    Answer,
    Block,
    Cohort,
    CohortWeek,
    Contact,
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
    ProfileReview,
    PushToken,
    Question,
    QuestionStatus,
    QuestionType,
    QuestionVote,
    Reaction,
    ReactionType,
    Report,
    ReportAbout,
    ReportStatus,
    Submission,
    Totals,
    User,
)
from sekkei_systems.q.design.tables import (
    NOW,
    admin_logs,
    answers,
    answers_by_user,
    answers_flagged,
    blocked_by,
    blocks,
    cohort_weeks,
    cohorts,
    contacts,
    daily_questions,
    day_numbers,
    decisions,
    decisions_waiting,
    design,
    ended_blocks,
    ended_blocks_by_blocked,
    follow_requests,
    followers,
    follows,
    invites,
    invites_by_inviter,
    logs_by_action,
    logs_by_admin,
    logs_by_user,
    muted_by,
    mutes,
    ng_words,
    notices,
    notices_about,
    profile_images,
    profile_reviews,
    push_tokens,
    question_votes,
    questions,
    questions_by_last_use,
    questions_by_status,
    questions_by_submitter,
    reactions,
    reactions_by_reactor,
    reports,
    reports_by_reporter,
    reports_by_status,
    reports_by_target,
    reports_concerning,
    requests_by_requester,
    reviews_waiting,
    submissions,
    submissions_by_user,
    totals,
    users,
    users_by_app_id,
    users_by_email,
    users_by_username,
    votes_by_user,
)


@design.pattern(number="1", ja="ユーザーIDでユーザー情報取得")
def user(user_id: str) -> Ref[User]:
    """One user."""
    return users(user_id)


@design.pattern(number="2", ja="アプリ内IDでユーザー検索")
def user_by_app_id(app_id: str) -> Query[User]:
    """The user with this app id."""
    return users_by_app_id.where(User.app_id == app_id)


@design.pattern(number="3", ja="今日の質問を取得")
def question_of_day(day: date) -> Ref[DailyQuestion]:
    """The question of a Japanese day."""
    return daily_questions(day)


@design.pattern(number="4", ja="回答を投稿")
def post_answer(answer: Answer) -> Put[Answer]:
    """Answer once. That the question is out was read before, and is never undone (docs/adr/0008)."""
    return answers.create(answer)


@design.pattern(number="5", ja="自分の過去回答一覧を取得", page=20)
def answers_of_user(user_id: str) -> Query[Answer]:
    """A user's answers, newest day first."""
    return answers_by_user.where(Answer.user_id == user_id).backwards()


@design.pattern(number="7", ja="フォロー一覧を取得")
def following(user_id: str) -> Query[Follow]:
    """Whom a user follows."""
    return follows.where(Follow.follower_id == user_id)


@design.pattern(number="6", ja="フォロー中の人の今日の回答一覧（タイムライン）")
def timeline(user_id: str, day: date, readable: list[str]) -> tuple[Query[Follow], list[Ref[Answer]]]:
    """Whom a user follows, then the day's answers of those whom the user may read."""
    return following(user_id), [answers(day, author) for author in readable]


@design.pattern(number="8", ja="フォロワー一覧を取得")
def followers_of(user_id: str) -> Query[Follow]:
    """Who follows a user."""
    return followers.where(Follow.followee_id == user_id)


@design.pattern(number="9", ja="相互フォロー判定")
def mutual(one: str, other: str) -> list[Ref[Follow]]:
    """Both edges between two users; they follow each other when both are there."""
    return [follows(one, other), follows(other, one)]


@design.pattern(number="10", ja="フォロー数/フォロワー数を取得")
def follow_counts(user_id: str) -> Ref[User]:
    """A user's two counters."""
    return users(user_id)


@design.pattern(number="11", ja="投稿にリアクション付与")
def react(
    day: date, author: str, reactor: str, kind: ReactionType, now: datetime, *, on_answer: bool = True
) -> Transaction:
    """Give a reaction, or change it, while the answer is there; the answer has it too, so that a timeline reads no
    reactions. `on_answer` is false for answers of an older version and for those that have very many."""
    there = answers.update(day, author).set(Answer.reactors.entry(reactor), kind.value)
    there = there.when(Answer.is_deleted.is_(False), Answer.reactors.exists())
    return Transaction(
        there if on_answer else answers.must_exist(day, author).when(Answer.is_deleted.is_(False)),
        reactions.upsert(day, author, reactor)
        .set(Reaction.reaction_type, kind)
        .set(Reaction.updated_at, now)
        .set_if_absent(Reaction.created_at, now),
    )


@design.pattern(number="12", ja="投稿についたリアクション一覧取得")
def reactions_to(day: date, author: str) -> Query[Reaction]:
    """Everyone's reactions to an answer."""
    return reactions.where(Reaction.day == day, Reaction.user_id == author)


@design.pattern(number="13", ja="自分がリアクションしたか確認")
def reaction_of(day: date, author: str, reactor: str) -> Ref[Reaction]:
    """One user's reaction to an answer."""
    return reactions(day, author, reactor)


@design.pattern(number="14", ja="ブロック一覧取得")
def blocked(user_id: str) -> Query[Block]:
    """Whom a user blocks."""
    return blocks.where(Block.blocker_id == user_id)


@design.pattern(number="15", ja="特定ユーザーをブロックしているか確認")
def blocks_user(user_id: str, other: str) -> Ref[Block]:
    """Whether one user blocks another."""
    return blocks(user_id, other)


@design.pattern(number="16", ja="通報送信")
def send_report(report: Report) -> Put[Report]:
    """Report something, once per reporter and target."""
    return reports.create(report)


@design.pattern(number="17", ja="ユーザーお題を提出")
def submit_question(submission: Submission, question: Question) -> Transaction:
    """Submit a question, one a day."""
    return Transaction(submissions.create(submission), questions.create(question))


@design.pattern(ja="ステータス別のお題一覧", added=True)
def questions_with_status(status: QuestionStatus) -> Query[Question]:
    """Questions of one status, oldest first."""
    return questions_by_status.where(Question.status == status)


@design.pattern(number="18", ja="承認待ちお題一覧（管理画面）")
def pending_questions() -> Query[Question]:
    """Questions that wait for approval, oldest first."""
    return questions_with_status(QuestionStatus.PENDING)


@design.pattern(number="19", ja="承認済みお題からランダム取得", page=50)
def approved_questions() -> Query[Question]:
    """Approved questions, the longest unused first, to choose from at random."""
    return questions_by_last_use.where(Question.status == QuestionStatus.APPROVED)


# What the document implies, though it is not in its list, and what was added


@design.pattern(ja="メールアドレスでユーザー検索（ログイン時）", added=True)
def user_by_email(email: str) -> Query[User]:
    """The user with this mail address."""
    return users_by_email.where(User.email == email)


@design.pattern(ja="ユーザー名でユーザー検索", added=True)
def user_by_username(username: str) -> Query[User]:
    """The user with this user name."""
    return users_by_username.where(User.username == username)


@design.pattern(ja="30日以上前に使われたお題", added=True)
def questions_used_before(moment: datetime) -> Query[Question]:
    """Used questions that may be asked again."""
    return questions_by_last_use.where(Question.status == QuestionStatus.USED, Question.last_used_at < moment)


@design.pattern(ja="日付の回答一覧", added=True)
def answers_of_day(day: date) -> Query[Answer]:
    """Everyone's answers of a day."""
    return answers.where(Answer.day == day)


@design.pattern(ja="フォロー（カウンター×2）", added=True)
def follow(edge: Follow) -> Transaction:
    """Follow, unless one of the two blocks the other, is banned or leaves; both counters go up. An account that is
    private by now is asked first."""
    one, other = edge.follower_id, edge.followee_id
    here = User.is_banned.is_(False) & User.deleting_at.absent()
    open_to_all = here if edge.accepted else here & ~User.is_private.is_(True)
    return Transaction(
        follows.create(edge),
        users.update(one).add(User.following_count, 1).keeping_version().when(here),
        users.update(other).add(User.follower_count, 1).keeping_version().when(open_to_all),
        blocks.must_not_exist(one, other),
        blocks.must_not_exist(other, one),
    )


def ending(edge: Follow) -> Delete[Follow]:
    """Delete an edge, if it still says what was read of it about who is banned: that decides which counters move."""
    return (
        follows.delete(edge.follower_id, edge.followee_id)
        .must_exist()
        .when(Follow.follower_banned == edge.follower_banned, Follow.followee_banned == edge.followee_banned)
    )


def _planned(follower: str, followee: str) -> Follow:
    """The usual edge, of two who are not banned, for the document."""
    return Follow(follower_id=f"{{edge.{follower}}}", followee_id=f"{{edge.{followee}}}", created_at=NEVER)


@design.pattern(ja="フォロー解除（カウンター×2）", sample={"edge": _planned("follower_id", "followee_id")}, added=True)
def unfollow(edge: Follow) -> Transaction:
    """Stop following; the counters that the edge stands in go down, never below zero."""
    one, other = users.update(edge.follower_id), users.update(edge.followee_id)
    counters = []
    if not edge.followee_banned:
        counters.append(one.add(User.following_count, -1).keeping_version().when(User.following_count > 0))
    if not edge.follower_banned:
        counters.append(other.add(User.follower_count, -1).keeping_version().when(User.follower_count > 0))
    return Transaction(ending(edge), *counters)


@design.pattern(ja="BANされた人をフォロー数・フォロワー数から外す／解除されたら戻す", added=True)
def count_banned(edge: Follow, user_id: str, banned: bool) -> Transaction:
    """Take a banned user's edge out of the other one's counter, or put it back, once and while that is so."""
    if edge.follower_id == user_id:
        flag, counter, other = Follow.follower_banned, User.follower_count, edge.followee_id
    else:
        flag, counter, other = Follow.followee_banned, User.following_count, edge.follower_id
    mark = follows.update(edge.follower_id, edge.followee_id)
    return Transaction(
        mark.set(flag, True).when(flag.absent()) if banned else mark.remove(flag).when(flag.exists()),
        users.update(other).add(counter, -1 if banned else 1).keeping_version(),
        users.must_exist(user_id).when(User.is_banned.is_(banned)),
    )


def _counters(user_id: str, following: Follow | None, follower: Follow | None) -> list[Update[User]]:
    """One update for the edges that end, the one out and the one in; none when neither stands in a counter."""
    update = users.update(user_id).keeping_version()
    if following is not None and not following.followee_banned:
        update = update.add(User.following_count, -1)
    if follower is not None and not follower.follower_banned:
        update = update.add(User.follower_count, -1)
    return [update] if update.changes else []


@design.pattern(
    ja="ブロック（双方のフォローを解除）",
    sample={"out": _planned("blocker_id", "blocked_id"), "back": _planned("blocked_id", "blocker_id")},
    added=True,
)
def block(edge: Block, out: Follow | None, back: Follow | None) -> Transaction:
    """Block, and end the follows that were read before; refused when they have changed since.

    DynamoDB takes one action per item, so each user's counters change in one update.
    """
    one, other = edge.blocker_id, edge.blocked_id
    return Transaction(
        blocks.create(edge),
        follows.must_not_exist(one, other) if out is None else ending(out),
        follows.must_not_exist(other, one) if back is None else ending(back),
        *_counters(one, out, back),
        *_counters(other, back, out),
    )


@design.pattern(ja="ブロック解除", added=True)
def unblock(blocker_id: str, blocked_id: str, now: datetime) -> Transaction:
    """End a block. That it was there is kept: who blocked asks before they follow again."""
    ended = EndedBlock(blocker_id=blocker_id, blocked_id=blocked_id, ended_at=now)
    return Transaction(blocks.delete(blocker_id, blocked_id).must_exist(), ended_blocks.put(ended))


@design.pattern(ja="ユーザーが解除したブロック（退会時）", added=True)
def ended_blocks_by(user_id: str) -> Query[EndedBlock]:
    """Whom a user blocked once."""
    return ended_blocks.where(EndedBlock.blocker_id == user_id)


@design.pattern(ja="ユーザーへの解除されたブロック（退会時）", added=True)
def ended_blocks_of(user_id: str) -> Query[EndedBlock]:
    """Who blocked a user once."""
    return ended_blocks_by_blocked.where(EndedBlock.blocked_id == user_id)


@design.pattern(ja="自分をブロックしている人", added=True)
def blockers_of(user_id: str) -> Query[Block]:
    """Who blocks a user."""
    return blocked_by.where(Block.blocked_id == user_id)


@design.pattern(ja="リアクション解除", added=True)
def remove_reaction(day: date, author: str, reactor: str) -> Transaction:
    """Take a reaction back, from the answer too."""
    there = answers.update(day, author).remove(Answer.reactors.entry(reactor)).when(Answer.reactors.exists())
    return Transaction(reactions.delete(day, author, reactor), there)


@design.pattern(ja="ユーザーのリアクション一覧", added=True)
def reactions_by(user_id: str) -> Query[Reaction]:
    """The reactions that a user gave."""
    return reactions_by_reactor.where(Reaction.reactor_id == user_id)


@design.pattern(ja="審査待ちの回答", added=True)
def flagged_answers() -> Query[Answer]:
    """Answers that hold a forbidden word and wait for a review."""
    return answers_flagged.where(Answer.flag_state == "flagged")


@design.pattern(ja="ステータス別の通報一覧", added=True)
def reports_with_status(status: ReportStatus) -> Query[Report]:
    """Reports of one status, oldest first."""
    return reports_by_status.where(Report.status == status)


@design.pattern(ja="ユーザーの通報一覧", added=True)
def reports_by(user_id: str) -> Query[Report]:
    """The reports that a user made."""
    return reports_by_reporter.where(Report.reporter_id == user_id)


@design.pattern(ja="対象への通報一覧", added=True)
def reports_about(target_id: str) -> Query[Report]:
    """The reports about a user or an answer."""
    return reports_by_target.where(Report.target_id == target_id)


@design.pattern(ja="ユーザーの提出したお題", added=True)
def questions_by(user_id: str) -> Query[Question]:
    """The questions that a user submitted."""
    return questions_by_submitter.where(Question.submitted_by == user_id)


@design.pattern(ja="ユーザーのお題提出履歴", added=True)
def submissions_of(user_id: str) -> Query[Submission]:
    """On which days a user submitted a question."""
    return submissions_by_user.where(Submission.user_id == user_id)


@design.pattern(ja="NGワード一覧", scan="a few hundred words, read once a minute and kept in memory", added=True)
def all_ng_words() -> Query[NGWord]:
    """Every forbidden word."""
    return ng_words.scan()


@design.pattern(ja="ユーザーの全トークン", added=True)
def tokens_of(user_id: str) -> Query[PushToken]:
    """The push tokens of a user's devices."""
    return push_tokens.where(PushToken.user_id == user_id)


@design.pattern(ja="全ユーザーのトークン（一斉通知）", scan="a broadcast goes to every token there is", added=True)
def all_tokens() -> Query[PushToken]:
    """Every push token, for the notice that a question is out."""
    return push_tokens.scan()


@design.pattern(ja="監査ログ一覧", added=True, page=50)
def all_logs() -> Query[AdminLog]:
    """The log, newest first."""
    return admin_logs.where().backwards()


@design.pattern(ja="操作種別の監査ログ", added=True, page=50)
def logs_of_action(action: AdminAction) -> Query[AdminLog]:
    """The log of one action, newest first."""
    return logs_by_action.where(AdminLog.action == action).backwards()


@design.pattern(ja="管理者別の監査ログ", added=True, page=50)
def logs_of_admin(admin_id: str) -> Query[AdminLog]:
    """The log of one administrator, newest first."""
    return logs_by_admin.where(AdminLog.admin_id == admin_id).backwards()


@design.pattern(ja="ユーザーについての監査ログ（退会時）", added=True, page=50)
def logs_about(user_id: str) -> Query[AdminLog]:
    """The log of what was done to a user or to an answer of theirs."""
    return logs_by_user.where(AdminLog.about_id == user_id)


@design.pattern(ja="ある時刻からの監査ログ", added=True, page=50)
def logs_since(moment: datetime) -> Query[AdminLog]:
    """The newest lines of the log, oldest first."""
    return admin_logs.where(AdminLog.timestamp >= moment)


@design.pattern(ja="届いたフォロー申請", added=True, page=50)
def requests_to(user_id: str) -> Query[FollowRequest]:
    """Who asks to follow a user."""
    return follow_requests.where(FollowRequest.followee_id == user_id)


@design.pattern(ja="送ったフォロー申請", added=True)
def requests_of(user_id: str) -> Query[FollowRequest]:
    """Whom a user asks to follow."""
    return requests_by_requester.where(FollowRequest.follower_id == user_id)


@design.pattern(ja="全ユーザー（カウンター照合・管理画面）", scan="every user is counted anew at night", added=True)
def all_users() -> Query[User]:
    """Every user, in no order."""
    return users.scan()


@design.pattern(ja="プロフィール画像", added=True)
def picture_of(user_id: str) -> Ref[ProfileImage]:
    """The picture of a user."""
    return profile_images(user_id)


@design.pattern(ja="ミュート一覧", added=True)
def muted(user_id: str) -> Query[Mute]:
    """Whom a user mutes."""
    return mutes.where(Mute.muter_id == user_id)


@design.pattern(ja="自分をミュートしている人（退会時）", added=True)
def muters_of(user_id: str) -> Query[Mute]:
    """Who mutes a user; for their withdrawal only."""
    return muted_by.where(Mute.muted_id == user_id)


@design.pattern(ja="投票できるお題", added=True, page=30)
def candidates() -> Query[Question]:
    """Approved proposals of users that have not been asked yet."""
    fresh = questions_by_last_use.where(Question.status == QuestionStatus.APPROVED, Question.last_used_at == NEVER)
    return fresh.filter(Question.type == QuestionType.USER)


@design.pattern(ja="お題に投票", added=True)
def vote(given: QuestionVote) -> Transaction:
    """Vote for a question that waits to be asked, once."""
    waits = (Question.status == QuestionStatus.APPROVED) & (Question.last_used_at == NEVER)
    return Transaction(
        question_votes.create(given), questions.update(given.question_id).add(Question.votes, 1).when(waits)
    )


@design.pattern(ja="投票を取り消す", added=True)
def unvote(question_id: str, user_id: str) -> Transaction:
    """Take a vote back."""
    return Transaction(
        question_votes.delete(question_id, user_id).must_exist(),
        questions.update(question_id).add(Question.votes, -1).when(Question.votes > 0),
    )


@design.pattern(ja="ユーザーの投票一覧", added=True)
def votes_of(user_id: str) -> Query[QuestionVote]:
    """The votes that a user gave."""
    return votes_by_user.where(QuestionVote.user_id == user_id)


@design.pattern(ja="ユーザーの最近の回答（週のまとめ）", added=True)
def answers_since(user_id: str, first: date) -> Query[Answer]:
    """A user's answers from a day on."""
    return answers_by_user.where(Answer.user_id == user_id, Answer.day >= first)


# Trust and safety: what waits, what was decided, what people are told


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


# Finding each other


@design.pattern(ja="自分の招待リンク", added=True)
def invites_of(user_id: str) -> Query[Invite]:
    """The links by which somebody invites, oldest first."""
    return invites_by_inviter.where(Invite.inviter_id == user_id)


@design.pattern(ja="招待を開く", added=True)
def invite(invite_id: str) -> Ref[Invite]:
    """One invite."""
    return invites(invite_id)


@design.pattern(ja="アドレスで見つかる人", added=True)
def contact(address: str) -> Ref[Contact]:
    """Who can be found by an address."""
    return contacts(address)


def _here(user_id: str, following: int, followers: int) -> Action[User, object]:
    """Both counters of somebody in one update: DynamoDB takes one action per item. Who is private by now is not
    followed unasked."""
    here = User.is_banned.is_(False) & User.deleting_at.absent()
    here = here & ~User.is_private.is_(True) if followers else here
    if not following and not followers:
        return users.must_exist(user_id).when(here)
    update: Update[User] = users.update(user_id).keeping_version()
    update = update.add(User.following_count, following) if following else update
    return (update.add(User.follower_count, followers) if followers else update).when(here)


def _edge(one: str, other: str, asks: bool, now: datetime) -> list[Action[object, object]]:
    """A follow that settles what was asked before, or a request."""
    if asks:
        return [follow_requests.put(FollowRequest(followee_id=other, follower_id=one, created_at=now))]
    return [
        follows.create(Follow(follower_id=one, followee_id=other, created_at=now)),
        follow_requests.delete(other, one),
        ended_blocks.delete(other, one),
    ]


def befriend(one: str, other: str, out: bool | None, back: bool | None, now: datetime) -> Transaction:
    """Follow each other, unless one blocks the other, is banned or leaves. For each way: whether it must be asked for;
    None where there is nothing to do."""
    follow, follow_back = out is False, back is False
    return Transaction(
        _here(one, int(follow), int(follow_back)),
        _here(other, int(follow_back), int(follow)),
        blocks.must_not_exist(one, other),
        blocks.must_not_exist(other, one),
        *([] if out is None else _edge(one, other, out, now)),
        *([] if back is None else _edge(other, one, back, now)),
    )


# The operator's numbers


@design.pattern(ja="日ごとの数字", added=True)
def numbers_of_days(first: date, last: date) -> Query[DayNumbers]:
    """The numbers of some days, oldest first."""
    return day_numbers.where(DayNumbers.day.between(first, last))


@design.pattern(ja="今の合計", added=True)
def numbers_now() -> Ref[Totals]:
    """How many are there, and how much waits."""
    return totals(NOW)


@design.pattern(ja="参加週ごとの人数", added=True)
def cohorts_between(first: date, last: date) -> Query[Cohort]:
    """How many joined in each of some weeks."""
    return cohorts.where(Cohort.week.between(first, last))


@design.pattern(ja="参加週ごとの継続", added=True)
def retention_since(week: date) -> Query[CohortWeek]:
    """How many of those who joined since a week answered in each week after."""
    return cohort_weeks.where(CohortWeek.week >= week)
