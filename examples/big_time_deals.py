"""Deals by date, brand and category; watchers and messages. (Big Time Deals of The DynamoDB Book.)"""

from __future__ import annotations

from datetime import date, datetime

from sekkei.design import Attr, Design, Index, Key, Query, Transaction, attr, computed, iso, model, part, template


def day_of(created: datetime) -> date:
    return created.date()


@model
class Deal:
    deal_id: Attr[str] = part()
    title: Attr[str] = attr()
    brand: Attr[str] = attr()
    category: Attr[str] = attr()
    created: Attr[datetime] = attr(stored_as=iso("Z", 0))
    day: Attr[date] = computed(day_of, keep=False)
    gsi1pk: Attr[str] = template("DEALS#{day}", "GSI1PK")
    gsi2pk: Attr[str] = template("BRAND#{brand}#{day}", "GSI2PK")
    gsi3pk: Attr[str] = template("CATEGORY#{category}#{day}", "GSI3PK")
    by_id: Attr[str] = template("DEAL#{deal_id}", "DEALSK")


@model
class BrandWatcher:
    brand: Attr[str] = part()
    user: Attr[str] = part()


@model
class Brand:
    brand: Attr[str] = part()
    likes: Attr[int] = attr(default=0)
    watchers: Attr[int] = attr(default=0)


@model
class Message:
    user: Attr[str] = part()
    message_id: Attr[str] = part()
    text: Attr[str] = attr()
    unread: Attr[bool] = attr(default=True)


design = Design("big-time-deals", en="Big Time Deals")
table = design.table(
    "deals",
    "PK",
    "SK",
    discriminator="Type",
    indexes=[
        Index("GSI1", "GSI1PK", "DEALSK"),
        Index("GSI2", "GSI2PK", "DEALSK"),
        Index("GSI3", "GSI3PK", "DEALSK"),
    ],
)


@table.entity(Deal, type="Deal")
def deals(deal_id: str) -> Key:
    return Key(f"DEAL#{deal_id}", f"DEAL#{deal_id}")


@table.entity(Brand, type="Brand")
def brands(brand: str) -> Key:
    return Key(f"BRAND#{brand}", f"BRAND#{brand}")


@table.entity(BrandWatcher, type="BrandWatcher")
def brand_watchers(brand: str, user: str) -> Key:
    return Key(f"BRANDWATCH#{brand}", f"USER#{user}")


@table.entity(Message, type="Message")
def messages(user: str, message_id: str) -> Key:
    return Key(f"MESSAGES#{user}", f"MESSAGE#{message_id}")


by_day = deals.index("GSI1")
by_brand = deals.index("GSI2")
by_category = deals.index("GSI3")
design.relate(brands, deals, brand_watchers)


@design.pattern(page=25)
def deals_on(day: date) -> Query[Deal]:
    """The deals of a day, the newest first; ids are in the order of time."""
    return by_day.where(Deal.day == day).backwards()


@design.pattern(page=25)
def deals_of_brand(brand: str, day: date) -> Query[Deal]:
    """A brand's deals of a day, the newest first."""
    return by_brand.where(Deal.brand == brand, Deal.day == day).backwards()


@design.pattern(page=25)
def deals_of_category(category: str, day: date) -> Query[Deal]:
    """A category's deals of a day, the newest first."""
    return by_category.where(Deal.category == category, Deal.day == day).backwards()


@design.pattern
def watch(brand: str, user: str) -> Transaction:
    """Be told of a brand's deals, once."""
    return Transaction(
        brand_watchers.create(BrandWatcher(brand=brand, user=user)), brands.upsert(brand).add(Brand.watchers, 1)
    )


@design.pattern
def watchers_of(brand: str) -> Query[BrandWatcher]:
    """Whom to tell of a brand's new deal."""
    return brand_watchers.where(BrandWatcher.brand == brand)


@design.pattern
def messages_of(user: str) -> Query[Message]:
    """Somebody's messages, the newest first."""
    return messages.where(Message.user == user).backwards()
