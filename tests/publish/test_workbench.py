"""A model for NoSQL Workbench."""

from __future__ import annotations

import pytest

from sekkei.design.loading import load
from sekkei.publish.workbench import model


@pytest.mark.parametrize("system", ["chiipochi", "eventbot", "lessons", "q", "tasks"])
def test_tables_facets_and_rows(system: str) -> None:
    design = load(system)
    made = model(design, "prod")
    assert [each["TableName"] for each in made["DataModel"]] == [
        design.table_name(table, "prod") for table in design.tables.values()
    ]
    for table, written in zip(design.tables.values(), made["DataModel"], strict=True):
        assert [facet["FacetName"] for facet in written["TableFacets"]] == [entity.name for entity in table.entities]
        assert len(written.get("TableData", [])) == sum(len(entity.examples) for entity in table.entities)
        assert len(written.get("GlobalSecondaryIndexes", [])) == len(table.indexes)
