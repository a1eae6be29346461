"""What donors are told, sentence by sentence, beside what Stripe's own ledger says at that moment.

Every line that LINE took from the bot is found among the bot's texts. A line that names a sum, a place or a number, or
that says what became of money, must have a judge here; without one it is a failure by itself.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from importlib import resources
from itertools import islice
from typing import Any

from sekkei_fakes.line import LineCounterpart, Sent
from sekkei_fakes.stripe import Ledger
from sekkei_systems.chiipochi.design.models import JST
from sekkei_systems.chiipochi.rules.recipients import PREFECTURES
from sekkei_systems.chiipochi.texts import LANGUAGES

_FIELD = re.compile(r"\\\{(\w+)\\\}")
_LINK = re.compile(r"https?://\S+")
_STAMPS = re.compile(r"(?P<place>[^、,×]+?) ?×(?P<n>\d+)")
_CARD = re.compile(r"(?P<card>[^、,×]+×\d+(?:(?:、|, )[^、,×]+×\d+)*)")
_RANKED = re.compile(r"(?:🥇|🥈|🥉|\d+\.) (?P<place>.+)　(?P<yen>.+)")
_HISTORY = re.compile(
    r"(?P<mark>[⏳✅✖↩]) (?P<day>\d\d/\d\d) (?P<place>.+?) (?P<yen>[\d,¥円]+)"
    r"(?:（うち(?P<ja>\S+)は返金済み）| \((?P<en>\S+) of it refunded\))?"
)
NO_CLAIM = frozenset({"share", "share.friend", "receipts", "confirm.amount", "browse.prefectures"})
"""Sentences with fields that say nothing about anybody's money."""
CODES = {name: one.code for one in PREFECTURES.values() for name in (one.name("ja"), one.name("en"), one.ja)}


def _sentences() -> list[tuple[str, re.Pattern[str]]]:
    found = []
    for language in LANGUAGES:
        text = resources.files("sekkei_systems.chiipochi.texts").joinpath(f"{language}.toml").read_text("utf-8")
        for key, words in tomllib.loads(text)["bot"].items():
            for line in words.splitlines():
                if line.startswith("{") and line.endswith("}") and line.count("{") == 1:
                    continue  # an address by itself; links are known without it
                pattern = _FIELD.sub(r"(?P<\1>.+?)", re.escape(line))
                found.append((key, re.compile(pattern)))
    return found


SENTENCES = _sentences()


def _yen(said: str) -> int:
    return int(re.sub(r"[円¥,]", "", said))


@dataclass(slots=True)
class Checkout:
    """A donation as its donor and Stripe know it."""

    user: str
    place: str
    amount: int
    session: dict[str, Any]


@dataclass(slots=True)
class Hearing:
    line: LineCounterpart
    ledger: Ledger
    checkouts: list[Checkout] = field(default_factory=list)
    asked: dict[str, tuple[str, int]] = field(default_factory=dict)
    """What somebody asked for last: a place and a sum."""
    exact: bool = False
    """Everything has been told and settled: what is looked up must equal the ledger."""
    counts: Counter[str] = field(default_factory=Counter)
    """How often each kind of sentence was judged."""
    told: Counter[tuple[str, ...]] = field(default_factory=Counter)
    refunded: Counter[tuple[str, str]] = field(default_factory=Counter)
    _heard: int = 0
    _by_user: dict[str, list[Checkout]] = field(default_factory=dict)
    _refunds_seen: int = 0
    _given_back: Counter[str] = field(default_factory=Counter)

    def made(self, one: Checkout) -> None:
        self.checkouts.append(one)
        self._by_user.setdefault(one.user, []).append(one)

    def listen(self) -> None:
        """Judge what has been said since."""
        while self._heard < len(self.line.sent):
            sent = self.line.sent[self._heard]
            self._heard += 1
            for said in _lines(sent):
                self._judge(sent, said)

    def _judge(self, sent: Sent, said: str) -> None:
        for key, found in _read(said):
            judge: Callable[..., None] | None = getattr(self, f"_{key.replace('.', '_').replace('-', '_')}", None)
            if judge is not None:
                self.counts[key] += 1
                judge(sent, **found)
                return
            if not found or key in NO_CLAIM:
                self.counts["no claim"] += 1
                return
        raise AssertionError(f"nobody judges this sentence: {said!r}")

    # What the ledger knows

    def _charge(self, one: Checkout) -> dict[str, Any] | None:
        intent = self.ledger.intents.get(str(one.session["payment_intent"]))
        return self.ledger.charges.get(str(intent["latest_charge"])) if intent else None

    def _charges(self, user: str, place: str | None = None) -> list[tuple[Checkout, dict[str, Any]]]:
        mine = [one for one in self._by_user.get(user, []) if place is None or one.place == place]
        return [(one, charge) for one in mine if (charge := self._charge(one)) is not None]

    def _kept(self, user: str, place: str | None = None) -> list[tuple[Checkout, int, dict[str, Any]]]:
        found = [(one, self.ledger.kept(charge), charge) for one, charge in self._charges(user, place)]
        return [part for part in found if part[1] > 0]

    def _over(self, user: str) -> int:
        """Checkouts that ended without money, and can bring none any more."""
        return sum(_ended(one.session, self.ledger) for one in self._by_user.get(user, []))

    def _refunds(self) -> Counter[str]:
        """Yen that were ever given back of each charge, also where the bank sent them back to us later."""
        for refund in islice(self.ledger.refunds.values(), self._refunds_seen, None):
            self._given_back[str(refund["charge"])] += int(refund["amount"])
        self._refunds_seen = len(self.ledger.refunds)
        return self._given_back

    def _compare(self, said: int, truth: int, what: str) -> None:
        """Until all news have come the bot may know less than Stripe; never more."""
        assert said == truth if self.exact else said <= truth, f"{what}: {said} was told, the ledger says {truth}"

    # Judges, by the name of their sentence

    def _confirm_body(self, sent: Sent, place: str, yen: str) -> None:
        assert (CODES[place], _yen(yen)) == self.asked[sent.to], f"{sent.to} asked for {self.asked[sent.to]}"

    _confirm_alt = _pay_body = _confirm_body

    def _thanks_alt(self, sent: Sent, place: str, yen: str) -> None:
        """As often as such a payment came, and no oftener."""
        told = ("thanks", sent.to, CODES[place], str(_yen(yen)))
        self.told[told] += 1
        came = [one for one, _ in self._charges(sent.to, CODES[place]) if one.amount == _yen(yen)]
        assert self.told[told] <= len(came), f"{told} was told {self.told[told]} times, paid {len(came)} times"

    def _thanks_body(self, sent: Sent, yen: str, prefectures: str) -> None:
        charges = self._charges(sent.to)
        assert _yen(yen) in {one.amount for one, _ in charges}
        assert int(prefectures) <= len({one.place for one, _ in charges})

    def _card(self, sent: Sent, card: str) -> None:
        for stamps in re.split("、|, ", card):
            found = _STAMPS.fullmatch(stamps)
            assert found is not None
            code, n = CODES[found["place"]], int(found["n"])
            truth = self._kept(sent.to, code) if self.exact else self._charges(sent.to, code)
            self._compare(n, len(truth), f"stamps of {code}")

    def _thanks_times(self, sent: Sent, times: str) -> None:
        assert int(times) <= len(self._charges(sent.to))

    def _failed(self, sent: Sent) -> None:
        """「お金はいただいていません」: never more often than a checkout ended without money."""
        self.told[("failed", sent.to)] += 1
        assert self.told[("failed", sent.to)] <= self._over(sent.to), f"{sent.to} was told of one failure too many"

    def _refunded(self, sent: Sent, place: str, yen: str) -> None:
        key = sent.to, CODES[place]
        self.refunded[key] += _yen(yen)
        gone = sum(self._refunds()[charge["id"]] for _, charge in self._charges(*key))
        assert self.refunded[key] <= gone, f"{self.refunded[key]} told as refunded, {gone} was"

    def _refunded_cash(self, sent: Sent, place: str, yen: str) -> None:
        methods = {charge["payment_method_details"]["type"] for _, charge in self._charges(sent.to, CODES[place])}
        assert "konbini" in methods, "no cash was paid, and Stripe asks for no account"
        self._refunded(sent, place, yen)

    def _refund_back(self, sent: Sent, place: str, yen: str) -> None:
        key = "back", sent.to, CODES[place]
        self.told[key] += _yen(yen)
        charges = {charge["id"] for _, charge in self._charges(sent.to, CODES[place])}
        failed = [one for one in self.ledger.refunds.values() if one["status"] == "failed" and one["charge"] in charges]
        back = sum(int(one["amount"]) for one in failed)
        assert self.told[key] <= back, f"{self.told[key]} told as having come back, {back} did"

    def _today(self, sent: Sent, count: str, yen: str) -> None:
        today = _day(sent.at)
        came = [part for part in self._kept(sent.to) if _day(part[2]["created"]) == today]
        ever = [one for one, charge in self._charges(sent.to) if _day(charge["created"]) == today]
        self._compare(int(count), len(came) if self.exact else len(ever), "donations today")
        whole = sum(kept for _, kept, _ in came) if self.exact else sum(one.amount for one in ever)
        self._compare(_yen(yen), whole, "yen today")

    def _today_pending(self, sent: Sent, yen: str) -> None:
        assert _yen(yen) <= sum(one.amount for one in self._by_user[sent.to])

    def _everyone(self, sent: Sent, count: str, yen: str) -> None:
        today = _day(sent.at)
        parts = [part for user in self._by_user for part in self._kept(user) if _day(part[2]["created"]) == today]
        if self.exact:
            self._compare(int(count.replace(",", "")), len(parts), "everybody's donations")
            self._compare(_yen(yen), sum(kept for _, kept, _ in parts), "everybody's yen")

    def _ranked(self, sent: Sent, place: str, yen: str) -> None:
        today = _day(sent.at)
        parts = [part for user in self._by_user for part in self._kept(user, CODES[place])]
        if self.exact:
            truth = sum(kept for _, kept, charge in parts if _day(charge["created"]) == today)
            self._compare(_yen(yen), truth, f"yen for {place}")

    def _stamps(self, sent: Sent, n: str) -> None:
        places = {one.place for one, _, _ in self._kept(sent.to)}
        self._compare(int(n), len(places) if self.exact else max(int(n), len(places)), "prefectures")

    def _year(self, sent: Sent, year: str = "", count: str = "", yen: str = "", prefectures: str = "") -> None:
        if not count:
            return
        kept = self._kept(sent.to)
        charges = self._charges(sent.to)
        amounts = sum(part[1] for part in kept) if self.exact else sum(one.amount for one, _ in charges)
        self._compare(int(count.replace(",", "")), len(kept if self.exact else charges), "donations of the year")
        self._compare(_yen(yen), amounts, "yen of the year")
        self._compare(int(prefectures), len({one.place for one, *_ in charges}), "places") if not self.exact else None

    def _history_line(
        self, sent: Sent, mark: str, day: str, place: str, yen: str, ja: str | None, en: str | None
    ) -> None:
        if back := ja or en:
            gone = [self._refunds()[charge["id"]] for one, charge in self._charges(sent.to, CODES[place])]
            assert any(_yen(back) <= one for one in gone), f"{place} {yen}: {back} was told as refunded, of {gone}"
        mine = [one for one in self._by_user[sent.to] if (one.place, one.amount) == (CODES[place], _yen(yen))]
        paid = [one for one in mine if self._charge(one) is not None]
        assert mine, f"{place} {yen} was never asked for"
        assert mark not in "✅↩" or paid, f"{place} {yen} is shown as paid"
        assert mark != "✖" or len(paid) < len(mine), f"{place} {yen} is shown as failed"


def _ended(session: dict[str, Any], ledger: Ledger) -> bool:
    if session["status"] == "expired":
        return True
    intent = ledger.intents.get(str(session["payment_intent"]))
    return intent is not None and intent["status"] == "requires_payment_method"


def _day(moment: float) -> date:
    return datetime.fromtimestamp(moment, JST).date()


def _lines(sent: Sent) -> Iterator[str]:
    for message in sent.messages:
        said = [message.get("text") or message.get("altText") or ""]
        body = message.get("contents", {}).get("body", {}).get("contents", [])
        said += [part["text"] for part in body]
        yield from (line for words in said for line in words.splitlines() if line.strip())


def _read(said: str) -> Iterator[tuple[str, dict[str, str]]]:
    """As which sentences a line can be read, those with the most words of their own first; then as a line of a list."""
    if _LINK.fullmatch(said) or said in CODES or re.fullmatch(r"¥[\d,]+", said):
        yield "help", {}
    found = [(key, match.groupdict()) for key, pattern in SENTENCES if (match := pattern.fullmatch(said))]
    yield from sorted(found, key=lambda one: sum(map(len, one[1].values())))
    for name, pattern in (("card", _CARD), ("ranked", _RANKED), ("history.line", _HISTORY)):
        if match := pattern.fullmatch(said):
            yield name, match.groupdict()
