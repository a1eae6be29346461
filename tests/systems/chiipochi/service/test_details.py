"""Name and address are sealed, belong to their donor, and can be removed."""

from __future__ import annotations

import pytest

from sekkei_systems.chiipochi.design import details_of
from sekkei_systems.chiipochi.refusals import DetailsMissing
from sekkei_systems.chiipochi.service.access import Donor
from sekkei_systems.chiipochi.service.details import ADDRESS_MAX, NAME_MAX, Person
from tests.systems.chiipochi.conftest import AOI, REN, Bot


async def test_what_is_kept_can_be_read_by_us_alone_and_removed(quick_bot: Bot) -> None:
    details = quick_bot.service.details
    assert await details.of(Donor(AOI)) is None
    await details.keep(Donor(AOI), "青木 葵" * 99, "千葉市" * 199)
    found = await details.of(Donor(AOI))
    assert found == Person(("青木 葵" * 99)[:NAME_MAX], ("千葉市" * 199)[:ADDRESS_MAX])
    row = await quick_bot.db.need(details_of(AOI))
    assert "青木" not in row.sealed
    assert details.opened(row.sealed, REN) is None, "copied to another donor it does not open"
    await details.forget(Donor(AOI))
    assert await details.of(Donor(AOI)) is None


async def test_a_name_reads_as_it_is(quick_bot: Bot) -> None:
    details = quick_bot.service.details
    await details.keep(Donor(AOI), "\u202e葵\x00 \n青木\u2066 👨\u200d👩", " 千葉市\u200f ")
    assert await details.of(Donor(AOI)) == Person("葵 青木 👨\u200d👩", "千葉市")
    with pytest.raises(DetailsMissing):
        await details.keep(Donor(AOI), "\u202e\x00", "千葉市")
