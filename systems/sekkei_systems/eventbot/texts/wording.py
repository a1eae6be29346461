"""What the bot says in Discord, in two languages. A guild chooses for its posts, a user for private answers."""

from __future__ import annotations

from collections.abc import Mapping

from sekkei_systems.eventbot.design import Repeat

Wording = Mapping[str, str]

_WORDS: dict[str, tuple[str, str]] = {
    "join": ("参加する", "Join"),
    "leave": ("参加取消", "Leave"),
    "maybe": ("未定", "Maybe"),
    "no": ("不参加", "Can't come"),
    "wait": ("補欠に並ぶ", "Join waiting list"),
    "members": ("参加者一覧", "Members"),
    "notices": ("連絡一覧", "Notices"),
    "panel": ("管理", "Manage"),
    "when": ("📅 日時", "📅 When"),
    "undecided": ("未定", "To be decided"),
    "where": ("📍 場所", "📍 Where"),
    "deadline": ("⏳ 締切", "⏳ Sign up by"),
    "going": ("✅ 参加 {count}", "✅ Going {count}"),
    "waiting": ("🪑 補欠 {count}", "🪑 Waiting {count}"),
    "maybe-list": ("🤔 未定 {count}", "🤔 Maybe {count}"),
    "no-list": ("🙅 不参加 {count}", "🙅 Not coming {count}"),
    "nobody": ("まだいません", "Nobody yet"),
    "more": ("ほか {n} 人", "and {n} more"),
    "host": ("主催: {name}", "Host: {name}"),
    "repeats": ("🔁 {repeat}", "🔁 {repeat}"),
    "closed": ("【締切】", "[Closed] "),
    "full": ("【満員】", "[Full] "),
    "cancelled": ("【中止】", "[Called off] "),
    "started": ("【開始済み】", "[Started] "),
    "thread": ("💬 スレッド", "💬 Thread"),
    "joined": ("参加しました。", "You are in."),
    "left": ("参加を取り消しました。", "You are out."),
    "queued": (
        "満員のため補欠に並びました。空きが出たら自動で繰り上がります。",
        "It is full; you are on the waiting list.",
    ),
    "answered": ("回答を受け付けました。", "Your answer is noted."),
    "confirm": ("確認しました", "Confirm"),
    "confirmed": ("確認 {n}/{m}", "Confirmed {n}/{m}"),
    "unconfirmed": ("未確認の人", "Who has not"),
    "notice-for": ("「{event}」の連絡", "Notice for “{event}”"),
    "notice-closed": ("確認は締め切りました", "Confirming is closed"),
    "notice-progress": ("📋 確認状況", "📋 Confirmed"),
    "all-confirmed": ("全員が確認しました。", "Everyone has confirmed."),
    "unconfirmed-head": ("未確認 {n} 人 / 参加者 {m} 人", "{n} of {m} members have not confirmed"),
    "edit": ("編集", "Edit"),
    "details": ("詳細設定", "Details"),
    "close": ("募集を締め切る", "Close"),
    "reopen": ("募集を再開", "Reopen"),
    "cancel": ("中止にする", "Call off"),
    "cancel-sure": (
        "本当に「{title}」を中止にしますか？ 参加者に知らせます。元に戻せません。",
        "Really call off “{title}”? Members are told.",
    ),
    "cancel-yes": ("中止にする", "Yes, call it off"),
    "new-notice": ("連絡する", "Send a notice"),
    "repost": ("投稿し直す", "Post again"),
    "save-template": ("ひな型に保存", "Save as template"),
    "delete": ("完全に削除", "Delete"),
    "delete-sure": (
        "「{title}」と参加者・連絡・確認の記録をすべて消します。よろしいですか？",
        "Delete “{title}” with everything in it?",
    ),
    "deleting": ("削除しています…", "Deleting…"),
    "deleted": ("「{title}」を削除しました。", "“{title}” is deleted."),
    "panel-head": ("⚙️ **{title}** の管理", "⚙️ Manage **{title}**"),
    "delivery-error": ("⚠️ 投稿に失敗しています: {error}", "⚠️ Posting failed: {error}"),
    "retry-steps": ("もう一度試す", "Try again"),
    "done-retry": ("もう一度試します。", "Trying again."),
    "trouble-thread-permission": (
        "スレッドを作れません。Bot に「公開スレッドの作成」を許可してください。",
        "The bot can't make a thread. Allow it to create public threads.",
    ),
    "trouble-thread-place": (
        "ここにはスレッドを作れません（スレッドの中など）。",
        "There can be no thread here: this is a thread already, or another kind of channel.",
    ),
    "trouble-thread-message": (
        "募集の投稿が消されたため、スレッドを作れません。",
        "The post was deleted, so it can't have a thread.",
    ),
    "trouble-thread-other": ("スレッドを作れませんでした。", "Discord refused to make the thread."),
    "trouble-mirror-permission": (
        "サーバーイベントを作れません。Bot に「イベントの作成」を許可してください。",
        "The bot can't make a server event. Allow it to create events.",
    ),
    "trouble-mirror-deleted": (
        "サーバーイベントが Discord で削除されました。",
        "Somebody deleted or ended the server event in Discord.",
    ),
    "trouble-mirror-many": (
        "サーバーイベントが上限の 100 件に達しています。",
        "The server already has 100 events, which is as many as Discord allows.",
    ),
    "trouble-mirror-other": ("サーバーイベントを更新できませんでした。", "Discord refused the server event."),
    "trouble-role-deleted": (
        "参加者ロールが削除されています。設定で選び直してください。",
        "The role for members was deleted. Choose another one in the settings.",
    ),
    "trouble-role-permission": (
        "参加者ロールを付けられません。Bot に「ロールの管理」を許可し、Bot のロールを上に移してください。",
        "The bot can't give the role. Allow it to manage roles, and move its own role above this one.",
    ),
    "trouble-role-powers": (
        "参加者ロールに管理用の権限が付いているため、配りません。",
        "The role for members has administrative permissions, so the bot doesn't hand it out.",
    ),
    "trouble-role-other": ("参加者ロールを付けられませんでした。", "Discord refused to give the role."),
    "trouble-reminder-thread": (
        "スレッドに書き込めないため、リマインドは連絡チャンネルに送りました。",
        "The thread can't be written to, so the reminder went to the notice channel.",
    ),
    "trouble-reminder-other": ("リマインドを送れませんでした。", "Discord refused the reminder."),
    "hide": ("隠す", "Hide"),
    "show": ("表示", "Show"),
    "nclose": ("締切", "Close"),
    "no-notices": ("連絡はまだありません。", "No notices yet."),
    "notices-head": ("📣 **{title}** の連絡（{n} 件）", "📣 Notices of **{title}** ({n})"),
    "members-head": ("👥 **{title}** の参加者（{n} 人）", "👥 Members of **{title}** ({n})"),
    "events-head": ("📅 これからのイベント（{n} 件）", "📅 Events to come ({n})"),
    "no-events": (
        "予定されているイベントはありません。/イベント 作成 で始めましょう。",
        "No events yet. Start with /event create.",
    ),
    "mine-head": ("🙋 あなたの予定（{n} 件）", "🙋 Your events ({n})"),
    "created": (
        "「{title}」を作成しました。まもなく <#{channel}> に投稿します。",
        "“{title}” is made and will be posted in <#{channel}>.",
    ),
    "saved": ("保存しました。", "Saved."),
    "done-close": ("募集を締め切りました。", "Closed."),
    "done-reopen": ("募集を再開しました。", "Open again."),
    "done-cancel": ("中止にしました。参加者に知らせます。", "Called off; members are being told."),
    "done-notice": ("連絡「{title}」を投稿します。", "The notice “{title}” is being posted."),
    "done-nclose": ("連絡の確認を締め切りました。", "The notice is closed."),
    "done-repost": ("投稿し直します。", "Posting again."),
    "done-template": ("ひな型「{name}」を保存しました。/イベント 作成 で使えます。", "Template “{name}” saved."),
    "event-reminder": (
        "⏰ **{title}** がまもなく始まります。 <t:{unix}:R>（<t:{unix}:F>）",
        "⏰ **{title}** starts <t:{unix}:R>.",
    ),
    "notice-reminder": (
        "🔔 連絡「{title}」をまだ確認していない方は、確認ボタンを押してください。",
        "🔔 Please confirm the notice “{title}”.",
    ),
    "left-late": (
        "{mention} 締切後に **{name}** さんが「{title}」の参加を取り消しました。",
        "{mention} **{name}** has left “{title}” after it was closed.",
    ),
    "moved-up": (
        "{mention} 空きが出たため「{title}」の補欠から**参加**に繰り上がりました。",
        "{mention} a place is free: you are in “{title}” now.",
    ),
    "called-off": ("**{title}** は中止になりました。", "**{title}** has been called off."),
    "to-notice": ("連絡を開く", "Open the notice"),
    "to-event": ("募集を開く", "Open the event"),
    "previous": ("← 前へ", "← Back"),
    "next": ("次へ →", "Next →"),
    "page": ("{page} / {pages}", "{page} / {pages}"),
    "modal-create": ("イベントを作成", "New event"),
    "modal-edit": ("イベントを編集", "Edit event"),
    "modal-details": ("詳細設定", "Details"),
    "modal-notice": ("参加者への連絡", "Notice to members"),
    "modal-template": ("ひな型として保存", "Save as template"),
    "f-title": ("タイトル", "Title"),
    "f-start": ("日時（{zone}）", "When ({zone})"),
    "f-start-hint": (
        "例: 明日 21時〜23時、1/19 21:00、来週金曜 夜9時",
        "e.g. tomorrow 9pm, next Friday 20:00, Jan 19 21:00-23:00",
    ),
    "f-description": ("説明", "Description"),
    "f-location": ("場所", "Place"),
    "f-capacity": ("定員（空欄は無制限）", "Places (empty: no limit)"),
    "f-deadline": ("募集締切", "Sign up by"),
    "f-deadline-hint": (
        "例: 前日 20時、1時間前、1/18 12:00",
        "e.g. 2 hours before, the day before 20:00, Jan 18 12:00",
    ),
    "f-remind": ("リマインド", "Remind"),
    "f-remind-hint": (
        "例: 30分前、前日 20時（空欄でなし）",
        "e.g. 30 minutes before, the day before 20:00; empty for none",
    ),
    "f-end": ("終了", "Ends"),
    "f-end-hint": ("例: 23時、2時間", "e.g. 23:00, 2 hours"),
    "f-repeat": ("繰り返し", "Repeat"),
    "f-waiting": ("満員のとき", "When full"),
    "f-waiting-yes": ("補欠を受け付ける", "Take a waiting list"),
    "f-waiting-no": ("受け付けない", "Take nobody more"),
    "f-body": ("本文", "Text"),
    "f-notice-remind": ("未確認者へのリマインド（任意）", "Remind those who have not (optional)"),
    "f-name": ("ひな型の名前", "Name of the template"),
    "repeat-none": ("しない", "Never"),
    "repeat-DAILY": ("毎日", "Daily"),
    "repeat-WEEKLY": ("毎週", "Weekly"),
    "repeat-FORTNIGHTLY": ("隔週", "Every two weeks"),
    "repeat-MONTHLY": ("毎月", "Monthly"),
    "web": (
        "主催者ページ（10 分間有効なあなた専用のリンクです）",
        "Your link to the organisers' page, good for ten minutes",
    ),
    "web-open": ("主催者ページを開く", "Open the organisers' page"),
    "calendar": ("カレンダー (.ics)", "Calendar (.ics)"),
    "settings-saved": ("設定を保存しました。", "Settings saved."),
    "settings-now": (
        "募集: {recruit}\n連絡: {notice}\n主催者ロール: {role}\nリマインド: {minutes} 分前\n言語: {locale}\n"
        "タイムゾーン: {zone}\nスレッド: {thread}\nサーバーイベント: {mirror}\n参加者ロール: {attendee}\n"
        "作成できるロール: {creator}\n参加できるロール: {member}",
        "Recruiting: {recruit}\nNotices: {notice}\nOrganiser role: {role}\nReminder: {minutes} minutes before\n"
        "Language: {locale}\nTime zone: {zone}\nThread: {thread}\nServer event: {mirror}\nMember role: {attendee}\n"
        "Role that may make events: {creator}\nRole that may join: {member}",
    ),
    "wrong": (
        "うまくいきませんでした。少し待ってからもう一度お試しください。",
        "Something went wrong. Please try again.",
    ),
    "retry": ("入力し直す", "Try again"),
    "old-button": ("このボタンはもう使えません。", "This button no longer works."),
    "guild-only": ("サーバーの中で使ってください。", "Please use this in a server."),
    "help": (
        "**イベント Bot の使い方**\n`/イベント 作成` 募集を始める（日時は「明日 21時」のように）\n"
        "`/イベント 一覧` これからの予定\n"
        "`/イベント 自分` 参加する予定\n`/イベント 管理` 編集・締切・連絡\n`/イベント 設定` 投稿先やロール\n"
        "`/イベント ウェブ` 主催者ページ\n`/連絡 作成` 参加者への連絡（確認ボタン付き）\n`/連絡 一覧` 連絡と確認状況",
        "**How to use this bot**\n`/event create` call people together\n`/event list` what is coming\n"
        "`/event mine` what you joined\n`/event manage` edit, close, notify\n`/event settings` channels and roles\n"
        "`/event web` the organisers' page\n`/notice create` a notice with a confirm button\n"
        "`/notice list` who confirmed",
    ),
}

_TABLES: dict[str, Wording] = {
    language: {key: texts[index] for key, texts in _WORDS.items()} for index, language in enumerate(("ja", "en"))
}


def wording(locale: str | None) -> Wording:
    """Japanese for Japanese (and for who has not said), English for everybody else."""
    return _TABLES["ja" if locale is None or locale.startswith("ja") else "en"]


def language(locale: str | None) -> str:
    return "ja" if locale is None or locale.startswith("ja") else "en"


def repeat_words(repeat: Repeat | None, words: Wording) -> str:
    return words[f"repeat-{repeat.value}"] if repeat else words["repeat-none"]
