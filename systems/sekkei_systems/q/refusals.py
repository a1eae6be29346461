"""What Q. will not do, each with its words."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Gone, Invalid, NotAllowed, NotThere, say


class NotJoined(NotAllowed):
    code = "not-joined"
    words = say("まず Q. をはじめてください。", "Join Q. first.")


class Banned(NotAllowed):
    code = "banned"
    words = say("このアカウントは利用を停止されています。", "This account has been suspended.")


class Leaving(NotAllowed):
    code = "leaving"
    words = say(
        "退会の手続き中です。つづけるには退会を取り消してください。",
        "You are about to leave. Cancel that to go on.",
    )


class NotAdmin(NotAllowed):
    code = "not-admin"
    words = say("この操作は管理者だけができます。", "Only an administrator may do this.")


class AppIdNeeded(NotAllowed):
    code = "app-id-needed"
    words = say("投稿するには、先に ID を決めてください。", "Choose your ID before you post.")


class TooYoung(NotAllowed):
    code = "too-young"
    words = say("13歳以上の方がご利用いただけます。", "You must be at least 13 to use Q.")


class NoSuchUser(NotThere):
    code = "no-such-user"
    words = say("ユーザーが見つかりません。", "There is no such user.")


class NoSuchAnswer(NotThere):
    code = "no-such-answer"
    words = say("この回答は見られません。", "This answer cannot be shown.")


class AnswerFirst(NotAllowed):
    code = "answer-first"
    words = say("今日のお題に答えると、見られるようになります。", "Answer today's question to see it.")


class NoQuestion(NotThere):
    code = "no-question"
    words = say("まだお題がありません。", "There is no question yet.")


class NoSuchThing(NotThere):
    code = "no-such-thing"


class Hidden(NotAllowed):
    code = "private"
    words = say("非公開アカウントです。", "This account is private.")


class AlreadyJoined(Conflict):
    code = "already-joined"
    words = say("すでに登録されています。", "You have joined already.")


class Taken(Conflict):
    code = "taken"
    words = say("すでに使われています。", "It is already taken.")


class AppIdSet(Conflict):
    code = "app-id-set"
    words = say("ID は一度決めると変えられません。", "An ID cannot be changed once it is set.")


class AlreadyAnswered(Conflict):
    code = "already-answered"
    words = say("このお題にはもう答えています。", "You have answered this question already.")


class QuestionClosed(Gone):
    code = "question-closed"
    words = say("このお題の受付は終わりました。", "This question is closed.")


class UndoOver(Gone):
    code = "undo-over"
    words = say("元に戻せる時間を過ぎました。", "It is too late to undo this.")


class TakenDown(NotAllowed):
    code = "taken-down"
    words = say("運営が削除した回答は元に戻せません。", "An answer that was taken down cannot be restored.")


class Oneself(Invalid):
    code = "oneself"
    words = say("自分自身にはできません。", "You cannot do this to yourself.")


class AlreadyFollowing(Conflict):
    code = "already-following"
    words = say("すでにフォローしています。", "You follow this user already.")


class NotFollowing(Conflict):
    code = "not-following"
    words = say("フォローしていません。", "You do not follow this user.")


class BlockedPair(NotThere):
    """To whoever is blocked, the other does not exist."""

    code = "no-such-user"
    words = say("ユーザーが見つかりません。", "There is no such user.")


class AlreadyReported(Conflict):
    code = "already-reported"
    words = say("すでに通報済みです。", "You have reported this already.")


class AlreadySubmitted(Conflict):
    code = "already-submitted"
    words = say("お題の提案は1日1件です。", "One question a day, please.")


class WrongState(Conflict):
    code = "wrong-state"
    words = say("すでに処理されています。", "This has been dealt with already.")


class AlreadyPublished(Conflict):
    code = "already-published"
    words = say("公開済みのお題は変更できません。", "A published question cannot be changed.")


class AdminsStay(Conflict):
    code = "admins-stay"
    words = say("管理者は退会・停止できません。先に権限を外してください。", "Give up the admin role first.")


class BadText(Invalid):
    code = "bad-text"
    words = say("1文字以上{most}文字以下で入力してください。", "Please enter 1 to {most} characters.")


class BadCharacters(Invalid):
    code = "bad-characters"
    words = say("使えない文字が含まれています。", "It holds characters that cannot be used.")


class BadAppId(Invalid):
    code = "bad-app-id"
    words = say("半角の英小文字・数字・_ で3〜15文字にしてください。", "Use 3 to 15 of a-z, 0-9 and _.")


class BadUsername(Invalid):
    code = "bad-username"
    words = say("半角の英数字・_ で3〜20文字にしてください。", "Use 3 to 20 of A-Z, a-z, 0-9 and _.")


class BadBirthDate(Invalid):
    code = "bad-birth-date"
    words = say("生年月日を確認してください。", "Please check the day of birth.")


class BadReaction(Invalid):
    code = "bad-reaction"
    words = say("使えないリアクションです。", "There is no such reaction.")


class BadToken(Invalid):
    code = "bad-token"
    words = say("プッシュ通知トークンの形になっていません。", "This is not an Expo push token.")


class BadPicture(Invalid):
    code = "bad-picture"
    words = say(
        "{most}MB以下の JPEG・PNG・WebP・GIF を選んでください。",
        "Choose a JPEG, PNG, WebP or GIF of at most {most} MB.",
    )


class QuietHalf(Invalid):
    code = "quiet-half"
    words = say("始まりと終わりの両方を決めてください。", "Give both the beginning and the end.")


class NoAddress(NotAllowed):
    code = "no-address"
    words = say("確認済みのメールアドレスが必要です。", "A verified e-mail address is needed.")
