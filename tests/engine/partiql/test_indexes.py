"""SELECT from an index: what it holds, what it costs, what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.partiql.running import Running, s, sort_keys

V = "ValidationException"
NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "


@pytest.fixture
async def indexed(running: Running) -> Running:
    def both(one: str) -> dict[str, Any]:
        return {"gsiPk2": s("y"), "lsiSk": s("l" + one), "projattr": s("proj" + one), "nonproj": s("np" + one)}

    await running.put("wide", pk=s("p"), sk=s("s1"), gsiPk=s("x"), **both("1"))
    await running.put("wide", pk=s("p"), sk=s("s2"), gsiPk=s("z"), **both("2"))
    await running.put("wide", pk=s("p"), sk=s("s3"), nonproj=s("np3"))
    await running.put("wide", pk=s("p"), sk=s("s4"), gsiPk=s("x"), **both("4"))
    await running.put("wide", pk=s("q"), sk=s("s5"), gsiPk2=s("y2"), projattr=s("proj5"), nonproj=s("np5"))
    return running


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('SELECT sk FROM "wide"."gsi-all" WHERE gsiPk = \'x\'', "s1 s4"),
        ('SELECT sk FROM "wide"."gsi-all"', "s1 s2 s4"),
        ("SELECT sk FROM \"wide\".\"gsi-all\" WHERE pk = 'p' AND sk = 's2'", "s2"),
        ('SELECT sk FROM "wide"."lsi-keys" WHERE pk = \'p\'', "s1 s2 s4"),
        ("SELECT sk FROM \"wide\".\"lsi-keys\" WHERE pk = 'p' AND lsiSk BETWEEN 'l1' AND 'l2'", "s1 s2"),
        ('SELECT sk FROM "wide"."lsi-keys" WHERE pk = \'p\' ORDER BY lsiSk DESC', "s4 s2 s1"),
        ("SELECT sk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 = 'y' AND projattr = 'proj1'", "s1"),
        ('SELECT sk FROM "wide"."gsi-inc" WHERE nonproj = \'np1\'', ""),
        ('SELECT sk FROM "wide"."lsi-keys" WHERE nonproj = \'np1\'', ""),
        ('SELECT sk FROM "wide"."gsi-keys" WHERE NOT nonproj = \'np1\'', "s1 s2 s4 s5"),
        ("SELECT sk FROM \"wide\".\"gsi-inc\" WHERE (gsiPk2 = 'y' AND nonproj = 'np1') OR (gsiPk2 = 'y2')", "s5"),
        ("SELECT sk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 > 'a' AND nonproj = 'x'", ""),
    ],
)
async def test_an_index_is_read(indexed: Running, statement: str, expected: str) -> None:
    found = sort_keys(await indexed.items(statement))
    assert " ".join(found if "ORDER" in statement else sorted(found)) == expected


@pytest.mark.parametrize(
    ("index", "key", "names"),
    [
        ("gsi-keys", "gsiPk2 = 'y'", "gsiPk2 pk sk"),
        ("gsi-inc", "gsiPk2 = 'y'", "gsiPk2 pk projattr sk"),
        ("lsi-keys", "pk = 'p'", "lsiSk pk sk"),
    ],
)
async def test_the_star_is_what_the_index_holds(indexed: Running, index: str, key: str, names: str) -> None:
    answer = await indexed.run(f'SELECT * FROM "wide"."{index}" WHERE {key}', ReturnConsumedCapacity="INDEXES")
    assert len(answer["Items"]) == 3
    assert {" ".join(sorted(item)) for item in answer["Items"]} == {names}
    assert answer["ConsumedCapacity"]["Table"]["CapacityUnits"] == 0


async def test_a_local_index_reaches_back_and_pays_for_it(indexed: Running) -> None:
    async def used(columns: str, **members: Any) -> tuple[float, float]:
        answer = await indexed.run(
            f'SELECT {columns} FROM "wide"."lsi-keys" WHERE pk = \'p\'', ReturnConsumedCapacity="INDEXES", **members
        )
        capacity = answer["ConsumedCapacity"]
        local: float = capacity["LocalSecondaryIndexes"]["lsi-keys"]["CapacityUnits"]
        return capacity["Table"]["CapacityUnits"], local

    assert await used("nonproj") == (1.5, 0.5)
    assert await used("nonproj", ConsistentRead=True) == (3, 1)
    assert await used("nonproj", Limit=1) == (0.5, 0.5)
    assert await used("lsiSk") == (0, 0.5)
    found = await indexed.items('SELECT nonproj FROM "wide"."lsi-keys" WHERE pk = \'p\'')
    assert [item["nonproj"]["S"] for item in found] == ["np1", "np2", "np4"]


_UNPROJECTED = (
    "One or more parameter values were invalid: Secondary index {} does not project one or more filter attributes: "
)


@pytest.mark.parametrize(
    ("select", "message"),
    [
        (
            'SELECT nonproj, other FROM "wide"."gsi-inc" WHERE gsiPk2 = \'y\'',
            "One or more parameter values were invalid: Global secondary index gsi-inc does not project "
            "[nonproj, other]",
        ),
        (
            'SELECT nonproj FROM "wide"."gsi-inc"',
            "One or more parameter values were invalid: Global secondary index gsi-inc does not project [nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 = 'y' AND nonproj = 'x'",
            _UNPROJECTED.format("gsi-inc") + "[nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"lsi-keys\" WHERE pk = 'p' AND lsiSk > 'a' AND nonproj IS MISSING",
            _UNPROJECTED.format("lsi-keys") + "[nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 IN ['y', 'z'] AND begins_with(nonproj, 'n')",
            _UNPROJECTED.format("gsi-inc") + "[nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"gsi-inc\" WHERE gsiPk2 = 'y' AND NOT (nonproj = 'x' OR projattr = 'y')",
            _UNPROJECTED.format("gsi-inc") + "[nonproj]",
        ),
        (
            "SELECT pk FROM \"wide\".\"gsi-inc\" WHERE (gsiPk2='q' AND u1='1') OR (gsiPk2='b' AND u2='1')",
            _UNPROJECTED.format("gsi-inc") + "[u1]",
        ),
    ],
)
async def test_an_index_holds_what_it_holds(indexed: Running, select: str, message: str) -> None:
    assert await indexed.refused(select) == (V, message)


async def test_a_global_index_is_not_read_consistently(indexed: Running) -> None:
    assert await indexed.refused('SELECT * FROM "wide"."gsi-all" WHERE gsiPk = \'x\'', ConsistentRead=True) == (
        V,
        "Strongly consistent read is not supported on Global Secondary Indexes",
    )
    assert await indexed.items('SELECT * FROM "wide"."lsi-all" WHERE pk = \'p\'', ConsistentRead=True)


async def test_a_key_of_several_attributes_is_not_for_partiql(running: Running) -> None:
    await running.engine.call(
        "CreateTable",
        {
            "TableName": "multi",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": x, "AttributeType": "S"} for x in ("id", "h1", "h2", "r1")],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "gsi",
                    "KeySchema": [
                        {"AttributeName": "h1", "KeyType": "HASH"},
                        {"AttributeName": "h2", "KeyType": "HASH"},
                        {"AttributeName": "r1", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        },
    )
    refused = (
        V,
        "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.",
    )
    for rest in ("WHERE h1 = 'a'", "WHERE h1 = 5", "", "WHERE h1 = 'a' ORDER BY r1"):
        assert await running.refused(f'SELECT * FROM "multi"."gsi" {rest}') == refused
    assert await running.refused('SELECT COUNT(*) FROM "multi"."gsi"') == refused
    assert (await running.refused('SELECT * FROM "multi"."gsi" WHERE'))[1] == NOT_WELL_FORMED + "Unexpected term"
    await running.run("INSERT INTO multi VALUE {'id': 'a', 'h1': 'x'}")
    assert len(await running.items("SELECT * FROM multi WHERE id = 'a'")) == 1
