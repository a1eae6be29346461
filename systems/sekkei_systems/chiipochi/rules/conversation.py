"""The conversation as pure code: what somebody sent, and where they stand, make a decision.

    IDLE      speciality → AWAITING          はい → "nothing to confirm"      寄付する → what there is to choose
    AWAITING  はい → a donation, IDLE        いいえ → IDLE        speciality or amount → AWAITING (a new question)
              too late → IDLE, and say so    anything else, also a sticker → ask again
              a message that led to the question is unsent → IDLE

A monthly donation is asked about in the same way, and begins with a はい as well.

A card's buttons carry the nonce of its question. Changing the amount or the prefecture makes a new question, so an old
card cannot confirm what it does not show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal
from urllib.parse import parse_qs

from sekkei_systems.chiipochi.design.models import UserState
from sekkei_systems.chiipochi.rules import amounts
from sekkei_systems.chiipochi.rules.amounts import Malformed, Said
from sekkei_systems.chiipochi.rules.recipients import (
    PREFECTURES,
    REGIONS,
    Named,
    Prefecture,
    code_of,
    find,
    is_known,
    is_monthly,
    meant,
    normalised,
    offered_by,
)
from sekkei_systems.chiipochi.texts import Language

AMOUNTS = (100, 300, 500)
AMOUNT_MIN, AMOUNT_MAX = 100, 50_000
_AMOUNT_DIGITS_MAX = 12
SESSION = timedelta(minutes=10)
_ASKED_BY_MAX = 8
_CLOCKS_DIFFER_MS = 60_000
"""More than this no two clocks of ours are apart."""
TEXT_LENGTH_MAX = 200
"""Of what is looked at for a speciality; nobody types a longer one."""

Kind = Literal["text", "other", "postback", "follow", "unfollow", "unsend"]
"""`other` is a sticker, a picture, a voice, a place."""
Topic = Literal["today", "everyone", "ranking", "history", "stamps", "year", "receipts", "share", "help"]


@dataclass(frozen=True, slots=True)
class Incoming:
    """One event of a user, as far as the conversation needs it."""

    event_id: str
    user_id: str
    at_ms: int
    kind: Kind
    text: str = ""
    data: str = ""
    message_id: str | None = None
    """LINE's id of the message that was written, or that was unsent."""
    reply_token: str | None = None
    group: str | None = None
    """Where it was written, when that is not the chat with the bot alone."""
    mentioned: bool = False
    """Does it speak to the bot by name?"""
    unblocked: bool = False
    """Is it a friend who comes back?"""


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask whether to donate, once or every month, and remember the question."""

    prefecture: Prefecture
    amount: int
    monthly: bool = False
    asked_by: str = ""
    """The messages that led here; taking one of them back takes the question back."""


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Show the open question once more."""

    prefecture: Prefecture
    amount: int
    nonce: str
    monthly: bool = False


@dataclass(frozen=True, slots=True)
class Choose:
    """Several prefectures are known for this; ask which one is meant."""

    prefectures: tuple[Prefecture, ...]
    amount: int


@dataclass(frozen=True, slots=True)
class Confirm:
    """Make the donation that was asked for."""

    prefecture: Prefecture
    amount: int
    awaiting: str
    nonce: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """Forget the question."""


@dataclass(frozen=True, slots=True)
class Expire:
    """Forget a question whose time is over, and say so."""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Forget a question whose message the user has taken back; nobody needs to be told."""

    nonce: str


@dataclass(frozen=True, slots=True)
class Speak:
    """Speak another language from now on."""

    language: Language


@dataclass(frozen=True, slots=True)
class Join:
    """A new friend, or one who comes back."""

    returning: bool = False


@dataclass(frozen=True, slots=True)
class Leave:
    """The user has blocked the bot."""


@dataclass(frozen=True, slots=True)
class MakePledge:
    """Give every month, as was asked."""

    prefecture: Prefecture
    amount: int
    awaiting: str
    nonce: str


@dataclass(frozen=True, slots=True)
class StopPledge:
    """No longer every month."""


@dataclass(frozen=True, slots=True)
class Browse:
    """Show what there is to choose from: all regions, the prefectures of one, the specialities of a prefecture."""

    region: str | None = None
    prefecture: Prefecture | None = None


@dataclass(frozen=True, slots=True)
class Tell:
    """Answer with something that has to be looked up."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class Say:
    """Answer with one of the fixed texts; nothing changes."""

    what: Literal[
        "nothing-pending", "old-card", "out-of-range", "unknown", "one-to-one", "too-old", "pledge-how", "appeal-once"
    ]


@dataclass(frozen=True, slots=True)
class Ignore:
    """Say nothing."""


Decision = (
    Ask
    | AskAgain
    | Choose
    | Confirm
    | Cancel
    | Expire
    | Withdraw
    | Speak
    | Join
    | Leave
    | MakePledge
    | StopPledge
    | Browse
    | Tell
    | Say
    | Ignore
)

YES = frozenset(map(normalised, ("はい", "yes", "うん", "ok", "お願いします", "寄付する")))
_DONATE = frozenset(map(normalised, ("寄付する", "寄付", "寄付したい", "寄付します", "donate", "give")))
NO = frozenset(map(normalised, ("いいえ", "no", "キャンセル", "やめる", "やめます", "中止")))
_TOPIC_WORDS: dict[Topic, tuple[str, ...]] = {
    "today": ("今日の合計", "わたしの合計", "合計", "today"),
    "everyone": ("みんなの合計", "みんな", "全体", "total"),
    "ranking": ("ランキング", "県別ランキング", "ranking"),
    "history": ("履歴", "寄付履歴", "history"),
    "stamps": ("スタンプ", "スタンプカード", "stamps"),
    "year": ("年間まとめ", "今年のまとめ", "year"),
    "receipts": ("領収書", "受領書", "領収書がほしい", "receipt", "receipts"),
    "share": ("友だちに教える", "シェア", "share"),
    "help": ("ヘルプ", "使い方", "help"),
}
TOPICS = {normalised(word): topic for topic, words in _TOPIC_WORDS.items() for word in words}
_LANGUAGE_WORDS: dict[Language, tuple[str, ...]] = {
    "ja": ("日本語", "にほんご", "japanese"),
    "en": ("english", "英語", "えいご"),
}
_SPEAK = {normalised(word): language for language, said in _LANGUAGE_WORDS.items() for word in said}
_STOP_PLEDGE = frozenset(map(normalised, ("毎月の寄付をやめる", "毎月をやめる", "毎月停止", "stop monthly")))
_MONTHLY = re.compile(r"毎月|(?<![a-z])(?:monthly|every month)(?![a-z])", re.IGNORECASE)


def says_yes(incoming: Incoming) -> bool:
    """Is this a confirmation, so that it matters whether a question has run out?"""
    if incoming.kind == "postback":
        return _fields(incoming.data).get("a") == "yes"
    return incoming.kind == "text" and normalised(incoming.text) in YES


def in_time(incoming: Incoming, state: UserState | None, now: datetime) -> Incoming:
    """Nothing happened much later than now: such a time would make all that follows seem late. Nor is a state newer
    than what comes now when such a time was written into it. A little later it may well be: clocks differ, and LINE's
    times are in order among themselves."""
    now_ms = int(now.timestamp() * 1000)
    at_ms = incoming.at_ms if incoming.at_ms <= now_ms + _CLOCKS_DIFFER_MS else now_ms
    if state is not None and (state.last_event_ts or 0) > now_ms + _CLOCKS_DIFFER_MS:
        at_ms = state.last_event_ts or at_ms
    return incoming if at_ms == incoming.at_ms else replace(incoming, at_ms=at_ms)


def decide(
    incoming: Incoming,
    state: UserState | None,
    now: datetime,
    appeals: Sequence[Named] = (),
    offered: Sequence[int] = AMOUNTS,
) -> Decision:
    """What to do about one event. `state` may be one whose time is over; `appeals` are those that are open, `offered`
    the sums of the cards, the first of which is meant where nobody says one."""
    if incoming.group is not None:
        return _in_a_group(incoming)
    if state is not None and state.last_event_ts is not None and incoming.at_ms < state.last_event_ts:
        # Delivered late: what the user has done since then counts.
        return Say("too-old") if says_yes(incoming) else Ignore()
    if incoming.kind == "follow":
        return Join(incoming.unblocked or (state is not None and state.unfollowed_at is not None))
    if incoming.kind == "unfollow":
        return Leave()
    question = _question(state, now, appeals)
    if incoming.kind == "unsend":
        asked = question.is_open and incoming.message_id in question.asked_by.split()
        return Withdraw(question.nonce) if asked else Ignore()
    if incoming.kind == "other":
        return _again(question) or Ignore()
    if incoming.kind == "postback":
        return _on_postback(_fields(incoming.data), question, offered)
    return _told_by(incoming.message_id, _on_text(incoming.text, question, appeals, offered), question)


def _told_by(message_id: str | None, decision: Decision, question: _Question) -> Decision:
    """A question that changes only its amount still came from the messages before."""
    if not isinstance(decision, Ask):
        return decision
    same = question.is_open and decision.prefecture == question.prefecture
    before = question.asked_by.split() if same else []
    return replace(decision, asked_by=" ".join([*before, *([message_id] if message_id else [])][-_ASKED_BY_MAX:]))


@dataclass(frozen=True, slots=True)
class _Question:
    """What was asked last, and whether it may still be answered."""

    prefecture: Prefecture | None = None
    amount: int = AMOUNTS[0]
    awaiting: str = ""
    nonce: str = ""
    expired: bool = False
    monthly: bool = False
    asked_by: str = ""

    @property
    def is_open(self) -> bool:
        return self.prefecture is not None and not self.expired


def _question(state: UserState | None, now: datetime, appeals: Sequence[Named]) -> _Question:
    if state is None or state.awaiting_confirmation is None or state.confirm_nonce is None:
        return _Question()
    code = code_of(state.awaiting_confirmation)
    prefecture = PREFECTURES.get(code) or next((one for one in appeals if one.code == code), None)
    expired = state.session_expires_at is None or state.session_expires_at <= now
    amount = state.amount or AMOUNTS[0]
    awaiting, nonce = state.awaiting_confirmation, state.confirm_nonce
    return _Question(prefecture, amount, awaiting, nonce, expired, is_monthly(awaiting), state.asked_by or "")


def _on_text(text: str, question: _Question, appeals: Sequence[Named], offered: Sequence[int]) -> Decision:
    text = text.strip()[:TEXT_LENGTH_MAX]
    word = normalised(text)
    if word in YES and (question.is_open or word not in _DONATE):
        return _confirm(question)
    if word in _DONATE:
        return Browse()
    if word in NO:
        return Cancel() if question.is_open else _without_question(question)
    if word in _SPEAK:
        return Speak(_SPEAK[word])
    if word in _STOP_PLEDGE:
        return StopPledge()
    if word in TOPICS:
        return Tell(TOPICS[word])
    monthly = _MONTHLY.search(text)
    if appeals and (appeal := meant(text, appeals)) is not None:
        return _to_appeal(appeal, amounts.read(text), offered, monthly is not None)
    pledge = _pledge(f"{text[: monthly.start()]} {text[monthly.end() :]}", offered) if monthly else None
    return pledge or _speciality(text, question, offered)


def _to_appeal(appeal: Named, said: Said, offered: Sequence[int], monthly: bool) -> Decision:
    if monthly and not appeal.monthly:
        return Say("appeal-once")
    return _ask((appeal,), offered_by(appeal, offered)[0] if said.amount is None else said.amount, monthly)


def _speciality(text: str, question: _Question, offered: Sequence[int]) -> Decision:
    said = _said(text)
    found = find(said.rest)
    if said.amount is not None and not found and not amounts.without_endings(said.rest):
        return _other_amount(said.amount, question)
    amount = offered[0] if said.amount is None else said.amount
    if found:
        return _ask(found, amount)
    return _again(question) or Say("unknown")


def _said(text: str) -> Said:
    """A sum and what it is for; a number that belongs to the name of something is no sum."""
    said = Said(None, text) if is_known(text) else amounts.read(text)
    if said.amount is None and not is_known(text):
        before = amounts.in_front(text)
        return before if before.amount is not None and find(before.rest, inside=False) else said
    return said


def _again(question: _Question) -> Decision | None:
    """What anything else leads to while a question waits, or has just run out."""
    if question.is_open and question.prefecture is not None:
        return AskAgain(question.prefecture, question.amount, question.nonce, question.monthly)
    return Expire() if question.expired else None


def _ask(found: tuple[Prefecture, ...], amount: int | Malformed, monthly: bool = False) -> Decision:
    if isinstance(amount, Malformed) or not AMOUNT_MIN <= amount <= AMOUNT_MAX:
        return Say("out-of-range")
    return Ask(found[0], amount, monthly) if len(found) == 1 else Choose(found, amount)


def _without_question(question: _Question) -> Decision:
    return Expire() if question.expired else Say("nothing-pending")


def _confirm(question: _Question) -> Decision:
    if not question.is_open or question.prefecture is None:
        return _without_question(question)
    kind = MakePledge if question.monthly else Confirm
    return kind(question.prefecture, question.amount, question.awaiting, question.nonce)


def _other_amount(amount: int | Malformed, question: _Question) -> Decision:
    if not question.is_open or question.prefecture is None:
        return _without_question(question)
    return _ask((question.prefecture,), amount, question.monthly)


def _pledge(rest: str, offered: Sequence[int]) -> Decision | None:
    """「毎月 ピーナッツ 300」, and nothing else around it; who merely eats peanuts every month has not asked for it."""
    said = amounts.read(rest)
    found = find(said.rest, inside=False)
    if len(found) != 1:
        return None if amounts.without_endings(said.rest) and not found else Say("pledge-how")
    return _ask(found, offered[0] if said.amount is None else said.amount, monthly=True)


def _on_postback(fields: dict[str, str], question: _Question, offered: Sequence[int]) -> Decision:
    if fields.get("v") != "1":
        return Say("old-card")
    action = fields.get("a")
    if action == "do" and fields.get("w") in TOPICS.values():
        return Tell(_topic(fields["w"]))
    if action in ("browse", "region", "place"):
        return _browse(action, fields)
    if action == "pref" and fields.get("p") in PREFECTURES:
        amount = _amount(fields.get("y", "")) or offered[0]
        return Ask(PREFECTURES[fields["p"]], amount) if AMOUNT_MIN <= amount <= AMOUNT_MAX else Say("out-of-range")
    if action not in ("yes", "no", "amount"):
        return Say("old-card")
    if question.prefecture is None:
        return Say("nothing-pending")
    if fields.get("n") != question.nonce:
        return Say("old-card")
    if action == "no":
        return Cancel() if question.is_open else Expire()
    if action == "yes":
        return _confirm(question)
    amount_asked = _amount(fields.get("y", ""))
    return Say("out-of-range") if amount_asked is None else _other_amount(amount_asked, question)


def _browse(action: str, fields: dict[str, str]) -> Decision:
    if action == "region" and fields.get("r") in REGIONS:
        return Browse(region=fields["r"])
    if action == "place" and fields.get("p") in PREFECTURES:
        return Browse(prefecture=PREFECTURES[fields["p"]])
    return Browse()


def _topic(word: str) -> Topic:
    return next(topic for topic in TOPICS.values() if topic == word)


def _in_a_group(incoming: Incoming) -> Decision:
    """Donations are a matter between one person and the bot; talk in a group is none of its business, unless somebody
    speaks to it by name."""
    return Say("one-to-one") if incoming.kind == "text" and incoming.mentioned else Ignore()


def _amount(text: str) -> int | None:
    """What a button of ours carries."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _AMOUNT_DIGITS_MAX else None


def _fields(data: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(data[:300]).items()} if data else {}
