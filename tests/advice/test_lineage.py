"""The path of a pattern, and who reads and writes an attribute."""

from __future__ import annotations

from examples.online_shop import design, order_items, orders, stock
from sekkei.advice.lineage import path_of, uses_of


def test_the_path_of_a_pattern() -> None:
    whole = path_of(design.patterns["whole_order"])
    assert whole.entities == ("orders", "order_items", "invoices")
    assert whole.targets == ("OnlineShop",)
    assert path_of(design.patterns["inventory"]).targets == ("OnlineShop.GSI1",)
    assert path_of(design.patterns["place"]).entities == ("orders", "order_items", "stock")


def test_who_touches_an_attribute() -> None:
    customer = uses_of(design, orders, "customer_id")
    assert customer.keys == ["GSI1.GSI1PK"]
    assert customer.made_into == ["gsi1pk"]
    assert customer.found_by == ["orders_of"]
    assert customer.returned_by == ["whole_order", "orders_of"]
    assert customer.written_by == ["place"]
    quantity = uses_of(design, stock, "quantity")
    assert (quantity.keys, quantity.found_by, quantity.written_by) == ([], [], ["place"])
    assert uses_of(design, stock, "warehouse_id").written_by == [], "an update leaves it as it is"
    assert "PK" in uses_of(design, order_items, "order_id").keys
