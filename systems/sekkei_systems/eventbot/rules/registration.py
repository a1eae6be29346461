"""The bot's slash commands as Discord registers them, with their Japanese names. Registered on deploy, not at start."""

from __future__ import annotations

from typing import Any

Payload = dict[str, Any]
SUBCOMMAND, STRING, INTEGER, BOOLEAN, CHANNEL, ROLE = 1, 3, 4, 5, 7, 8
TEXT_CHANNELS = [0, 5]


def _named(name: str, ja: str, about: str, about_ja: str, **more: Any) -> Payload:
    return {
        "name": name,
        "name_localizations": {"ja": ja},
        "description": about,
        "description_localizations": {"ja": about_ja},
        **more,
    }


def _sub(name: str, ja: str, about: str, about_ja: str, *options: Payload) -> Payload:
    return _named(name, ja, about, about_ja, type=SUBCOMMAND, options=list(options))


_EVENT = _named(
    "event", "イベント", "Which event", "どのイベントか", type=STRING, required=True, autocomplete=True
)  # fmt: skip
_LANGUAGES = [{"name": "日本語", "value": "ja"}, {"name": "English", "value": "en"}]

COMMANDS: list[Payload] = [
    _named(
        "event",
        "イベント",
        "Events: make, list, manage",
        "イベントの作成・一覧・管理",
        type=1,
        contexts=[0],
        integration_types=[0],
        options=[
            _sub(
                "create",
                "作成",
                "Call people together",
                "募集を始める",
                _named("template", "ひな型", "Start from a template", "ひな型から作る", type=STRING, autocomplete=True),
            ),
            _sub("list", "一覧", "What is coming", "これからのイベント"),
            _sub("mine", "自分", "What you joined or made", "参加・主催するイベント"),
            _sub("show", "参加者", "Who takes part", "参加者を見る", _EVENT),
            _sub("manage", "管理", "Edit, close, call off, notify", "編集・締切・中止・連絡", _EVENT),
            _sub(
                "settings",
                "設定",
                "Channels, roles and reminders",
                "投稿先・ロール・リマインド",
                _named(
                    "recruit", "募集先", "Where to recruit", "募集の投稿先", type=CHANNEL, channel_types=TEXT_CHANNELS
                ),
                _named(
                    "notice",
                    "連絡先",
                    "Where to post notices",
                    "連絡の投稿先",
                    type=CHANNEL,
                    channel_types=TEXT_CHANNELS,
                ),
                _named("organiser", "主催者ロール", "Role that may organise", "主催できるロール", type=ROLE),
                _named("attendee", "参加者ロール", "Role given to members", "参加者に付けるロール", type=ROLE),
                _named("creator", "作成ロール", "Role that may make events", "イベントを作れるロール", type=ROLE),
                _named("member", "参加ロール", "Role that may join", "参加できるロール", type=ROLE),
                _named(
                    "remind",
                    "リマインド",
                    "Minutes before the start (0: never)",
                    "開始の何分前に知らせるか（0 でなし）",
                    type=INTEGER,
                    min_value=0,
                    max_value=10080,
                ),
                _named("language", "言語", "Language of posts", "投稿の言語", type=STRING, choices=_LANGUAGES),
                _named(
                    "zone",
                    "タイムゾーン",
                    "Time zone, such as Europe/Berlin",
                    "日時のタイムゾーン（例 Asia/Tokyo）",
                    type=STRING,
                ),
                _named("thread", "スレッド", "A thread for each event", "イベントごとにスレッドを作る", type=BOOLEAN),
                _named(
                    "mirror", "サーバーイベント", "Mirror as server events", "サーバーイベントにも載せる", type=BOOLEAN
                ),
                _named("one_notice", "連絡は一件", "One open notice at a time", "連絡を同時に一件に限る", type=BOOLEAN),
            ),
            _sub("web", "ウェブ", "Your link to the organisers' page", "主催者ページへのリンク"),
            _sub("help", "使い方", "How to use this bot", "この Bot の使い方"),
        ],
    ),
    _named(
        "notice",
        "連絡",
        "Notices to members",
        "参加者への連絡",
        type=1,
        contexts=[0],
        integration_types=[0],
        options=[
            _sub("create", "作成", "Send a notice with a confirm button", "確認ボタン付きの連絡を送る", _EVENT),
            _sub("list", "一覧", "Notices and who confirmed", "連絡と確認状況", _EVENT),
        ],
    ),
]
