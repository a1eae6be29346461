"""What DynamoDB would refuse when tables are made is refused when the design loads, with a number and a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sekkei.design import Attr, Capacity, Design, DesignError, Index, Key, LocalIndex, attr, model
from sekkei.design.provisioning import create_request


@model
class Thing:
    id: Attr[str]
    at: Attr[str] = attr(default="x")
    flag: Attr[bool] = attr(default=False)
    tags: Attr[frozenset[str]] = attr(default=frozenset())
    size: Attr[int] = attr(default=0)


def table(name: str = "things", pk: str = "id", sk: str | None = "at", naming: str = "{table}", **options: Any) -> Any:
    return Design("x", tables=naming).table(name, pk, sk, **options)


def loaded(**options: Any) -> Design:
    design = Design("x")
    made = design.table("things", "id", "at", **options)

    @made.entity(Thing)
    def things(id: str, at: str) -> Key:
        return Key(id, at)

    design.check()
    return design


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (lambda: table(indexes=[Index(f"i-{n:02d}", "size") for n in range(21)]), r"SK155.*21.*20 global"),
        (lambda: table(indexes=[LocalIndex(f"i-{n:02d}", "size") for n in range(6)]), r"SK155.*6.*5 local"),
        (lambda: table(sk=None, indexes=[LocalIndex("by-size", "size")]), r"SK159.*by-size.*sort key"),
        (lambda: table(name="ab"), r"SK157.*'ab'.*3 to 255"),
        (lambda: table(name="日本"), r"SK157.*has '日本' in its name"),
        (lambda: table(name="x" * 250, naming="{env}-long-{table}"), r"SK157.*255"),
        (lambda: table(indexes=[Index("by size", "size")]), r"SK157.*'by size' has ' ' in its name"),
        (lambda: table(pk=""), r"SK157"),
        (lambda: table(pk="x" * 256), r"SK157"),
        (lambda: table(pk="id", sk="id"), r"SK159.*id"),
        (lambda: table(indexes=[Index("by-size", "size", "size")]), r"SK159.*by-size.*size"),
        (lambda: Index("by-size", "size", projection="SOME"), r"SK158.*SOME"),
        (lambda: Index("by-size", "size", projection=()), r"SK158.*nothing"),
        (lambda: Index("by-size", "size", projection=("a", "a")), r"SK158.*'a'.*twice"),
        (lambda: Index("by-size", "size", projection="name"), r"SK158.*'name'.*\('name',\)"),
        (
            lambda: table(
                indexes=[
                    Index(f"i-{n}", "size", projection=[f"a{m:02d}" for m in range(60 * n, 60 * n + 60)])
                    for n in range(2)
                ]
            ),
            r"SK155.*120.*100",
        ),
        (lambda: Capacity(0, 1), r"SK155.*0"),
        (lambda: loaded(indexes=[Index("by-flag", "flag")]), r"SK156.*flag.*BOOL"),
        (lambda: loaded(indexes=[Index("by-tags", "tags")]), r"SK156.*tags.*SS"),
        (lambda: loaded(indexes=[Index("by-size", "size", projection=("nobody",))]), r"SK158.*nobody"),
        (lambda: loaded(ttl="nobody"), r"SK161.*nobody.*things"),
    ],
)
def test_a_limit_is_named_when_the_design_loads(build: Callable[[], Any], told: str) -> None:
    with pytest.raises(DesignError, match=told):
        build()


def test_a_projection_may_be_a_list() -> None:
    design = loaded(indexes=[Index("by-size", "size", projection=["flag"])])
    made = create_request(design.tables["things"], "things")["GlobalSecondaryIndexes"][0]
    assert made["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["flag"]}
