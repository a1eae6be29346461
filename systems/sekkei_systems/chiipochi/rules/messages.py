"""What the bot says, as LINE's message objects; pure, in the language of whoever reads it.

A letter is what goes to the outbox: checked messages as one JSON text, because a card is a deep tree that nobody
queries. The cards that everybody gets are made once and filled in afterwards.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Literal
from urllib.parse import urlencode

import orjson

from sekkei.design import replace
from sekkei_systems.chiipochi.design.models import Donation, Status, Wording
from sekkei_systems.chiipochi.rules.conversation import AMOUNT_MAX, AMOUNT_MIN, AMOUNTS
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES, REGIONS, Named, Prefecture, offered_by, recipient_of
from sekkei_systems.chiipochi.texts import Language, say, yen

# What LINE's reference allows in a message. `check` refuses the rest before it is sent.


Message = dict[str, Any]

MESSAGES_MAX = 5
_TEXT_UNITS_MAX = 5_000
QUICK_REPLIES_MAX = 13
LABEL_MAX = 20
DATA_MAX = 300
_URI_MAX = 1_000
ALT_TEXT_MAX = 400
BUBBLE_BYTES_MAX = 30_000
CAROUSEL_BYTES_MAX = 50_000
_CAROUSEL_BUBBLES_MAX = 12
SENDER_MAX = 20


class Unsendable(ValueError):
    """A message that LINE would refuse."""


def check(messages: Sequence[Message]) -> None:
    """Raise Unsendable for what LINE's reference forbids: counts, lengths, sizes, actions."""
    if not 1 <= len(messages) <= MESSAGES_MAX:
        raise Unsendable(f"{len(messages)} messages in one request; LINE takes 1 to {MESSAGES_MAX}")
    for message in messages:
        if message["type"] == "text":
            _check_length("text", units(message["text"]), 1, _TEXT_UNITS_MAX)
        else:
            _check_length("altText", units(message["altText"]), 1, ALT_TEXT_MAX)
            _check_container(message["contents"])
        _check_length("quickReply", len(message.get("quickReply", {}).get("items", [])), 0, QUICK_REPLIES_MAX)
        _check_length("sender", units(message.get("sender", {}).get("name", "-")), 1, SENDER_MAX)
        for action in actions(message):
            _check_action(action)


def actions(part: Any) -> Iterable[Message]:
    """Every action anywhere in a message."""
    if isinstance(part, dict):
        if isinstance(part.get("action"), dict):
            yield part["action"]
        for value in part.values():
            yield from actions(value)
    elif isinstance(part, list):
        for value in part:
            yield from actions(value)


def _check_container(contents: Message) -> None:
    size = len(orjson.dumps(contents))
    if contents["type"] == "carousel":
        _check_length("carousel", len(contents["contents"]), 1, _CAROUSEL_BUBBLES_MAX)
        _check_length("carousel in bytes", size, 1, CAROUSEL_BYTES_MAX)
    else:
        _check_length("bubble in bytes", size, 1, BUBBLE_BYTES_MAX)


def _check_action(action: Message) -> None:
    _check_length("label", units(action.get("label", "-")), 1, LABEL_MAX)
    if action["type"] == "postback":
        _check_length("data", units(action["data"]), 1, DATA_MAX)
        _check_length("displayText", units(action.get("displayText", "-")), 1, DATA_MAX)
    elif action["type"] == "message":
        _check_length("text", units(action["text"]), 1, DATA_MAX)
    elif action["type"] == "uri":
        _check_uri(action["uri"])


def _check_uri(uri: str) -> None:
    _check_length("uri", units(uri), 1, _URI_MAX)
    if not uri.startswith(("http://", "https://", "line://", "tel:")):
        raise Unsendable(f"the address {uri[:60]} is of no scheme that LINE opens")


def _check_length(what: str, found: int, low: int, high: int) -> None:
    if not low <= found <= high:
        raise Unsendable(f"{what} has {found}; LINE takes {low} to {high}")


def units(words: str) -> int:
    """Length as LINE counts it: UTF-16 units."""
    return len(words) if words.isascii() else len(words.encode("utf-16-le")) // 2


# What may cost a push. Replies are free; pushes are counted, and a small plan has 200 of them a month.
#
# A message that answers somebody goes out as a reply. When its token is dead, or when nobody asked, this table decides.


class Push(Enum):
    NEVER = "never"
    """Whoever asked can ask again, and the pages show it too."""
    PLENTY = "plenty"
    """While more than half of the month's pushes are left; the rest is for what people must know."""
    ALWAYS = "always"


News = Literal[
    "answer",
    "payment-link",
    "pledged",
    "thanks",
    "failed",
    "failed-later",
    "refunded",
    "refund-back",
    "paid-late",
    "paid-twice",
    "pledge",
    "pledge-over",
]

PUSHES: dict[News, Push] = {
    "answer": Push.NEVER,
    "payment-link": Push.ALWAYS,
    "pledged": Push.ALWAYS,
    "thanks": Push.PLENTY,
    "failed": Push.NEVER,
    "failed-later": Push.ALWAYS,
    "refunded": Push.ALWAYS,
    "refund-back": Push.ALWAYS,
    "paid-late": Push.ALWAYS,
    "paid-twice": Push.ALWAYS,
    "pledge": Push.ALWAYS,
    "pledge-over": Push.ALWAYS,
}
"""`failed` is a checkout that somebody left; `failed-later` is a slip of a convenience store that ran out."""


def may_push(push: Push, limit: int | None, used: int) -> bool:
    """`limit` is None where the plan has none."""
    if push is Push.PLENTY:
        return limit is None or used * 2 < limit
    return push is Push.ALWAYS


INK, QUIET, ACCENT, _CREAM = "#3b2f2a", "#8a7a70", "#e8743b", "#fff7ee"
_TIMES_WORTH_A_WORD = frozenset({5, 10, 25, 50, 100, 200, 300, 400, 500, 1000})
_MEDALS = ("🥇", "🥈", "🥉")
_WITH_MENU = frozenset({"welcome", "welcome-back", "help", "unknown", "nothing-pending", "expired", "language"})
_MARKS = {Status.PENDING: "⏳", Status.SUCCEEDED: "✅", Status.FAILED: "✖"}
_NONCE = "NONCE0NONCE0NONC"
_URL = "https://address.invalid/to/be/filled/in"

Letter = str


def letter(found: Sequence[Message]) -> Letter:
    """Messages on their way; raises Unsendable for what LINE would refuse."""
    check(found)
    return orjson.dumps(found).decode()


def body(written: Letter, news: News, reply_token: str | None = None) -> dict[str, Any]:
    """The body of a message of kind "line" in the outbox; `news` decides whether it may cost a push."""
    found = {"messages": written, "push": PUSHES[news].value}
    return found if reply_token is None else {**found, "reply_token": reply_token}


def opened(found: Mapping[str, Any]) -> list[Message]:
    """The messages of such a body."""
    messages: list[Message] = orjson.loads(found["messages"])
    return messages


@functools.lru_cache(maxsize=128)
def say_letter(what: str, language: Language, words: str = "") -> Letter:
    return letter(fixed(what, language, words))


def confirm_letter(
    prefecture: Prefecture, amount: int, nonce: str, language: Language, usual: tuple[int, ...] = AMOUNTS
) -> Letter:
    """`usual` are the sums that a card offers, unless an appeal has its own."""
    if isinstance(prefecture, Named):
        said, offered = prefecture.words(language), offered_by(prefecture, usual)
        return letter([*([text(said)] if said else []), *confirm(prefecture, amount, nonce, language, offered)])
    return _confirm_form(prefecture.code, amount, language, usual).replace(_NONCE, nonce)


def pay_letter(prefecture: Prefecture, amount: int, url: str, language: Language) -> Letter:
    _check_uri(url)
    if prefecture.code not in PREFECTURES:
        return letter(pay(prefecture, amount, url, language))
    return _pay_form(prefecture.code, amount, language).replace(_URL, _escaped(url))


def thanks_letter(prefecture: Prefecture, amount: int, card: Mapping[str, int], url: str, language: Language) -> Letter:
    _check_uri(url)
    if prefecture.code not in PREFECTURES:
        return letter(thanks(prefecture, amount, card, url, language))
    card = {code: count for code, count in card.items() if code in PREFECTURES}
    praise = _praise(prefecture, card, language)
    form = _thanks_form(prefecture.code, amount, card[prefecture.code], len(card), praise, language)
    return form.replace(_URL, _escaped(url))


def _escaped(url: str) -> str:
    """As it stands within a JSON text."""
    return orjson.dumps(url).decode()[1:-1]


@functools.lru_cache(maxsize=1_024)
def _thanks_form(code: str, amount: int, stamps: int, prefectures: int, praise: str, language: Language) -> Letter:
    return letter(_thanks(PREFECTURES[code], amount, stamps, prefectures, praise, _URL, language))


@functools.lru_cache(maxsize=1_024)
def _confirm_form(code: str, amount: int, language: Language, offered: tuple[int, ...]) -> Letter:
    return letter(confirm(PREFECTURES[code], amount, _NONCE, language, offered))


@functools.lru_cache(maxsize=1_024)
def _pay_form(code: str, amount: int, language: Language) -> Letter:
    return letter(pay(PREFECTURES[code], amount, _URL, language))


# Answers that are always the same


def fixed(what: str, language: Language, words: str = "") -> list[Message]:
    """`words` are an operator's, in the place of ours."""
    if what == "out-of-range":
        return [text(say(language, "bot.out-of-range", low=yen(AMOUNT_MIN, language), high=yen(AMOUNT_MAX, language)))]
    return [text(words or say(language, f"bot.{what}"), menu(language) if what in _WITH_MENU else None)]


def menu(language: Language) -> list[Message]:
    return _taps(("donate", "today", "ranking", "stamps", "help"), language)


# Donating


def confirm(
    prefecture: Prefecture, amount: int, nonce: str, language: Language, offered: Sequence[int] = AMOUNTS
) -> list[Message]:
    """The card that asks; its buttons answer this question and no other."""
    place, sum_ = prefecture.name(language), yen(amount, language)
    lines = [
        _label(say(language, "bot.confirm.label")),
        {"type": "text", "text": place, "weight": "bold", "size": "xxl", "color": INK, "margin": "sm"},
        {"type": "text", "text": f"¥{amount:,}", "weight": "bold", "size": "3xl", "color": ACCENT},
        _small(say(language, "bot.confirm.body", place=place, yen=sum_)),
    ]
    yes, no = say(language, "bot.yes"), say(language, "bot.no")
    buttons = [
        _button(say(language, "bot.confirm.yes"), data("yes", n=nonce), yes, "primary"),
        _button(no, data("no", n=nonce), no, "secondary"),
    ]
    card = flex(say(language, "bot.confirm.alt", place=place, yen=sum_), lines, buttons)
    others = [
        quick_postback(
            say(language, "bot.confirm.amount", amount=f"{choice:,}"),
            data("amount", y=choice, n=nonce),
            yen(choice, language),
        )
        for choice in offered
        if choice != amount
    ]
    card["quickReply"] = {"items": [*others, quick_text(yes), quick_text(no)]}
    return [card]


def confirm_pledge(prefecture: Prefecture, amount: int, day: int, nonce: str, language: Language) -> list[Message]:
    """The card that asks about a monthly donation."""
    given = {"place": prefecture.name(language), "yen": yen(amount, language), "day": day}
    lines = [
        _label(say(language, "bot.confirm.monthly")),
        {"type": "text", "text": prefecture.name(language), "weight": "bold", "size": "xxl", "color": INK},
        {"type": "text", "text": f"¥{amount:,}", "weight": "bold", "size": "3xl", "color": ACCENT},
        _small(say(language, "bot.confirm.monthly-body", **given)),
    ]
    yes, no = say(language, "bot.yes"), say(language, "bot.no")
    buttons = [
        _button(say(language, "bot.confirm.monthly-yes"), data("yes", n=nonce), yes, "primary"),
        _button(no, data("no", n=nonce), no, "secondary"),
    ]
    card = flex(say(language, "bot.confirm.monthly-body", **given), lines, buttons)
    card["quickReply"] = {"items": [quick_text(yes), quick_text(no)]}
    return [card]


# Looking around


def regions(language: Language, appeals: Sequence[Named] = ()) -> list[Message]:
    """Appeals first: their own words lead to them."""
    called = [quick_text(one.other_names[0]) for one in appeals if one.other_names]
    quick = [
        quick_postback(name, data("region", r=region), name)
        for region, name in ((one, say.choice(language, "region", one)) for one in REGIONS)
    ]
    return [text(say(language, "bot.browse.regions"), [*called, *quick][:QUICK_REPLIES_MAX])]


def prefectures_of(region: str, language: Language) -> list[Message]:
    found = [PREFECTURES[code] for code in REGIONS[region]]
    quick = [quick_postback(one.name(language), data("place", p=one.code), one.name(language)) for one in found]
    return [text(say(language, "bot.browse.prefectures", region=say.choice(language, "region", region)), quick)]


def specialities(prefecture: Prefecture, language: Language, amount: int = AMOUNTS[0]) -> list[Message]:
    """Each leads to the question about this prefecture, also where others are known for it too."""
    names = [_speciality_name(spellings, language) for spellings in prefecture.specialities]
    shown = [name for name in names if name][: QUICK_REPLIES_MAX - 1]
    wanted = data("pref", p=prefecture.code, y=amount)
    whole = quick_postback(say(language, "bot.browse.whole"), wanted, prefecture.name(language))
    found = say(language, "bot.browse.specialities", place=prefecture.name(language))
    return [text(found, [whole, *(quick_postback(name, wanted, name) for name in shown)])]


def _speciality_name(spellings: Sequence[str], language: Language) -> str | None:
    if language == "ja":
        return spellings[0]
    return next((one for one in spellings if one.isascii()), None)


def choose(prefectures: Iterable[Prefecture], amount: int, language: Language) -> list[Message]:
    quick = [
        quick_postback(found.name(language), data("pref", p=found.code, y=amount), found.name(language))
        for found in list(prefectures)[:QUICK_REPLIES_MAX]
    ]
    return [text(say(language, "bot.choose"), quick)]


def pay(prefecture: Prefecture, amount: int, url: str, language: Language) -> list[Message]:
    given = {"place": prefecture.name(language), "yen": yen(amount, language)}
    lines = [
        _label(say(language, "bot.pay.label")),
        {"type": "text", "text": say(language, "bot.pay.title"), "weight": "bold", "size": "xl", "color": INK},
        _small(say(language, "bot.pay.body", **given)),
    ]
    button = {
        "type": "button",
        "style": "primary",
        "color": ACCENT,
        "action": {"type": "uri", "label": say(language, "bot.pay.button"), "uri": url},
    }
    return [flex(say(language, "bot.pay.body", **given), lines, [button])]


def thanks(prefecture: Prefecture, amount: int, card: Mapping[str, int], url: str, language: Language) -> list[Message]:
    """`card` is the stamp card with this donation on it."""
    praise = _praise(prefecture, card, language) if prefecture.code in PREFECTURES else ""
    reached = len(card.keys() & PREFECTURES.keys())
    return _thanks(prefecture, amount, card[prefecture.code], reached, praise, url, language)


def _thanks(
    prefecture: Prefecture, amount: int, stamps: int, prefectures: int, praise: str, url: str, language: Language
) -> list[Message]:
    place = prefecture.name(language)
    lines = [
        _label(say(language, "bot.thanks.label")),
        {"type": "text", "text": f"{place} ×{stamps}", "weight": "bold", "size": "xxl", "color": INK},
        _small(say(language, "bot.thanks.body", yen=yen(amount, language), prefectures=prefectures)),
    ]
    if praise:
        lines.append({**_small(praise), "weight": "bold", "color": ACCENT})
    link = {
        "type": "button",
        "style": "link",
        "action": {"type": "uri", "label": say(language, "bot.thanks.button"), "uri": url},
    }
    found = flex(say(language, "bot.thanks.alt", place=place, yen=yen(amount, language)), lines, [link])
    found["quickReply"] = {"items": _taps(("today", "ranking", "share"), language)}
    return [found]


def _praise(prefecture: Prefecture, card: Mapping[str, int], language: Language) -> str:
    """A word for whoever has come far: prefectures reached just now, or a round number of donations."""
    reached, times = len(card), sum(card.values())
    if card[prefecture.code] == 1 and reached == len(PREFECTURES):
        return say(language, "bot.thanks.all")
    if card[prefecture.code] == 1 and reached % 10 == 0:
        return say(language, "bot.thanks.region", prefectures=reached)
    return say(language, "bot.thanks.times", times=times) if times in _TIMES_WORTH_A_WORD else ""


def of_money(news: str, prefecture: Prefecture, amount: int, language: Language) -> list[Message]:
    """That money was refunded, or came too late."""
    given = {"place": prefecture.name(language), "yen": yen(amount, language)}
    return [text(say(language, f"bot.{news}", **given))]


def pledged(prefecture: Prefecture, amount: int, day: int, language: Language) -> list[Message]:
    place = prefecture.name(language)
    return [text(say(language, "bot.pledged", day=day, place=place, yen=yen(amount, language)))]


def pledge_over(prefecture: Prefecture, language: Language) -> list[Message]:
    return [text(say(language, "bot.pledge-over", place=prefecture.name(language)))]


# What is looked up


def my_today(amount: int, count: int, pending: int, language: Language) -> list[Message]:
    found = say(language, "bot.today", count=f"{count:,}", yen=yen(amount, language))
    if pending:
        found += "\n" + say(language, "bot.today.pending", yen=yen(pending, language))
    return [text(found, menu(language))]


def everyone_today(amount: int, count: int, language: Language) -> list[Message]:
    return [text(say(language, "bot.everyone", count=f"{count:,}", yen=yen(amount, language)), menu(language))]


def ranking(rows: Sequence[tuple[str, int]], url: str, language: Language) -> list[Message]:
    """`rows` are prefecture codes with their yen, the highest first."""
    lines = [
        f"{_MEDALS[place] if place < len(_MEDALS) else f'{place + 1}.'} "
        f"{PREFECTURES[code].name(language)}　{yen(amount, language)}"
        for place, (code, amount) in enumerate(rows[:10])
    ]
    found = "\n".join([say(language, "bot.ranking"), *lines]) if lines else say(language, "bot.ranking.none")
    return [text(f"{found}\n\n{url}", menu(language))]


def history(found: Sequence[Donation], url: str, language: Language) -> list[Message]:
    lines = [_line(donation, language) for donation in found]
    told = "\n".join([say(language, "bot.history"), *lines]) if lines else say(language, "bot.history.none")
    return [text(f"{told}\n\n{say(language, 'bot.history.more')}\n{url}")]


def _line(donation: Donation, language: Language) -> str:
    mark = "↩" if donation.status is Status.SUCCEEDED and not donation.kept else _MARKS[donation.status]
    place = recipient_of(donation).name(language)
    back = yen(donation.refunded, language)
    partly = say(language, "bot.history.partly", yen=back) if donation.standing == "partly-refunded" else ""
    return f"{mark} {donation.day:%m/%d} {place} {yen(donation.amount, language)}{partly}"


def stamp_card(stamps: Mapping[str, int], url: str, language: Language) -> list[Message]:
    order = sorted(stamps, key=lambda code: PREFECTURES[code].number)
    if language == "ja":
        names = "、".join(f"{PREFECTURES[code].ja}×{stamps[code]}" for code in order)
    else:
        names = ", ".join(f"{PREFECTURES[code].en} ×{stamps[code]}" for code in order)
    found = f"{say(language, 'bot.stamps', n=len(stamps))}\n{names}" if stamps else say(language, "bot.stamps.none")
    return [text(f"{found}\n\n{url}", menu(language))]


def year(number: int, amount: int, count: int, prefectures: int, url: str, language: Language) -> list[Message]:
    told = say(
        language, "bot.year", year=number, count=f"{count:,}", yen=yen(amount, language), prefectures=prefectures
    )
    return [text(f"{told}\n\n{say(language, 'bot.year.receipts')}\n{url}")]


def receipts(url: str, language: Language) -> list[Message]:
    return [text(say(language, "bot.receipts", url=url))]


def share(url: str, friend_url: str, language: Language) -> list[Message]:
    """`friend_url` is empty where the bot's own id is not known."""
    friend = f"\n{say(language, 'bot.share.friend', url=friend_url)}" if friend_url else ""
    return [text(say(language, "bot.share", url=url) + friend)]


# Parts of messages


def text(said: str, quick: Sequence[Message] | None = None) -> Message:
    found: Message = {"type": "text", "text": said}
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


def quick_text(label: str) -> Message:
    return {"type": "action", "action": {"type": "message", "label": label[:LABEL_MAX], "text": label}}


def _taps(names: Iterable[str], language: Language) -> list[Message]:
    return [quick_text(say(language, f"bot.tap.{name}")) for name in names]


def flex(alt: str, lines: list[Message], buttons: list[Message]) -> Message:
    return {
        "type": "flex",
        "altText": alt,
        "contents": {
            "type": "bubble",
            "size": "kilo",
            "body": {
                "type": "box",
                "layout": "vertical",
                "spacing": "sm",
                "backgroundColor": _CREAM,
                "contents": lines,
            },
            "footer": {"type": "box", "layout": "vertical", "spacing": "sm", "contents": buttons},
        },
    }


def _label(said: str) -> Message:
    return {"type": "text", "text": said, "size": "xs", "weight": "bold", "color": ACCENT}


def _small(said: str) -> Message:
    return {"type": "text", "text": said, "wrap": True, "size": "sm", "color": QUIET, "margin": "md"}


def _button(label: str, content: str, shown: str, style: str) -> Message:
    found: Message = {
        "type": "button",
        "style": style,
        "action": {"type": "postback", "label": label, "data": content, "displayText": shown},
    }
    if style == "primary":
        found["color"] = ACCENT
    return found


# Which of the bot's texts an operator may put in other words. What is said about money stays ours: it must be true.


SUMS = "amounts"
"""The wording that holds the sums which every card offers."""
EDITABLE = (
    "welcome",
    "welcome-back",
    "help",
    "unknown",
    "nothing-pending",
    "cancelled",
    "expired",
    "one-to-one",
    "pledge-how",
    "pledge-stopped",
    "no-pledge",
)
_SUMS_MAX, TEXT_LENGTH_MAX = 4, 1_000


@dataclass(frozen=True, slots=True)
class Words:
    """What operators have the bot say; empty where they leave it to us."""

    kept: Mapping[str, Wording] = field(default_factory=dict)

    def of(self, name: str, language: Language) -> str:
        found = self.kept.get(name)
        return "" if found is None else found.ja if language == "ja" else found.en

    @property
    def amounts(self) -> tuple[int, ...]:
        found = self.kept.get(SUMS)
        return tuple(found.amounts) if found is not None and found.amounts else AMOUNTS


def are_sums(given: Sequence[int]) -> bool:
    """Can a card offer these? From the smallest to the largest, each once."""
    within = all(AMOUNT_MIN <= amount <= AMOUNT_MAX for amount in given)
    return len(given) <= _SUMS_MAX and within and list(given) == sorted(set(given))


# One of everything that the bot can say, the longest that can happen: to be checked by tests and by LINE itself.


URL = "https://example.com/chiipochi/u/" + "x" * 200
LONGEST = max(PREFECTURES.values(), key=lambda found: len(found.en))
WHOLE = (
    "nothing-pending",
    "expired",
    "old-card",
    "out-of-range",
    "unknown",
    "one-to-one",
    "too-old",
    "pledge-how",
    "appeal-once",
    "cancelled",
    "welcome",
    "welcome-back",
    "help",
    "language",
    "pledge-stopped",
    "no-pledge",
    "failed",
)
_OF_MONEY = ("refunded", "refund-back", "paid-late", "paid-twice")


def everything(language: Language) -> list[list[Message]]:
    card = dict.fromkeys(PREFECTURES, 99)
    return [
        *(fixed(what, language) for what in WHOLE),
        *(confirm(found, 50_000, "f" * 16, language) for found in PREFECTURES.values()),
        choose(PREFECTURES.values(), 50_000, language),
        confirm_pledge(LONGEST, 50_000, 28, "f" * 16, language),
        regions(language),
        *(prefectures_of(region, language) for region in REGIONS),
        *(specialities(found, language) for found in PREFECTURES.values()),
        pay(LONGEST, 50_000, URL, language),
        *(thanks(LONGEST, 50_000, some, URL, language) for some in (card, {**card, LONGEST.code: 1})),
        thanks(LONGEST, 100, {LONGEST.code: 5}, URL, language),
        *(of_money(news, LONGEST, 50_000, language) for news in _OF_MONEY),
        my_today(10**9, 10**6, 10**9, language),
        everyone_today(10**12, 10**9, language),
        ranking([(code, 10**9) for code in PREFECTURES], URL, language),
        ranking([], URL, language),
        history([_donation(status, refunded=20_000) for status in Status], URL, language),
        history([], URL, language),
        stamp_card(card, URL, language),
        stamp_card({}, URL, language),
        year(2025, 10**9, 10**6, 47, URL, language),
        receipts(URL, language),
        share(URL, URL, language),
        pledged(LONGEST, 50_000, 28, language),
        pledge_over(LONGEST, language),
    ]


def _donation(status: Status, refunded: int) -> Donation:
    made = datetime(2025, 8, 20, 5, 10, tzinfo=UTC)
    given = Donation(user_id="U1", created_at=made, amount=50_000, prefecture=LONGEST.code, status=status)
    return replace(given, refunded_amount=refunded)
