"""What the bot says, as LINE's message objects; pure. `check` refuses what LINE would refuse, before it is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import orjson

from systems.chiipochi.conversation import AMOUNT_MAX, AMOUNT_MIN, AMOUNTS, SESSION
from systems.chiipochi.prefectures import PREFECTURES, Prefecture

Message = dict[str, Any]

MESSAGES_MAX = 5
TEXT_UNITS_MAX = 5_000
QUICK_REPLIES_MAX = 13
LABEL_MAX = 20
DATA_MAX = 300
URI_MAX = 1_000
ALT_TEXT_MAX = 400
INK, QUIET, ACCENT, CREAM = "#3b2f2a", "#8a7a70", "#e8743b", "#fff7ee"

SAYINGS = {
    "nothing-pending": "いま確認待ちの寄付はありません🐾\n特産品の名前（例: ピーナッツ）を送ってください。",
    "expired": "確認の時間（10分）が過ぎたので、この寄付は取り消されました。もう一度、特産品の名前を送ってください🐾",
    "old-card": "このカードは古くなっています。いちばん新しいカードのボタンを押してください🐾",
    "out-of-range": f"寄付できる金額は {AMOUNT_MIN:,}円〜{AMOUNT_MAX:,}円です。もう一度、金額を送ってください🐾",
    "unknown": (
        "ごめんなさい、その言葉はまだ知りません🐾\n特産品や都道府県の名前を送ってください。例: ピーナッツ、りんご、沖縄"
    ),
    "one-to-one": "ちいポチ🐾への寄付は、1対1のトークでお願いします。",
    "too-old": "お返事が届くのが遅れたため、寄付は行っていません。お手数ですが、もう一度お試しください🐾",
    "pledge-how": "毎月の寄付は「毎月 ピーナッツ 300」のように送ってください🐾\nやめるときは「毎月をやめる」です。",
    "cancelled": "わかりました。今回の寄付は取り消しました🐾",
    "welcome": (
        "はじめまして、ちいポチ🐾です！\n"
        "ふるさとの特産品を送ると、その都道府県へ100円から寄付できます。\n"
        "まずは「ピーナッツ」と送ってみてください。"
    ),
    "help": (
        "🐾 ちいポチの使い方\n"
        "・特産品や県の名前を送る → 「はい」で寄付\n"
        "・金額を変える → 300 のように数字を送る\n"
        "・今日の合計 / みんなの合計 / ランキング\n"
        "・履歴 / スタンプ / 年間まとめ\n"
        "・毎月 ピーナッツ 300 → 毎月の寄付\n"
        "・友だちに教える"
    ),
    "pledge-stopped": "毎月の寄付をやめました。これまでのご支援、ありがとうございました🐾",
    "no-pledge": "毎月の寄付の約束はありません🐾",
    "failed": "決済が完了しなかったため、今回の寄付は取り消されました。お金はいただいていません🐾",
}


class Unsendable(ValueError):
    """A message that LINE would refuse."""


def say(what: str) -> list[Message]:
    quick = main_quick_replies() if what in ("welcome", "help", "unknown", "nothing-pending", "expired") else None
    return [text(SAYINGS[what], quick)]


def text(words: str, quick: Sequence[Message] | None = None) -> Message:
    found: Message = {"type": "text", "text": words}
    if quick:
        found["quickReply"] = {"items": list(quick)}
    return found


def data(action: str, **fields: object) -> str:
    """What a button sends back."""
    return urlencode({"v": 1, "a": action, **fields})


def quick_postback(label: str, content: str, shown: str) -> Message:
    return {
        "type": "action",
        "action": {"type": "postback", "label": label[:LABEL_MAX], "data": content, "displayText": shown},
    }


def quick_text(label: str, words: str | None = None) -> Message:
    return {"type": "action", "action": {"type": "message", "label": label[:LABEL_MAX], "text": words or label}}


def main_quick_replies() -> list[Message]:
    return [quick_text(word) for word in ("ピーナッツ", "今日の合計", "ランキング", "スタンプ", "ヘルプ")]


def confirm(prefecture: Prefecture, amount: int, nonce: str) -> list[Message]:
    """The card that asks; its buttons answer this question and no other."""
    minutes = int(SESSION.total_seconds() // 60)
    body = [
        _label("寄付の確認", ACCENT),
        {"type": "text", "text": prefecture.full, "weight": "bold", "size": "xxl", "color": INK, "margin": "sm"},
        {"type": "text", "text": f"¥{amount:,}", "weight": "bold", "size": "3xl", "color": ACCENT},
        {
            "type": "text",
            "text": f"{prefecture.full}に{amount:,}円を寄付しますか？（{minutes}分以内にお返事ください）",
            "wrap": True,
            "size": "sm",
            "color": QUIET,
            "margin": "md",
        },
    ]
    buttons = [
        _button("はい、寄付する", data("yes", n=nonce), "はい", "primary"),
        _button("いいえ", data("no", n=nonce), "いいえ", "secondary"),
    ]
    card = flex(f"{prefecture.full}に{amount:,}円を寄付しますか？「はい」か「いいえ」で答えてください。", body, buttons)
    others = [choice for choice in AMOUNTS if choice != amount]
    quick = [quick_postback(f"{choice}円にする", data("amount", y=choice, n=nonce), f"{choice}円") for choice in others]
    card["quickReply"] = {"items": [*quick, quick_text("はい"), quick_text("いいえ")]}
    return [card]


def choose(prefectures: Iterable[Prefecture], amount: int) -> list[Message]:
    quick = [
        quick_postback(found.full, data("pref", p=found.code, y=amount), found.full)
        for found in list(prefectures)[:QUICK_REPLIES_MAX]
    ]
    return [text("いくつかの都道府県の特産品です。どちらに寄付しますか？🐾", quick)]


def pay(prefecture: Prefecture, amount: int, url: str) -> list[Message]:
    body = [
        _label("お支払い", ACCENT),
        {
            "type": "text",
            "text": "ありがとうございます！",
            "weight": "bold",
            "size": "xl",
            "color": INK,
            "margin": "sm",
        },
        {
            "type": "text",
            "text": f"{prefecture.full}への寄付 {amount:,}円のお支払いに進んでください。",
            "wrap": True,
            "size": "sm",
            "color": QUIET,
            "margin": "md",
        },
    ]
    button = {
        "type": "button",
        "style": "primary",
        "color": ACCENT,
        "action": {"type": "uri", "label": "支払いへ進む", "uri": url},
    }
    return [flex(f"{prefecture.full}への寄付 {amount:,}円のお支払いはこちら: {url}"[:ALT_TEXT_MAX], body, [button])]


def thanks(prefecture: Prefecture, amount: int, stamps: int, prefectures: int, url: str) -> list[Message]:
    body = [
        _label("スタンプをもらいました🐾", ACCENT),
        {"type": "text", "text": f"{prefecture.full} ×{stamps}", "weight": "bold", "size": "xxl", "color": INK},
        {
            "type": "text",
            "text": f"{amount:,}円の寄付が届きました。集めた都道府県は {prefectures} / 47 です。",
            "wrap": True,
            "size": "sm",
            "color": QUIET,
            "margin": "md",
        },
    ]
    link = {"type": "button", "style": "link", "action": {"type": "uri", "label": "スタンプカードを見る", "uri": url}}
    card = flex(f"{prefecture.full}への{amount:,}円の寄付が届きました。ありがとうございます🐾", body, [link])
    quick = [quick_text(word) for word in ("今日の合計", "ランキング", "友だちに教える")]
    return [{**card, "quickReply": {"items": quick}}]


def my_today(amount: int, count: int, pending: int) -> list[Message]:
    words = f"今日のあなたの寄付は {count}件・{amount:,}円です🐾"
    if pending:
        words += f"\n（お支払い待ち {pending:,}円）"
    return [text(words, main_quick_replies())]


def everyone_today(amount: int, count: int) -> list[Message]:
    return [text(f"今日のみんなの寄付は {count:,}件・{amount:,}円です🐾", main_quick_replies())]


def ranking(rows: Sequence[tuple[str, int]], url: str) -> list[Message]:
    """`rows` are prefecture codes with their yen, the highest first."""
    medals = ("🥇", "🥈", "🥉")
    lines = [
        f"{medals[place] if place < len(medals) else f'{place + 1}.'} {PREFECTURES[code].full}　{amount:,}円"
        for place, (code, amount) in enumerate(rows[:10])
    ]
    words = (
        "\n".join(["今日の県別ランキング🐾", *lines])
        if lines
        else "今日はまだ寄付がありません。一番乗りになりませんか？🐾"
    )
    return [text(f"{words}\n\n{url}", main_quick_replies())]


def history(lines: Sequence[str], url: str) -> list[Message]:
    words = "\n".join(["最近の寄付🐾", *lines]) if lines else "まだ寄付はありません🐾"
    return [text(f"{words}\n\nくわしくはこちら:\n{url}")]


def stamp_card(stamps: Sequence[tuple[str, int]], url: str) -> list[Message]:
    names = "、".join(f"{PREFECTURES[code].ja}×{count}" for code, count in stamps[:47])
    words = f"スタンプカード🐾 {len(stamps)} / 47\n{names}" if stamps else "スタンプはまだありません🐾"
    return [text(f"{words}\n\n{url}", main_quick_replies())]


def year(number: int, amount: int, count: int, prefectures: int, url: str) -> list[Message]:
    words = f"{number}年のまとめ🐾\n{count}件・{amount:,}円を、{prefectures}の都道府県に届けました。"
    return [text(f"{words}\n\n領収書はこちら:\n{url}")]


def share(url: str) -> list[Message]:
    return [text(f"特産品をつぶやくだけで、ふるさとに100円から寄付できるLINEボット「ちいポチ🐾」\n今日の様子: {url}")]


def pledged(prefecture: Prefecture, amount: int, day: int) -> list[Message]:
    words = f"毎月{day}日に、{prefecture.full}へ{amount:,}円の寄付をご案内します🐾"
    return [text(f"{words}\nやめるときは「毎月をやめる」と送ってください。")]


def flex(alt: str, body: list[Message], buttons: list[Message]) -> Message:
    return {
        "type": "flex",
        "altText": alt,
        "contents": {
            "type": "bubble",
            "size": "kilo",
            "body": {"type": "box", "layout": "vertical", "spacing": "sm", "backgroundColor": CREAM, "contents": body},
            "footer": {"type": "box", "layout": "vertical", "spacing": "sm", "contents": buttons},
        },
    }


def _label(words: str, color: str) -> Message:
    return {"type": "text", "text": words, "size": "xs", "weight": "bold", "color": color}


def _button(label: str, content: str, shown: str, style: str) -> Message:
    found: Message = {
        "type": "button",
        "style": style,
        "action": {"type": "postback", "label": label, "data": content, "displayText": shown},
    }
    if style == "primary":
        found["color"] = ACCENT
    return found


# On the way to the outbox


def letter(found: Sequence[Message], reply_token: str | None = None) -> dict[str, Any]:
    """The body of a message of kind "line". As one text, because a card is a deep tree that nobody queries."""
    check(found)
    body = {"messages": orjson.dumps(found).decode()}
    return body if reply_token is None else {**body, "reply_token": reply_token}


def opened(body: Mapping[str, Any]) -> list[Message]:
    """The messages of such a body."""
    found: list[Message] = orjson.loads(body["messages"])
    return found


# What LINE allows


def check(messages: Sequence[Message]) -> None:
    """Raise Unsendable for what LINE's reference forbids: counts, lengths, actions."""
    if not 1 <= len(messages) <= MESSAGES_MAX:
        raise Unsendable(f"{len(messages)} messages in one request; LINE takes 1 to {MESSAGES_MAX}")
    for message in messages:
        if message["type"] == "text":
            _check_length("text", _units(message["text"]), 1, TEXT_UNITS_MAX)
        else:
            _check_length("altText", _units(message["altText"]), 1, ALT_TEXT_MAX)
        items = message.get("quickReply", {}).get("items", [])
        _check_length("quickReply", len(items), 0, QUICK_REPLIES_MAX)
        for action in _actions(message):
            _check_action(action)


def _actions(part: Any) -> Iterable[Message]:
    """Every action anywhere in a message."""
    if isinstance(part, dict):
        if isinstance(part.get("action"), dict):
            yield part["action"]
        for value in part.values():
            yield from _actions(value)
    elif isinstance(part, list):
        for value in part:
            yield from _actions(value)


def _check_action(action: Message) -> None:
    _check_length("label", _units(action.get("label", "-")), 1, LABEL_MAX)
    if action["type"] == "postback":
        _check_length("data", _units(action["data"]), 1, DATA_MAX)
        _check_length("displayText", _units(action.get("displayText", "-")), 1, DATA_MAX)
    elif action["type"] == "message":
        _check_length("text", _units(action["text"]), 1, DATA_MAX)
    elif action["type"] == "uri":
        _check_length("uri", _units(action["uri"]), 1, URI_MAX)
        if not action["uri"].startswith(("http://", "https://", "line://", "tel:")):
            raise Unsendable(f"the address {action['uri'][:60]} is of no scheme that LINE opens")


def _check_length(what: str, found: int, low: int, high: int) -> None:
    if not low <= found <= high:
        raise Unsendable(f"{what} has {found}; LINE takes {low} to {high}")


def _units(words: str) -> int:
    """Length as LINE counts it: UTF-16 units."""
    return len(words.encode("utf-16-le")) // 2
