"""Name and address of donors who want receipts: sealed in the store, bound to their donor, removable at any time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property

import orjson

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei.kit.text import name_line
from sekkei.runtime import days
from sekkei.runtime.sealed_texts import SealedTexts
from sekkei.runtime.settings import Settings
from sekkei_systems.chiipochi.design import details_of, donor_details, keep_details
from sekkei_systems.chiipochi.design.models import DonorDetails
from sekkei_systems.chiipochi.refusals import DetailsMissing
from sekkei_systems.chiipochi.service.access import Donor

NAME_MAX, ADDRESS_MAX = 100, 300


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a receipt is for."""

    name: str
    address: str


@dataclass
class Details:
    db: Database
    clock: Clock
    settings: Settings

    @cached_property
    def _texts(self) -> SealedTexts:
        return SealedTexts(*self.settings.secrets.keys("chiipochi/details"))

    async def of(self, donor: Donor) -> Person | None:
        found = await self.db.get(details_of(donor.user_id))
        return None if found is None else self.opened(found.sealed, donor.user_id)

    async def keep(self, donor: Donor, name: str, address: str) -> None:
        name, address = name_line(name)[:NAME_MAX], name_line(address)[:ADDRESS_MAX]
        for field, text in (("name", name), ("address", address)):
            if not text:
                raise DetailsMissing(field=field)
        sealed = self.sealed(Person(name, address), donor.user_id)
        now = days.now(self.clock)
        await self.db.write(keep_details(DonorDetails(user_id=donor.user_id, sealed=sealed, updated_at=now)))

    async def forget(self, donor: Donor) -> None:
        await self.db.write(donor_details.delete(donor.user_id))

    def sealed(self, person: Person, user_id: str) -> str:
        return self._texts.close(orjson.dumps(asdict(person)), user_id)

    def opened(self, sealed: str, user_id: str) -> Person | None:
        """None where SEKKEI_SECRET is not the one that it was sealed with."""
        text = self._texts.open(sealed, user_id)
        return None if text is None else Person(**orjson.loads(text))
