"""What the bot says, as LINE's message objects; pure, in the language of whoever reads it.

A letter is what goes to the outbox: checked messages as one JSON text, because a card is a deep tree that nobody
queries. The cards that everybody gets are made once and filled in afterwards.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import orjson

from sekkei_systems.chiipochi.design.models import Donation, Status
from sekkei_systems.chiipochi.rules.conversation import AMOUNT_MAX, AMOUNT_MIN, AMOUNTS
from sekkei_systems.chiipochi.rules.message_limits import LABEL_MAX, QUICK_REPLIES_MAX, Message, check, check_uri
from sekkei_systems.chiipochi.rules.prefectures import PREFECTURES, Prefecture
from sekkei_systems.chiipochi.rules.pushes import PUSHES, News
from sekkei_systems.chiipochi.rules.recipients import Named, offered_by, recipient_of
from sekkei_systems.chiipochi.rules.regions import REGIONS
from sekkei_systems.chiipochi.texts import Language, say, yen

INK, QUIET, ACCENT, CREAM = "#3b2f2a", "#8a7a70", "#e8743b", "#fff7ee"
TIMES_WORTH_A_WORD = frozenset({5, 10, 25, 50, 100, 200, 300, 400, 500, 1000})
MEDALS = ("🥇", "🥈", "🥉")
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
    check_uri(url)
    if prefecture.code not in PREFECTURES:
        return letter(pay(prefecture, amount, url, language))
    return _pay_form(prefecture.code, amount, language).replace(_URL, _escaped(url))


def thanks_letter(prefecture: Prefecture, amount: int, card: Mapping[str, int], url: str, language: Language) -> Letter:
    check_uri(url)
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
    return say(language, "bot.thanks.times", times=times) if times in TIMES_WORTH_A_WORD else ""


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
        f"{MEDALS[place] if place < len(MEDALS) else f'{place + 1}.'} "
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
            "body": {"type": "box", "layout": "vertical", "spacing": "sm", "backgroundColor": CREAM, "contents": lines},
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
