"""What the bot refuses, and how it says so."""

from __future__ import annotations

from sekkei.runtime.refusals import Conflict, Invalid, NotAllowed, NotThere, TooMany, say


class NoSuchEvent(NotThere):
    code = "no-such-event"
    words = say("このイベントはもうありません。", "This event is no longer there.")


class NoSuchNotice(NotThere):
    code = "no-such-notice"
    words = say("この連絡はもうありません。", "This notice is no longer there.")


class NoSuchTemplate(NotThere):
    code = "no-such-template"
    words = say("このひな型はもうありません。", "This template is no longer there.")


class TooManyTemplates(Conflict):
    code = "too-many-templates"
    words = say(
        "ひな型は {most} 個までです。使わないものを主催者ページで消してください。",
        "There are {most} templates already. Delete one on the organisers' page first.",
    )


class NotOrganiser(NotAllowed):
    code = "not-organiser"
    words = say(
        "主催者だけができる操作です（作成者・主催者ロール・「イベントの管理」権限を持つ人）。",
        "Only organisers can do this: whoever made the event, the organiser role, or Manage Events.",
    )


class NotManager(NotAllowed):
    code = "not-manager"
    words = say("「サーバー管理」権限を持つ人だけができます。", "Only those who may manage the server can do this.")


class NotRoleManager(NotAllowed):
    code = "not-role-manager"
    words = say(
        "ロールの設定は、「ロールの管理」権限を持つ人だけが変えられます。",
        "Only people who may manage roles in Discord can change this setting.",
    )


class NotCreator(NotAllowed):
    code = "not-creator"
    words = say(
        "イベントを作成できるのは、「イベントの作成」権限か、設定で決めたロールを持つ人です。",
        "To make events you need the Create Events permission, or a role that the settings name.",
    )


class NotInvited(NotAllowed):
    code = "not-invited"
    words = say(
        "参加できるのは、決められたロールを持つ人だけです。", "Only people with a certain role can join this event."
    )


class RoleTooHigh(NotAllowed):
    code = "role-too-high"
    words = say(
        "自分より上のロールは配れません。もっと下のロールを選んでください。",
        "This role stands above you, so you can't have it handed out. Choose a lower one.",
    )


class RoleTooPowerful(NotAllowed):
    code = "role-too-powerful"
    words = say(
        "管理用の権限が付いたロールは配れません。権限のないロールを選んでください。",
        "This role has administrative permissions, so the bot doesn't hand it out. Choose one without.",
    )


class BadRole(Invalid):
    code = "bad-role"
    words = say(
        "このロールは配れません（存在しないか、Bot や連携サービスのものです）。",
        "This role can't be handed out: it doesn't exist, or it belongs to a bot or an integration.",
    )


class Closed(Conflict):
    code = "closed"
    words = say("募集は締め切られています。", "This event is closed for joining.")


class Cancelled(Conflict):
    code = "cancelled"
    words = say("このイベントは中止になりました。", "This event has been called off.")


class Started(Conflict):
    code = "started"
    words = say("このイベントはもう始まっています。", "This event has already started.")


class Full(Conflict):
    code = "full"
    words = say("満員です（定員 {capacity} 人）。", "This event is full ({capacity} places).")


class AlreadyIn(Conflict):
    code = "already-in"
    words = say("もう参加しています。", "You are already taking part.")


class AlreadyWaiting(Conflict):
    code = "already-waiting"
    words = say(
        "もう補欠に並んでいます（{position} 番目）。", "You are already on the waiting list (number {position})."
    )


class NotIn(Conflict):
    code = "not-in"
    words = say("まだ参加していません。", "You are not taking part.")


class AlreadySo(Conflict):
    code = "already-so"
    words = say("もうその状態になっています。", "It is like that already.")


class NoticeOpen(Conflict):
    code = "notice-open"
    words = say(
        "確認中の連絡「{title}」があります。締め切ってから次を送ってください。",
        "The notice “{title}” is still open. Close it before sending another.",
    )


class NoticeClosed(Conflict):
    code = "notice-closed"
    words = say("この連絡の確認は締め切られています。", "This notice is closed for confirming.")


class NotMember(Conflict):
    code = "not-member"
    words = say("参加者だけが確認できます。", "Only members of the event can confirm.")


class AlreadyConfirmed(Conflict):
    code = "already-confirmed"
    words = say("もう確認済みです。", "You have confirmed this already.")


class Repeated(Conflict):
    code = "repeated"
    words = say("この操作はもう受け付けています。", "This has been done already.")


class Busy(TooMany):
    code = "busy"
    words = say("混み合っています。もう一度押してください。", "Very busy right now. Please press once more.")


class BadCapacity(Invalid):
    code = "bad-capacity"
    words = say("定員は 1〜{most} の数で入力してください。", "Places must be a number from 1 to {most}.")


FIELDS = {
    "title": say("タイトル", "the title"),
    "description": say("説明", "the description"),
    "location": say("場所", "the place"),
    "body": say("本文", "the text"),
    "name": say("名前", "the name"),
}


class _OfField(Invalid):
    """Names the field in the language of whoever reads it."""

    def text(self, language: str) -> str:
        return self.words[language].format(what=FIELDS[self.field or "title"][language], **self.values)


class TooLong(_OfField):
    code = "too-long"
    words = say("{what}は {most} 文字までです。", "At most {most} characters for {what}, please.")


class Missing(_OfField):
    code = "missing"
    words = say("{what}を入力してください。", "Please give {what}.")


class BadZone(Invalid):
    code = "bad-zone"
    words = say(
        "タイムゾーン「{name}」が分かりません。例: Asia/Tokyo、Europe/Berlin",
        "There is no time zone {name}. For example: Asia/Tokyo, Europe/Berlin",
    )


class NoChannel(Invalid):
    code = "no-channel"
    words = say(
        "投稿先のチャンネルが分かりません。/イベント 設定 で決めてください。",
        "Nobody has said where to post. Choose a channel with /event settings.",
    )


class DiscordSilent(TooMany):
    code = "discord-silent"
    words = say(
        "Discord に権限を確かめられませんでした。しばらくしてからお試しください。",
        "Discord did not say what you may do. Please try again in a while.",
    )


class BadLink(NotAllowed):
    code = "bad-link"
    words = say(
        "このリンクは使えません。Discord で /イベント ウェブ を実行して、新しいリンクを受け取ってください。",
        "This link cannot be used. Ask for a new one with /event web in Discord.",
    )


class CannotPost(Conflict):
    code = "cannot-post"
    words = say(
        "投稿できません。Bot に「チャンネルを見る」「メッセージを送信」「埋め込みリンク」を許可してください。",
        "The bot may not post here. Allow it to view the channel, send messages and embed links.",
    )
