"""Files from anywhere: whatever they say, the answer is a design that loads or a sentence, and never code of theirs."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from sekkei.design.loading import load
from sekkei.publish.aws.tables import template
from sekkei.publish.aws.terraform import configuration
from sekkei.publish.importing import NotUnderstood, proven, tables_in
from sekkei.publish.workbench import model
from tests.publish.test_importing import NOTE, ONETABLE, TASK

KEYS = {"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"}}
DESCRIPTION = {
    "Table": {
        "TableName": "orders",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 1},
    }
}
STATE = {
    "values": {
        "root_module": {
            "resources": [
                {
                    "type": "aws_dynamodb_table",
                    "address": "aws_dynamodb_table.orders",
                    "values": {
                        "name": "orders",
                        "hash_key": "pk",
                        "attribute": [{"name": "pk", "type": "S"}, {"name": "day", "type": "S"}],
                        "ttl": [{"attribute_name": "until", "enabled": True}],
                        "global_secondary_index": [{"name": "by_day", "hash_key": "day", "projection_type": "ALL"}],
                    },
                }
            ]
        }
    }
}
EVIL: list[Any] = [
    *(None, 0, -1, 1.5, True, "", "x", [], {}, [None], {"a": 1}, [[]], {"Ref": "X"}, {"Fn::If": ["a", "b", "c"]}),
    *(
        "class",
        'a"b',
        "a'b\n",
        "{x}",
        "${x}",
        "#",
        "é²",
        "key",
        "attr",
        "part",
        "self",
        "x" * 300,
        "\\",
        "\x00",
        "日本",
    ),
    *('" + str(1 / 0) + "', "{1 / 0}", '"""\nraise SystemExit(3)\n"""', "\ud800"),
]


def sources() -> dict[str, Any]:
    design = load("eventbot")
    return {
        "cloudformation": template(design, env="x"),
        "terraform": configuration(design, env="x"),
        "workbench": model(design, "x"),
        "onetable": ONETABLE,
        "electrodb": [TASK, NOTE],
        "description": DESCRIPTION,
        "state": STATE,
    }


def places(content: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for name, inside in pairs:
        yield (*place, name)
        yield from places(inside, (*place, name))


def damaged(content: Any, chance: random.Random) -> Any:
    """Something is taken away, called otherwise, or something else."""
    whole = made = copy.deepcopy(content)
    *way, last = chance.choice(list(places(made)))
    for name in way:
        made = made[name]
    how = chance.randrange(4)
    if how == 0:
        del made[last]
    elif how == 1 and isinstance(made, dict):
        made[chance.choice([each for each in EVIL if isinstance(each, str)])] = made.pop(last)
    else:
        made[last] = copy.deepcopy(chance.choice(EVIL))
    return whole


@pytest.mark.parametrize("kind", sources())
def test_what_is_damaged_loads_or_is_refused_with_a_sentence(kind: str) -> None:
    whole, chance = sources()[kind], random.Random(kind)
    assert proven("whole", tables_in(whole))
    said = []
    for _ in range(60):
        try:
            proven("damaged", tables_in(damaged(whole, chance)))
        except NotUnderstood as error:
            said.append(str(error))
    assert said
    assert [each for each in said if len(each) < 20 or not each.strip().endswith((".", "}", "`"))] == []


ROWS: list[dict[str, Any]] = [
    {
        "pk": {"S": "USER#1"},
        "attr": {"S": "x"},
        "part": {"N": "1.50"},
        "str": {"SS": ["b", "a"]},
        "self": {"BOOL": True},
    },
    {"pk": {"S": "USER#2"}, "attr": {"N": "1"}, "x²": {"L": []}, "ﬁ": {"BS": ["AAEC"]}, "class": {"M": {}}},
    {"pk": {"S": "USER#"}, "from": {"B": "AAEC"}},
    {"pk": {"S": "KEY#1"}, '"""': {"S": '"""\nraise SystemExit(3)'}},
    {"pk": {"S": "A#1"}, "none": {"NULL": True}},
]


def test_names_that_python_or_the_design_have_already() -> None:
    found = tables_in({"DataModel": [{"TableName": "Design", "KeyAttributes": KEYS, "TableData": ROWS}]})
    text = proven("design", found)
    assert "Items have 'none' in a form that is lost" in text
    assert "class Key2" in text or "class Key_2" in text


def test_a_note_stays_in_its_line() -> None:
    name = "x\nraise SystemExit(3)"
    properties = {**DESCRIPTION["Table"], "TableName": "orders", name: 1}
    content = {"Resources": {"Orders": {"Type": "AWS::DynamoDB::Table", "Properties": properties}}}
    assert "# x raise SystemExit(3) is no part of a design" in proven("notes", tables_in(content))
    assert "SystemExit" in proven('"""\nraise SystemExit(3)\n"""', tables_in(DESCRIPTION)).splitlines()[0]


@pytest.mark.parametrize("text", ['a" + str(1 / 0) + "', "{1 / 0}", "\\", "a\nb"])
def test_a_template_of_a_key_is_text(text: str) -> None:
    schema = copy.deepcopy(ONETABLE)
    schema["models"]["Account"]["pk"]["value"] = text + "#${id}"  # type: ignore[index]
    assert proven("schema", tables_in(schema))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"sk": {"S": "x"}}, "has no pk of the type S"),
        ({"pk": {"N": "1"}}, "has no pk of the type S"),
        ({"pk": "x"}, "should be a value"),
        ({"pk": {"S": "x"}, "n": {"N": "many"}}, "should be a number"),
        ({"pk": {"S": "x"}, "b": {"B": "?"}}, "should be Base64"),
        ({"pk": {"S": "x"}, "m": {"M": {"a": 1}}}, "should be a value"),
    ],
)
def test_rows_that_dynamodb_would_not_take(row: dict[str, Any], said: str) -> None:
    with pytest.raises(NotUnderstood, match=said):
        tables_in({"DataModel": [{"TableName": "orders", "KeyAttributes": KEYS, "TableData": [row]}]})


def test_what_is_nested_or_large_beyond_measure() -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(NotUnderstood, match="nested more than 100 deep"):
        tables_in({"Resources": deep})
    many: Any = ["x"] * 10
    for _ in range(8):
        many = [many] * 10  # as references in YAML make it: small to write, large to read
    with pytest.raises(NotUnderstood, match="more than 1,000,000 parts"):
        tables_in(many)
    with pytest.raises(NotUnderstood, match="no Unicode"):
        tables_in({"\ud800": 1})


def test_many_rows_are_read_as_a_sample() -> None:
    rows = [{"pk": {"S": f"{'ABCDEFGHIJ'[n % 10]}{'KLMNOPQRST'[n // 10 % 10]}#{n}"}} for n in range(3_000)]
    (found,) = tables_in({"DataModel": [{"TableName": "orders", "KeyAttributes": KEYS, "TableData": rows}]})
    assert len(found.items) == 1_000
    assert "the first 1,000 of 3,000 rows" in proven("many", [found])


def test_two_tables_of_one_name() -> None:
    table = {"TableName": "orders", "KeyAttributes": KEYS}
    with pytest.raises(NotUnderstood, match="two tables with the name orders"):
        tables_in({"DataModel": [table, table]})
