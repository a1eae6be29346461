"""Access patterns that the document implies, though they are not in its list, and those that were added."""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Delete, Query, Ref, Transaction, Update
from sekkei_systems.q.design.models import (
    NEVER,
    AdminAction,
    AdminLog,
    Answer,
    Block,
    EndedBlock,
    Follow,
    FollowRequest,
    Mute,
    NGWord,
    ProfileImage,
    PushToken,
    Question,
    QuestionStatus,
    QuestionType,
    QuestionVote,
    Reaction,
    Report,
    ReportStatus,
    Submission,
    User,
)
from sekkei_systems.q.design.tables import (
    admin_logs,
    answers,
    answers_by_user,
    answers_flagged,
    blocked_by,
    blocks,
    design,
    ended_blocks,
    ended_blocks_by_blocked,
    follow_requests,
    follows,
    logs_by_action,
    logs_by_admin,
    logs_by_user,
    muted_by,
    mutes,
    ng_words,
    profile_images,
    push_tokens,
    question_votes,
    questions,
    questions_by_last_use,
    questions_by_submitter,
    reactions,
    reactions_by_reactor,
    reports_by_reporter,
    reports_by_status,
    reports_by_target,
    requests_by_requester,
    submissions_by_user,
    users,
    users_by_email,
    users_by_username,
    votes_by_user,
)


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
