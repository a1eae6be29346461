"""Ten published designs, as a new user writes them: each pattern carried out, on four stores."""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from examples import (
    big_time_deals,
    complaint_management,
    device_state_log,
    ecommerce,
    gaming_profile,
    github,
    online_shop,
    recurring_payments,
    session_store,
    social_network,
)
from sekkei.design import ConditionFailed, Design, SyncDatabase, TransactionFailed
from sekkei.store import Embedded, Remote
from sekkei.testing import LocalServer
from tests.examples.through_boto3 import ThroughBoto3

NOW = datetime(2025, 9, 1, 12, tzinfo=UTC)
LATER = datetime.now(UTC) + timedelta(days=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NAMES = sorted(path.stem for path in Path(session_store.__file__).parent.glob("[!_]*.py"))
STORES = ("embedded", "engine", "boto3", "ministack")


@pytest.fixture(params=STORES)
def opened(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[Design], SyncDatabase]]:
    """Opens a design with tables of its own."""
    server = LocalServer() if request.param in ("engine", "boto3") else None
    if request.param == "embedded":
        store: Any = Embedded()
    elif request.param == "boto3":
        assert server is not None
        store = ThroughBoto3(server.url)
    elif server is not None:
        store = server.store()
    else:
        url = request.getfixturevalue("ministack_endpoint")
        store = Remote(region="us-east-1", endpoint_url=url, credentials=("local", "local"))
    made: list[SyncDatabase] = []

    def open_design(design: Design) -> SyncDatabase:
        for table in design.tables.values():
            monkeypatch.setattr(table, "naming", "{env}-{table}")
        made.append(design.open_sync(store, env=uuid.uuid4().hex[:8], measure=True))
        made[-1].create_tables()
        return made[-1]

    yield open_design
    for db in made:
        db.close()
    if server is not None:
        server.close()


def the_session_store(db: SyncDatabase) -> None:
    m = session_store
    for token in ("a", "b"):
        db.write(m.begin(m.Session(token=token, username="mika", created=NOW, expires=LATER)))
    with pytest.raises(ConditionFailed):
        db.write(m.begin(m.Session(token="a", username="ren", created=NOW, expires=LATER)))
    db.write(m.begin(m.Session(token="old", username="mika", created=NOW, expires=NOW)))
    assert db.get(m.session("old")) is None
    assert {one.token for one in db.all(m.sessions_of("mika"))} == {"a", "b"}
    db.write(m.end("a"))
    assert db.get(m.session("a")) is None


def the_ecommerce(db: SyncDatabase) -> None:
    m = ecommerce
    db.transact(m.register(m.Customer(username="mika", email="m@x.org", name="Mika")))
    with pytest.raises(TransactionFailed) as failed:
        db.transact(m.register(m.Customer(username="other", email="m@x.org", name="Ren")))
    assert len(failed.value.reasons) == 1
    assert db.write(m.save_address("mika", "home", "1-1")).addresses == {"home": "1-1"}
    for number in ("1", "2"):
        order = m.Order(username="mika", order_id=number, created=NOW, amount=5)
        db.transact(m.place(order, m.OrderItem(order_id=number, item_id="i", price=5)))
    page = db.page(m.customer_and_orders("mika"))
    assert [type(one).__name__ for one in page] == ["Customer", "Order", "Order"]
    assert [type(one).__name__ for one in db.all(m.order_and_items("1"))] == ["OrderItem", "Order"]
    db.write(m.advance("mika", "1", "SHIPPED", "PLACED"))
    with pytest.raises(ConditionFailed):
        db.write(m.advance("mika", "1", "SHIPPED", "PLACED"))


def the_github(db: SyncDatabase) -> None:
    m = github
    db.write(m.users.create(m.User(name="mika")))
    with pytest.raises(ConditionFailed):
        db.write(m.organisations.create(m.Organisation(name="mika")))
    db.transact(m.create_repo(m.Repo(owner="mika", name="r")))
    for _ in range(3):
        number = db.write(m.next_number("mika", "r")).numbers
        db.transact(m.open_issue(m.Issue(owner="mika", name="r", number=number, title="t")))
    db.write(m.issues.update("mika", "r", 2).set(m.Issue.status, "Closed"))
    for user in ("a", "b"):
        db.transact(m.star("mika", "r", user))
    with pytest.raises(TransactionFailed):
        db.transact(m.star("mika", "r", "a"))
    assert [type(one).__name__ for one in db.all(m.repo_and_issues("mika", "r"))] == ["Issue"] * 3 + ["Repo"]
    assert [one.number for one in db.all(m.issues_by_status("mika", "r", "Open"))] == [3, 1]
    assert [one.user for one in db.all(m.stargazers("mika", "r"))] == ["a", "b"]
    assert [one.stars for one in db.all(m.repos_of("mika"))] == [2]


def the_device_state_log(db: SyncDatabase) -> None:
    m = device_state_log
    for number, state in enumerate(("NORMAL", "WARNING1", "WARNING1", "WARNING4")):
        db.write(m.logs.create(m.Log(device_id="d", state=state, at=NOW + number * HOUR, operator="Liz")))
    assert [one.at for one in db.all(m.logs_in_state("d", "WARNING1"))] == [NOW + 2 * HOUR, NOW + HOUR]
    assert len(db.all(m.logs_between("Liz", NOW, NOW + 2 * HOUR))) == 3
    db.write(m.escalate("d", "WARNING4", NOW + 3 * HOUR, "Sara"))
    assert [one.state for one in db.all(m.escalated_logs("Sara", "WARNING4"))] == ["WARNING4"]
    assert db.all(m.escalated_logs("Sara", "WARNING1")) == []


def the_gaming_profile(db: SyncDatabase) -> None:
    m = gaming_profile
    db.write(m.players.create(m.Player(player_id="1", name="mika", coins=10)))
    db.write(m.friends.create(m.Friend(player_id="1", friend_id="2")))
    db.transact(m.buy("1", "sword", 7))
    with pytest.raises(TransactionFailed):
        db.transact(m.buy("1", "sword", 7))
    assert db.need(m.profile("1")).coins == 3
    assert len(db.all(m.friends_of("1"))) == 1
    assert {type(one).__name__ for one in db.all(m.whole_profile("1"))} == {"Player", "Friend", "Thing"}


def the_social_network(db: SyncDatabase) -> None:
    m = social_network
    db.write(m.profiles.create(m.Profile(user_id="1", name="mika")))
    db.transact(m.follow("1", "2"))
    with pytest.raises(TransactionFailed):
        db.transact(m.follow("1", "2"))
    for number in ("a", "b"):
        db.transact(m.publish(m.Post(user_id="1", post_id=number, text="x")))
    for follower in db.all(m.followers_of("1")):
        db.write(m.timelines.put(m.Timeline(user_id=follower.follower_id, post_id="b", author="1", expires=LATER)))
    db.write(m.likes.create(m.Like(post_id="b", liker_id="2")))
    person, counted = db.get_many(m.user("1"))
    assert (person.name, counted.posts, counted.followers) == ("mika", 2, 1)  # type: ignore[union-attr]
    assert [one.post_id for one in db.all(m.posts_of("1"))] == ["b", "a"]
    assert [one.author for one in db.all(m.timeline_of("2"))] == ["1"]
    assert len(db.all(m.likes_of("b"))) == 1


def the_complaint_management(db: SyncDatabase) -> None:
    m = complaint_management
    for number in ("1", "2"):
        db.write(m.complaints.create(m.Complaint(complaint_id=number, customer_id="c", created=NOW, agent_id="a")))
    talk = m.communications
    for hour in range(3):
        db.write(talk.create(m.Communication(complaint_id="1", at=NOW + hour * HOUR, communication_id="x", text="t")))
    assert len(db.all(m.whole_complaint("1"))) == 4
    assert len(db.all(m.communications_since("1", NOW + HOUR))) == 2
    assert len(db.all(m.complaints_of("c", NOW))) == 2
    assert db.all(m.escalations("P2")) == []
    db.write(m.escalate("1", NOW))
    assert [one.complaint_id for one in db.all(m.escalations("P2"))] == ["1"]
    assert [one.complaint_id for one in db.all(m.work_of("a", "P2"))] == ["1", "2"]


def the_recurring_payments(db: SyncDatabase) -> None:
    m = recurring_payments
    first, second = date(2025, 9, 1), date(2025, 10, 1)
    new = m.Subscription(account_id="1", product_id="p", yen=500, remind_on=first - DAY, pay_on=first)
    db.write(m.subscriptions.create(new))
    assert len(db.all(m.to_remind(first - DAY))) == len(db.all(m.to_pay(first))) == 1
    receipt = m.Receipt(account_id="1", product_id="p", at=NOW, yen=500, expires=LATER)
    db.transact(m.paid(receipt, first, second))
    with pytest.raises(TransactionFailed):
        db.transact(m.paid(receipt, first, second))
    assert db.all(m.to_pay(first)) == []
    assert [one.pay_on for one in db.all(m.subscriptions_of("1"))] == [second]
    assert len(db.all(m.receipts_since("1", NOW))) == 1


def the_online_shop(db: SyncDatabase) -> None:
    m = online_shop
    db.write(m.stock.create(m.Stock(warehouse_id="w", product_id="p", quantity=3)))
    item = m.OrderItem(order_id="1", product_id="p", quantity=2, at=NOW)
    db.transact(m.place(m.Order(order_id="1", customer_id="c", at=NOW), item, "w"))
    more = m.OrderItem(order_id="2", product_id="p", quantity=2, at=NOW)
    with pytest.raises(TransactionFailed):
        db.transact(m.place(m.Order(order_id="2", customer_id="c", at=NOW), more, "w"))
    db.write(m.invoices.create(m.Invoice(order_id="1", invoice_id="i", amount=5)))
    assert {type(one).__name__ for one in db.all(m.whole_order("1"))} == {"Order", "OrderItem", "Invoice"}
    assert len(db.all(m.orders_of("c", NOW - HOUR, NOW + HOUR))) == 1
    assert len(db.all(m.sales_of("p", NOW - HOUR, NOW + HOUR))) == 1
    assert [one.quantity for one in db.all(m.inventory("p"))] == [1]


def the_big_time_deals(db: SyncDatabase) -> None:
    m = big_time_deals
    for number in ("1", "2"):
        deal = m.Deal(deal_id=number, title="t", brand="b", category="c", created=NOW)
        db.write(m.deals.create(deal))
    assert [one.deal_id for one in db.all(m.deals_on(NOW.date()))] == ["2", "1"]
    assert len(db.all(m.deals_of_brand("b", NOW.date()))) == len(db.all(m.deals_of_category("c", NOW.date()))) == 2
    db.transact(m.watch("b", "mika"))
    with pytest.raises(TransactionFailed):
        db.transact(m.watch("b", "mika"))
    for watcher in db.all(m.watchers_of("b")):
        db.write(m.messages.create(m.Message(user=watcher.user, message_id="1", text="new")))
    assert [one.unread for one in db.all(m.messages_of("mika"))] == [True]


@pytest.mark.parametrize("name", NAMES)
def test_every_pattern_works(name: str, opened: Callable[[Design], SyncDatabase]) -> None:
    design: Design = importlib.import_module(f"examples.{name}").design
    db = opened(design)
    globals()[f"the_{name}"](db)
    asked = set(db.measurements.units)
    assert asked >= {pattern for pattern in design.patterns if pattern != "user"}, set(design.patterns) - asked


def test_there_are_ten() -> None:
    assert len(NAMES) == 10
