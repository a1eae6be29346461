"""Customers, addresses, orders and their items in one table. (The e-commerce application of The DynamoDB Book.)"""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, Design, Index, Key, Query, Transaction, Update, attr, collection, model, part, template


@model
class Customer:
    username: Attr[str] = part()
    email: Attr[str] = attr(escape=True)
    name: Attr[str] = attr()
    addresses: Attr[dict[str, str]] = attr(default_factory=dict)


@model
class CustomerEmail:
    email: Attr[str] = part(escape=True)
    username: Attr[str] = attr()


@model
class Order:
    username: Attr[str] = part()
    order_id: Attr[str] = part()
    created: Attr[datetime] = attr()
    status: Attr[str] = attr(default="PLACED")
    amount: Attr[int] = attr()
    gsi1pk: Attr[str] = template("ORDER#{order_id}", "GSI1PK")
    gsi1sk: Attr[str] = template("ORDER#{order_id}", "GSI1SK")


@model
class OrderItem:
    order_id: Attr[str] = part()
    item_id: Attr[str] = part()
    price: Attr[int] = attr()
    gsi1pk: Attr[str] = template("ORDER#{order_id}", "GSI1PK")
    gsi1sk: Attr[str] = template("ITEM#{item_id}", "GSI1SK")


design = Design("ecommerce", en="An online shop in one table")
table = design.table("shop", "PK", "SK", discriminator="Type", indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


@table.entity(Customer, type="Customer")
def customers(username: str) -> Key:
    return Key(f"CUSTOMER#{username}", f"CUSTOMER#{username}")


@table.entity(CustomerEmail, type="CustomerEmail")
def emails(email: str) -> Key:
    return Key(f"CUSTOMEREMAIL#{email}", f"CUSTOMEREMAIL#{email}")


@table.entity(Order, type="Order")
def orders(username: str, order_id: str) -> Key:
    return Key(f"CUSTOMER#{username}", f"#ORDER#{order_id}")


@table.entity(OrderItem, type="OrderItem")
def order_items(order_id: str, item_id: str) -> Key:
    return Key(f"ORDER#{order_id}#ITEM#{item_id}", f"ORDER#{order_id}#ITEM#{item_id}")


of_order = collection(orders, order_items, index="GSI1")
design.relate(customers, orders)
design.relate(orders, order_items)


@design.pattern
def register(customer: Customer) -> Transaction:
    """A new customer; neither the name nor the address may be taken."""
    return Transaction(
        customers.create(customer),
        emails.create(CustomerEmail(email=customer.email, username=customer.username)),
    )


@design.pattern
def save_address(username: str, label: str, address: str) -> Update[Customer]:
    """One address of a customer."""
    return customers.update(username).set(Customer.addresses.entry(label), address)


@design.pattern(page=10)
def customer_and_orders(username: str) -> Query[Customer | Order]:
    """A customer with the newest orders; order ids are in the order of time."""
    return collection(customers, orders).where(Customer.username == username).backwards()


@design.pattern
def place(order: Order, item: OrderItem) -> Transaction:
    """A new order with its item."""
    return Transaction(customers.must_exist(order.username), orders.create(order), order_items.create(item))


@design.pattern
def order_and_items(order_id: str) -> Query[Order | OrderItem]:
    """An order with everything in it."""
    return of_order.where(Order.order_id == order_id)


@design.pattern
def advance(username: str, order_id: str, status: str, before: str) -> Update[Order]:
    """An order's next state, if it is in the one before."""
    return orders.update(username, order_id).set(Order.status, status).when(Order.status == before)
