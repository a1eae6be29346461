from hypothesis import given
from hypothesis import strategies as st

from sekkei.engine.items import keys
from sekkei.engine.items.page import key_range
from sekkei.engine.storage.catalogue import KeyPart, KeySchema

texts = st.text(min_size=1, max_size=6)
ONE = KeySchema((KeyPart("h", "S"),), (KeyPart("r", "S"),))
TWO = KeySchema((KeyPart("h", "S"),), (KeyPart("r", "S"), KeyPart("s", "S")))


def s(text: str) -> dict[str, str]:
    return {"S": text}


@given(texts, texts)
def test_different_partitions_never_share_a_prefix(left: str, right: str) -> None:
    a, b = keys.partition_bytes([s(left)]), keys.partition_bytes([s(right)])
    assert a.startswith(b) == (left == right)


@given(st.tuples(texts, texts), st.tuples(texts, texts))
def test_several_sort_parts_sort_part_by_part(left: tuple[str, str], right: tuple[str, str]) -> None:
    a = keys.sort_key_bytes([s(part) for part in left])
    b = keys.sort_key_bytes([s(part) for part in right])
    as_bytes = [tuple(part.encode() for part in parts) for parts in (left, right)]
    assert (a < b) == (as_bytes[0] < as_bytes[1])


OPERATORS = {
    "<": lambda value, x, y: value < x,
    "<=": lambda value, x, y: value <= x,
    ">": lambda value, x, y: value > x,
    ">=": lambda value, x, y: value >= x,
    "BETWEEN": lambda value, x, y: x <= value <= y,
    "begins_with": lambda value, x, y: value.startswith(x),
}


@given(st.sampled_from(sorted(OPERATORS)), texts, texts, texts)
def test_a_condition_on_the_sort_key_is_a_range(operator: str, value: str, x: str, y: str) -> None:
    found = key_range(ONE, [s("p")], (), operator, [s(x), s(y)])
    key = ONE.bytes_of({"h": s("p"), "r": s(value)})
    assert key is not None
    expected = OPERATORS[operator](value.encode(), x.encode(), y.encode())
    assert found.contains(key) == expected
    other = ONE.bytes_of({"h": s("q"), "r": s(value)})
    assert other is not None
    assert not found.contains(other)


@given(st.sampled_from(sorted(OPERATORS)), texts, texts, texts, texts, texts)
def test_a_condition_on_a_middle_part_is_a_range(operator: str, first: str, rest: str, x: str, y: str, z: str) -> None:
    found = key_range(TWO, [s("p")], (), operator, [s(x), s(y)])
    key = TWO.bytes_of({"h": s("p"), "r": s(first), "s": s(rest)})
    assert key is not None
    assert found.contains(key) == OPERATORS[operator](first.encode(), x.encode(), y.encode())
    within = key_range(TWO, [s("p")], [s(first)], operator, [s(x), s(z)])
    assert within.contains(key) == OPERATORS[operator](rest.encode(), x.encode(), z.encode())


@given(st.binary(min_size=4, max_size=4), st.integers(1, 1000))
def test_segments_part_the_table(hash_bytes: bytes, total: int) -> None:
    homes = []
    for segment in range(total):
        low, high = keys.segment_bounds(segment, total)
        if hash_bytes >= low and (high is None or hash_bytes < high):
            homes.append(segment)
    assert len(homes) == 1
