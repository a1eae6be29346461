"""Stripe's API as far as donations need it: which parameters it takes, and what it refuses."""

from __future__ import annotations

import copy
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import parse_qsl

from sekkei_fakes.stripe import balance
from sekkei_fakes.stripe.errors import Refused
from sekkei_fakes.stripe.ledger import Ledger, Thing
from sekkei_systems.chiipochi.ports.payments import KNOWN, KONBINI_DAYS_MAX, LEAST, MOST, takes

AMOUNT_MIN = 50
OPEN_MIN_SECONDS, OPEN_MAX_SECONDS = 30 * 60, 24 * 3600
KEY_LENGTH_MAX, KEY_SECONDS = 255, 24 * 3600
METADATA_KEYS_MAX, METADATA_KEY_MAX, METADATA_VALUE_MAX = 50, 40, 500
CHECKOUT = frozenset(
    [
        "mode",
        "client_reference_id",
        "metadata",
        "payment_intent_data",
        "line_items",
        "success_url",
        "cancel_url",
        "expires_at",
        "payment_method_types",
        "payment_method_options",
        "customer",
        "locale",
    ]
)
REFUND = frozenset({"payment_intent", "charge", "amount", "metadata", "reason"})
CUSTOMER = frozenset({"description", "metadata", "name", "email"})
REASONS = (None, "duplicate", "fraudulent", "requested_by_customer")
PAGE_MAX = 100
_EXPIRE = re.compile(r"/v1/checkout/sessions/([^/]+)/expire")
_BETWEEN = re.compile(r"(created|available_on|arrival_date)\[(gte|gt|lte|lt)\]")
Failing = Literal["", "before", "after"]
"""A 500 that is kept under the key, before anything was done or after all of it was."""
FAILED: Thing = {"refused": ["", "An unknown error occurred", 500, "api_error"]}
_COMPARE = {"gte": operator.ge, "gt": operator.gt, "lte": operator.le, "lt": operator.lt}
_PART = re.compile(r"\[([^\]]*)\]")


def nested(body: bytes) -> Thing:
    """`line_items[0][quantity]=1` as a tree; lists are trees with numbers for keys."""
    found: Thing = {}
    for name, value in parse_qsl(body.decode(), keep_blank_values=True):
        first, *rest = [name.partition("[")[0], *_PART.findall(name)]
        place = found
        for part, following in zip([first, *rest], rest, strict=False):
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise Refused("parameter_invalid", f"Invalid parameter: {name} ({following})")
        place[([first, *rest])[-1]] = value
    return found


class Requests:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.fails: Callable[[str], Failing] = lambda key: ""
        """How Stripe fails over a request with this key."""

    def post(self, path: str, body: bytes, key: str | None) -> tuple[Thing, bool]:
        """The answer, and whether it is that of a request before: a key answers again as it did then, also that Stripe
        failed. With other parameters it is refused."""
        make = self._maker(path)
        if key is None:
            return copy.deepcopy(make(nested(body))), False
        if len(key) > KEY_LENGTH_MAX:
            raise Refused("idempotency_key_too_long", "Idempotency keys may have 255 characters.")
        asked, answers = f"{path}?{body.decode()}", self._ledger.answers
        replayed = key in answers and not self._is_forgotten(answers[key])
        if not replayed:
            answers[key] = [asked, self._begun(make, key, body), self._ledger.now()]
        before, answer, *_ = answers[key]
        if before != asked:
            message = "Keys for idempotent requests can only be used with the same parameters."
            raise Refused("", message, 400, "idempotency_error")
        if "refused" in answer:
            refused = Refused(*answer["refused"])
            refused.replayed = replayed
            raise refused
        return copy.deepcopy(answer), replayed

    def _is_forgotten(self, kept: list[Any]) -> bool:
        """Rows that were written before do not say when it was made."""
        return bool(kept[2:]) and self._ledger.now() - int(kept[2]) >= KEY_SECONDS

    def _begun(self, make: Callable[[Thing], Thing], key: str, body: bytes) -> Thing:
        """What is kept of a request that Stripe begins to carry out. Raises Refused for one that it does not."""
        failing = self.fails(key)
        if failing == "before":
            return copy.deepcopy(FAILED)
        try:
            answer = copy.deepcopy(make(nested(body)))
        except Refused as refused:
            if not refused.was_tried:
                raise
            answer = {"refused": [refused.code, refused.message]}
        return copy.deepcopy(FAILED) if failing else answer

    def _maker(self, path: str) -> Callable[[Thing], Thing]:
        made: dict[str, Callable[[Thing], Thing]] = {
            "/v1/checkout/sessions": self._session,
            "/v1/refunds": self._refund,
            "/v1/customers": self._customer,
        }
        if ended := _EXPIRE.fullmatch(path):
            return lambda given: self._expire(ended[1], given)
        if path not in made:
            raise Refused("resource_missing", f"Unrecognized request URL (POST: {path}).", 404)
        return made[path]

    def get(self, path: str, query: Mapping[str, list[str]]) -> Thing:
        self._ledger.pass_time()
        name, _, id = path.removeprefix("/v1/").rpartition("/")
        ones = {
            "payment_intents": self._ledger.intents,
            "charges": self._ledger.charges,
            "refunds": self._ledger.refunds,
            "disputes": self._ledger.disputes,
            "customers": self._ledger.customers,
        }
        if name == "checkout/sessions":
            wanted = [value for key, values in query.items() if key.startswith("expand[") for value in values]
            return self._expanded(self._one(self._ledger.sessions, id), wanted)
        if name in ones:
            return copy.deepcopy(self._one(ones[name], id))
        return self._list(path, query)

    def _list(self, path: str, query: Mapping[str, list[str]]) -> Thing:
        now, moved = self._ledger.now(), self._ledger.movements.values()
        if path == "/v1/balance_transactions":
            wanted = query.get("payout", [""])[0]
            parts = {payout["id"]: paid for payout, paid in balance.payouts(moved, now)}
            found = parts.get(wanted, []) if wanted else balance.listed(moved, now)
            expands = [name for name in query if name.startswith("expand[")]
            return self._with_sources(_listed(path, found, query, ("type",), ("payout", *expands)), query, expands)
        if path == "/v1/balance":
            return balance.standing(moved, now)
        if path == "/v1/payouts":
            return _listed(path, [payout for payout, _ in balance.payouts(moved, now)][::-1], query, ("status",))
        known = {
            "/v1/checkout/sessions": (self._ledger.sessions, ("payment_intent",)),
            "/v1/disputes": (self._ledger.disputes, ("charge", "payment_intent")),
            "/v1/refunds": (self._ledger.refunds, ("charge", "payment_intent")),
        }
        if path not in known:
            raise Refused("resource_missing", f"Unrecognized request URL (GET: {path}).", 404)
        things, filters = known[path]
        return _listed(path, [_public(one) for one in reversed(things.values())], query, filters)

    def _with_sources(self, page: Thing, query: Mapping[str, list[str]], expands: Sequence[str]) -> Thing:
        for path in (value for name in expands for value in query[name]):
            if path != "data.source":
                raise Refused("parameter_invalid", f"This property cannot be expanded ({path}).")
            ledger = self._ledger
            things = {**ledger.charges, **ledger.refunds, **ledger.disputes}
            for one in page["data"]:
                one["source"] = copy.deepcopy(things.get(one["source"], one["source"]))
        return page

    def _one(self, things: Mapping[str, Thing], id: str) -> Thing:
        if id not in things:
            raise Refused("resource_missing", f"No such object: {id!r}", 404)
        return things[id]

    def _expanded(self, session: Thing, wanted: list[str]) -> Thing:
        found = _public(session)
        for path in wanted:
            if path not in ("payment_intent", "payment_intent.latest_charge"):
                raise Refused("parameter_invalid", f"This property cannot be expanded ({path}).")
            intent = self._ledger.intents.get(str(session["payment_intent"]))
            if intent is None:
                continue
            found["payment_intent"] = copy.deepcopy(intent)
            if path.endswith("latest_charge") and intent["latest_charge"]:
                found["payment_intent"]["latest_charge"] = copy.deepcopy(self._ledger.charges[intent["latest_charge"]])
        return found

    # What can be made

    def _session(self, given: Thing) -> Thing:
        _only(given, CHECKOUT)
        if given.get("mode") != "payment":
            raise Refused("parameter_missing", "Missing required param: mode.")
        amount = _line_total(given.get("line_items"))
        for name in ("success_url", "cancel_url"):
            if not str(given.get(name, "")).startswith(("http://", "https://")):
                raise Refused("url_invalid", f"Not a valid URL: {name}.")
        methods = self._methods(given, amount)
        id = self._ledger.new_id("cs")
        session = {
            "id": id,
            "object": "checkout.session",
            "mode": "payment",
            "status": "open",
            "payment_status": "unpaid",
            "url": self._ledger.page(id, f"https://checkout.stripe.com/c/pay/{id}"),
            "amount_total": amount,
            "currency": "jpy",
            "client_reference_id": given.get("client_reference_id"),
            "metadata": _metadata(given.get("metadata")),
            "payment_intent": None,
            "payment_intent_metadata": _metadata((given.get("payment_intent_data") or {}).get("metadata")),
            "payment_method_types": methods,
            "payment_method_options": given.get("payment_method_options") or {},
            "success_url": given["success_url"],
            "cancel_url": given["cancel_url"],
            "created": self._ledger.now(),
            "expires_at": self._expiry(given.get("expires_at")),
        }
        self._ledger.sessions[id] = session
        return _public(session)

    def _methods(self, given: Thing, amount: int) -> list[str]:
        methods = list((given.get("payment_method_types") or {"0": "card", "1": "konbini"}).values())
        explicit = "payment_method_types" in given
        if unknown := [name for name in methods if name not in KNOWN]:
            raise Refused("parameter_invalid", f"Invalid payment_method_types: {unknown[0]}")
        if explicit and (low := [name for name in methods if amount < LEAST[name]]):
            raise Refused("amount_too_small", f"Amount must be at least ¥{LEAST[low[0]]} for {low[0]}.")
        if explicit and (high := [name for name in methods if amount > MOST.get(name, amount)]):
            raise Refused("amount_too_large", f"Amount must be at most ¥{MOST[high[0]]} for {high[0]}.")
        days = (given.get("payment_method_options") or {}).get("konbini", {}).get("expires_after_days", "3")
        if not str(days).isdecimal() or not 1 <= int(days) <= KONBINI_DAYS_MAX:
            raise Refused("parameter_invalid_integer", f"expires_after_days is 1 to {KONBINI_DAYS_MAX}: {days}")
        if "customer_balance" in methods and given.get("customer") not in self._ledger.customers:
            raise Refused("parameter_missing", "customer_balance needs a customer.")
        return [name for name in methods if takes(name, amount)]

    def _expiry(self, given: Any) -> int:
        now = self._ledger.now()
        if given is None:
            return now + OPEN_MAX_SECONDS
        if not str(given).isdigit() or not OPEN_MIN_SECONDS <= int(given) - now <= OPEN_MAX_SECONDS:
            raise Refused("parameter_invalid", "expires_at must be 30 minutes to 24 hours from now.")
        return int(given)

    def _expire(self, id: str, given: Thing) -> Thing:
        _only(given, frozenset())
        self._ledger.pass_time()
        return _public(self._ledger.expire(self._one(self._ledger.sessions, id)))

    def _refund(self, given: Thing) -> Thing:
        _only(given, REFUND)
        if given.get("reason") not in REASONS:
            raise Refused("parameter_invalid", f"Invalid reason: must be one of {', '.join(filter(None, REASONS))}")
        amount = str(given.get("amount", ""))
        if amount and not (amount.isascii() and amount.isdigit()):
            raise Refused("parameter_invalid_integer", f"Invalid integer: {amount}")
        charge = self._charge_of(given)
        return self._ledger.refund(charge, int(amount) if amount else None, _metadata(given.get("metadata")))

    def _charge_of(self, given: Thing) -> Thing:
        if given.get("charge"):
            return self._one(self._ledger.charges, str(given["charge"]))
        if not given.get("payment_intent"):
            raise Refused(
                "parameter_missing", "One of the following params should be provided: payment_intent, charge."
            )
        intent = self._one(self._ledger.intents, str(given["payment_intent"]))
        if intent["latest_charge"] is None:
            raise Refused("charge_not_found", "The payment has no successful charge to refund.")
        return self._ledger.charges[intent["latest_charge"]]

    def _customer(self, given: Thing) -> Thing:
        _only(given, CUSTOMER)
        found = {"id": self._ledger.new_id("cus"), "object": "customer", "metadata": _metadata(given.get("metadata"))}
        self._ledger.customers[str(found["id"])] = found
        return found


def _listed(
    path: str,
    found: Sequence[Thing],
    query: Mapping[str, list[str]],
    filters: Sequence[str],
    done: Sequence[str] = (),
) -> Thing:
    """A page of a list, the newest first, after the one that `starting_after` names."""
    given = {name: values[-1] for name, values in query.items()}
    limit = given.pop("limit", "10")
    if not (limit.isascii() and limit.isdigit() and 1 <= int(limit) <= PAGE_MAX):
        raise Refused("parameter_invalid_integer", f"Invalid limit: {limit}")
    after = given.pop("starting_after", None)
    for name, value in given.items():
        if name not in done:
            found = [one for one in found if _fits(one, name, value, filters)]
    ids = [one["id"] for one in found]
    if after is not None and after not in ids:
        raise Refused("resource_missing", f"No such object: {after!r}")
    start = 0 if after is None else ids.index(after) + 1
    some = [copy.deepcopy(one) for one in found[start : start + int(limit)]]
    return {"object": "list", "url": path, "data": some, "has_more": start + len(some) < len(found)}


def _fits(one: Thing, name: str, value: str, filters: Sequence[str]) -> bool:
    between = _BETWEEN.fullmatch(name)
    if between is not None and between[1] in one and value.isascii() and value.isdigit():
        return bool(_COMPARE[between[2]](one[between[1]], int(value)))
    if name not in filters:
        raise Refused("parameter_unknown", f"Received unknown parameter: {name}")
    return str(one.get(name)) == value


def _public(session: Thing) -> Thing:
    return {name: copy.deepcopy(value) for name, value in session.items() if name != "payment_intent_metadata"}


def _only(given: Thing, known: frozenset[str]) -> None:
    if unknown := sorted(given.keys() - known):
        raise Refused("parameter_unknown", f"Received unknown parameter: {unknown[0]}")


def _line_total(lines: Any) -> int:
    if not isinstance(lines, dict) or not lines:
        raise Refused("parameter_missing", "Missing required param: line_items.")
    total = 0
    for line in lines.values():
        price = line.get("price_data", {})
        amount, quantity = str(price.get("unit_amount", "")), str(line.get("quantity", ""))
        if price.get("currency") != "jpy" or not price.get("product_data", {}).get("name"):
            raise Refused("parameter_invalid", "Invalid price_data.")
        if not amount.isdigit() or not quantity.isdigit():
            raise Refused("parameter_invalid_integer", "Invalid integer.")
        total += int(amount) * int(quantity)
    if total < AMOUNT_MIN:
        raise Refused("amount_too_small", f"Amount must be at least ¥{AMOUNT_MIN}.")
    return total


def _metadata(given: Any) -> dict[str, str]:
    found = {str(name): str(value) for name, value in (given or {}).items()}
    too_long = any(len(name) > METADATA_KEY_MAX or len(value) > METADATA_VALUE_MAX for name, value in found.items())
    if too_long or len(found) > METADATA_KEYS_MAX:
        raise Refused("parameter_invalid", "Metadata is too long.")
    return found
