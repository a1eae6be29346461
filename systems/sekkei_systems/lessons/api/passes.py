"""Memberships, ticket books, and the rules of a studio."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sekkei.clock import Clock
from sekkei.kit.typed import Line, NameLine
from sekkei.runtime import days
from sekkei.web import Operations
from sekkei_systems.lessons.api.shapes import Identifier, TimeOfDay
from sekkei_systems.lessons.design import Pass, StudioRules
from sekkei_systems.lessons.rules.passes import sentences
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import optional_time_in
from sekkei_systems.lessons.service.access import Access, Member
from sekkei_systems.lessons.service.contacts import Members
from sekkei_systems.lessons.service.passes import Entitlements
from sekkei_systems.lessons.service.rulebook import Rulebook

operations = Operations()
_Mail = Annotated[str, Line(254)]
_Number = Annotated[int, Meta(ge=0, le=366)]


class PassOut(msgspec.Struct, rename="camel"):
    id: str
    studio: str
    type: Literal["membership", "tickets", "trial"]
    name: str
    valid_from: date
    valid_until: date
    tickets_left: int | None
    """None: no limit."""


class PassesOut(msgspec.Struct):
    items: list[PassOut]


class PassIn(msgspec.Struct, rename="camel"):
    email: _Mail
    name: Annotated[str, NameLine(NAME_MAX)]
    valid_from: date
    valid_until: date
    tickets: Annotated[int, Meta(ge=1, le=1000)] | None = None
    """None: a membership."""


class RulesIn(msgspec.Struct, rename="camel"):
    """All rules at once; null is as everywhere."""

    needs_pass: bool = False
    has_trial: bool = False
    opens_days: _Number | None = None
    opens_time: TimeOfDay | None = None
    per_week: _Number | None = None
    late_takes_ticket: bool = True
    no_shows_max: _Number | None = None
    no_show_days: _Number = 30
    blocked_days: _Number = 7
    fairness: Literal["broadcast", "first-in-line"] | None = None
    minutes: dict[
        Literal[
            "hold",
            "broadcast_within",
            "stop_before",
            "quiet_period",
            "cancel_until",
            "late_within",
            "remind_before",
        ],
        Annotated[int, Meta(ge=0, le=10080)],
    ] = {}


class RulesOut(RulesIn):
    sentences: list[str] = []
    """As a member reads them."""


@operations.get("/me/passes", summary="My memberships and ticket books", tag="mine")
async def mine(member: Member, entitlements: Entitlements) -> PassesOut:
    return PassesOut([_pass_out(one) for one in await entitlements.passes_of(member.user_id)])


@operations.get("/studios/{studio}/rules", summary="A studio's rules", tag="timetable")
async def rules(member: Member, access: Access, rulebook: Rulebook, studio: Identifier, language: str) -> RulesOut:
    return await _rules_out(rulebook, access.studio(studio).code, language)


@operations.put("/studios/{studio}/rules", summary="Set a studio's rules", tag="studios")
async def set_rules(
    member: Member, access: Access, rulebook: Rulebook, clock: Clock, studio: Identifier, language: str, body: RulesIn
) -> RulesOut:
    given = msgspec.structs.asdict(body)
    given["opens_time"] = optional_time_in(body.opens_time, "opensTime")
    wanted = StudioRules(studio_code=studio, updated_at=days.now(clock), **given)
    await rulebook.save(await access.staff(member, studio), wanted)
    return await _rules_out(rulebook, studio, language)


@operations.post("/studios/{studio}/passes", summary="Give a member a pass", status=201, tag="studios")
async def give(
    member: Member, access: Access, members: Members, entitlements: Entitlements, studio: Identifier, body: PassIn
) -> PassOut:
    staff = await access.staff(member, studio)
    person = await members.by_mail(body.email)
    return _pass_out(await entitlements.give(staff, person, body.name, body.valid_from, body.valid_until, body.tickets))


def _pass_out(found: Pass) -> PassOut:
    return PassOut(
        id=found.pass_id,
        studio=found.studio_code,
        type=found.kind.value,
        name=found.name,
        valid_from=found.valid_from,
        valid_until=found.valid_until,
        tickets_left=found.tickets_left,
    )


async def _rules_out(rulebook: Rulebook, code: str, language: str) -> RulesOut:
    found, policy = await rulebook.rules(code), await rulebook.policy(code)
    return RulesOut(
        needs_pass=found.needs_pass,
        has_trial=found.has_trial,
        opens_days=found.opens_days,
        opens_time=f"{found.opens_time:%H:%M}" if found.opens_time else None,
        per_week=found.per_week,
        late_takes_ticket=found.late_takes_ticket,
        no_shows_max=found.no_shows_max,
        no_show_days=found.no_show_days,
        blocked_days=found.blocked_days,
        fairness=found.fairness,  # type: ignore[arg-type]
        minutes={name: int(value) for name, value in found.minutes.items()},  # type: ignore[misc]
        sentences=sentences(found, policy, language),
    )
