"""Indexes that change together: no update makes or removes more than one of a table."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sekkei.design import Capacity, Index
from sekkei.publish.aws.steps import steps
from sekkei.publish.aws.tables import template
from tests.advice.conftest import thing_design

FORMS = {
    "state": lambda name: Index(name, "state"),
    "day": lambda name: Index(name, "day", "at"),
    "few": lambda name: Index(name, "email", projection="KEYS_ONLY"),
}
TABLES = st.dictionaries(st.sampled_from(["by_a", "by_b", "by_c", "by_d"]), st.sampled_from(sorted(FORMS)))


def stack(forms: dict[str, str], **options: Any) -> dict[str, Any]:
    design, _ = thing_design(*(FORMS[form](name) for name, form in forms.items()), **options)
    return template(design, env="prod")


def held(made: dict[str, Any]) -> dict[str, Any]:
    properties = made["Resources"]["ThingsTable"]["Properties"]
    return {each["IndexName"]: (each["KeySchema"], each["Projection"]) for each in properties.get(INDEXES, ())}


INDEXES = "GlobalSecondaryIndexes"


@given(TABLES, TABLES)
def test_every_update_changes_one_index_and_the_last_is_the_design(old: dict[str, str], new: dict[str, str]) -> None:
    before, wanted = stack(old), stack(new)
    for made in (*steps(before, wanted), wanted):
        here, there = held(before), held(made)
        assert all(there[name] == form for name, form in here.items() if name in there), "changed in place"
        assert len(here.keys() ^ there.keys()) <= 1
        properties = made["Resources"]["ThingsTable"]["Properties"]
        keys = [*properties["KeySchema"], *(part for each in properties.get(INDEXES, ()) for part in each["KeySchema"])]
        defined = [one["AttributeName"] for one in properties["AttributeDefinitions"]]
        assert sorted(defined) == sorted({part["AttributeName"] for part in keys})
        before = made
    assert not steps(before, wanted)


def test_an_index_that_stays_follows_its_table_at_once() -> None:
    old = stack({"by_a": "state", "by_b": "day"})
    new = stack({"by_a": "state", "by_c": "day"}, capacity=Capacity(5, 5))
    (step,) = steps(old, new)
    (index,) = step["Resources"]["ThingsTable"]["Properties"][INDEXES]
    assert index["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def test_a_table_that_is_made_comes_with_its_indexes() -> None:
    assert steps({"Resources": {}}, stack({"by_a": "state", "by_b": "day"})) == []
