"""Tags and units that whoever publishes chooses; the design itself stays as it is."""

from __future__ import annotations

import pytest

from sekkei.design import Capacity, Index, Measurements, Query, Units
from sekkei.publish.aws.chosen import chosen, units_for
from sekkei.publish.aws.tables import table_resource
from tests.advice.conftest import State, Thing, thing_design


def test_units_by_place_from_rates_and_measurements() -> None:
    design, things = thing_design(Index("by_state", "state", "at"))
    by_state = things.index("by_state")

    @design.pattern(sample={"state": State.OPEN})
    def of_state(state: State) -> Query[Thing]:
        """Things in a state."""
        found: Query[Thing] = by_state.where(Thing.state == state)
        return found

    measured = Measurements({"of_state": Units(2.0, 0.0, 5, indexes={"things.by_state": 2.0})})
    units = units_for(design, measured, {"of_state": 10.0}, peak=3.0)
    assert units == {"things": Capacity(1, 1), "things.by_state": Capacity(60, 1)}
    made = table_resource(chosen(design, {"team": "web"}, units), chosen(design, {}, units).tables["things"])
    (index,) = made["Properties"]["GlobalSecondaryIndexes"]
    assert index["ProvisionedThroughput"] == {"ReadCapacityUnits": 60, "WriteCapacityUnits": 1}
    assert design.tables["things"].capacity is None
    assert design.tables["things"].tags == {}
    with pytest.raises(LookupError, match="is not measured yet"):
        units_for(design, Measurements(), {"of_state": 1.0}, peak=1.0)
