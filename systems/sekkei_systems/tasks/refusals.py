"""What this system will not do, each with its words."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Gone, Invalid, NotAllowed, NotThere, TooMany, say

__all__ = [
    "AlreadyInvited",
    "AlreadyMember",
    "BadDates",
    "BadFile",
    "BadText",
    "Crowded",
    "EmailTaken",
    "InvitationOver",
    "LastAdmin",
    "NoSuchMember",
    "NoSuchTag",
    "NoSuchTask",
    "NoSuchTeam",
    "NotAdmin",
    "NotYourMail",
    "TooLarge",
    "TooMany",
    "Unreachable",
]


class NoSuchTeam(NotThere):
    code = "no-such-team"
    words = say(
        "チームが見つかりません。削除されたか、メンバーではありません。",
        "There is no such team, or you are not a member of it.",
    )


class NoSuchTask(NotThere):
    code = "no-such-task"
    words = say(
        "タスクが見つかりません。削除されたのかもしれません。", "There is no such task. It may have been deleted."
    )


class NoSuchTag(Invalid):
    code = "no-such-tag"
    words = say("存在しないタグです。", "There is no such tag.")


class NoSuchMember(Invalid):
    code = "no-such-member"
    words = say("このチームのメンバーではありません。", "Not a member of this team.")


class NotAdmin(NotAllowed):
    code = "not-admin"
    words = say("この操作は管理者だけができます。", "Only an admin of the team may do this.")


class LastAdmin(Conflict):
    code = "last-admin"
    words = say(
        "管理者が一人もいなくなります。先にほかのメンバーを管理者にしてください。",
        "The team would have no admin left. Make somebody else an admin first.",
    )


class EmailTaken(Conflict):
    code = "email-taken"
    words = say(
        "このメールアドレスは、別のユーザーとして登録されています。",
        "This e-mail address belongs to another user here.",
    )


class AlreadyMember(Conflict):
    code = "already-member"
    words = say("すでにチームのメンバーです。", "Already a member of the team.")


class AlreadyInvited(Conflict):
    code = "already-invited"
    words = say(
        "この宛先には有効な招待があります。再送するか、取り消してください。",
        "There is an open invitation for this address. Send it again, or revoke it.",
    )


class InvitationOver(Gone):
    code = "invitation-over"
    words = say(
        "この招待は使えません。期限が切れたか、取り消されたか、すでに使われています。",
        "This invitation cannot be used: it has expired, was revoked, or has been used.",
    )


class NotYourMail(NotAllowed):
    code = "not-your-mail"
    words = say(
        "この招待は別のメールアドレスに宛てたものです。招待されたアドレスでサインインしてください。",
        "This invitation is for another e-mail address. Sign in with the address that was invited.",
    )


class BadText(Invalid):
    code = "bad-text"
    words = say("1文字以上{most}文字以下で入力してください。", "Please enter 1 to {most} characters.")


class Crowded(Conflict):
    code = "crowded"
    words = say("ここにはもう入りません。別の位置に置いてください。", "There is no room here. Put it somewhere else.")


class Unreachable(Conflict):
    code = "unreachable"
    words = say(
        "このアドレスにはメールが届きません（{reason}）。別のアドレスで招待してください。",
        "Mail does not reach this address ({reason}). Invite another one.",
    )


class BadDates(Invalid):
    code = "bad-dates"
    words = say("終了日は開始日以降にしてください。", "The end must not be before the start.")


class BadFile(Invalid):
    code = "bad-file"
    words = say("{line} 行目: {why}", "Line {line}: {why}")


class TooLarge(Invalid):
    code = "too-large"
    words = say("一度に扱えるのは{most}件までです。", "At most {most} at a time.")
