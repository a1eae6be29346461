"""Q.'s access patterns: the nineteen of the document, by number.

Those that it implies, or that were added, are in `patterns_added`; the tables in `tables`, what stands in them in
`models`.
"""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Put, Query, Ref, Transaction
from sekkei_systems.q.design.models import (
    Answer,
    Block,
    DailyQuestion,
    Follow,
    Question,
    QuestionStatus,
    Reaction,
    ReactionType,
    Report,
    Submission,
    User,
)
from sekkei_systems.q.design.tables import (
    answers,
    answers_by_user,
    blocks,
    daily_questions,
    design,
    followers,
    follows,
    questions,
    questions_by_last_use,
    questions_by_status,
    reactions,
    reports,
    submissions,
    users,
    users_by_app_id,
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
