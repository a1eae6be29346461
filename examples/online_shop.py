"""Customers, products, warehouses, orders, invoices, shipments. (AWS's sample "an online shop", one table.)"""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, Design, Index, Key, Query, Transaction, attr, collection, iso, model, part, template


@model
class Order:
    order_id: Attr[str] = part()
    customer_id: Attr[str] = attr("customerId")
    at: Attr[datetime] = attr("Date", stored_as=iso("Z", 0))
    gsi1pk: Attr[str] = template("c#{customer_id}", "GSI1PK")
    gsi1sk: Attr[str] = template("o#{at}#{order_id}", "GSI1SK")


@model
class OrderItem:
    order_id: Attr[str] = part()
    product_id: Attr[str] = part()
    quantity: Attr[int] = attr()
    at: Attr[datetime] = attr("Date", stored_as=iso("Z", 0))
    gsi1pk: Attr[str] = template("p#{product_id}", "GSI1PK")
    gsi1sk: Attr[str] = template("o#{at}#{order_id}", "GSI1SK")


@model
class Invoice:
    order_id: Attr[str] = part()
    invoice_id: Attr[str] = part()
    amount: Attr[int] = attr()


@model
class Stock:
    warehouse_id: Attr[str] = part()
    product_id: Attr[str] = part()
    quantity: Attr[int] = attr(default=0)
    gsi1pk: Attr[str] = template("stock#{product_id}", "GSI1PK")
    gsi1sk: Attr[str] = template("w#{warehouse_id}", "GSI1SK")


design = Design("online-shop", en="An online shop")
table = design.table("OnlineShop", "PK", "SK", discriminator="type", indexes=[Index("GSI1", "GSI1PK", "GSI1SK")])


@table.entity(Order, type="order")
def orders(order_id: str) -> Key:
    return Key(f"o#{order_id}", f"o#{order_id}")


@table.entity(OrderItem, type="orderItem")
def order_items(order_id: str, product_id: str) -> Key:
    return Key(f"o#{order_id}", f"p#{product_id}")


@table.entity(Invoice, type="invoice")
def invoices(order_id: str, invoice_id: str) -> Key:
    return Key(f"o#{order_id}", f"i#{invoice_id}")


@table.entity(Stock, type="warehouseItem")
def stock(warehouse_id: str, product_id: str) -> Key:
    return Key(f"w#{warehouse_id}", f"p#{product_id}")


by_customer = orders.index("GSI1")
by_product = order_items.index("GSI1")
stock_of = stock.index("GSI1")
design.relate(orders, order_items, invoices)


@design.pattern
def whole_order(order_id: str) -> Query[Order | OrderItem | Invoice]:
    """An order with its products and its invoice."""
    return collection(orders, order_items, invoices).where(Order.order_id == order_id)


@design.pattern
def orders_of(customer_id: str, start: datetime, end: datetime) -> Query[Order]:
    """A customer's orders between two times."""
    return by_customer.where(Order.customer_id == customer_id, Order.at.between(start, end))


@design.pattern
def sales_of(product_id: str, start: datetime, end: datetime) -> Query[OrderItem]:
    """In which orders a product was sold between two times."""
    return by_product.where(OrderItem.product_id == product_id, OrderItem.at.between(start, end))


@design.pattern
def inventory(product_id: str) -> Query[Stock]:
    """Where a product lies, and how many."""
    return stock_of.where(Stock.product_id == product_id)


@design.pattern
def place(order: Order, item: OrderItem, warehouse_id: str) -> Transaction:
    """An order, and less in stock, if there is enough."""
    taken = stock.update(warehouse_id, item.product_id).add(Stock.quantity, -item.quantity)
    return Transaction(orders.create(order), order_items.create(item), taken.when(Stock.quantity >= item.quantity))
