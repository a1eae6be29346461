"""What pages have in common."""

from __future__ import annotations

from datetime import date

from starlette.requests import Request

from sekkei.runtime.system import Context
from sekkei.web import User, current_user, language_of, live_url
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.reactions import topic
from sekkei_systems.lessons.rules.slots import FIRST_DAY, LAST_DAY, Slot, parse_slot
from sekkei_systems.lessons.service import Service
from sekkei_systems.lessons.service.access import member_of


def day_in(request: Request, otherwise: date) -> date:
    try:
        found = date.fromisoformat(request.query_params.get("date", ""))
    except ValueError:
        return otherwise
    return found if FIRST_DAY <= found <= LAST_DAY else otherwise


def slot_in(request: Request) -> Slot:
    return parse_slot(request.path_params["slot"])


def desk_of(request: Request, service: Service) -> str | None:
    """The studio that whoever looks runs, for the menu."""
    user = current_user(request)
    studios = service.access.run_by(member_of(user)) if user else []
    return studios[0].code if studios else None


async def known(request: Request, service: Service, user: User) -> Contact:
    """Whoever registers for something is to hear of it, also without having been asked how."""
    email = user.email if user.verified else ""
    return await service.contacts.ensure(user.id, user.name, email, language_of(request))


def live_at(request: Request, context: Context, studio_code: str) -> str:
    """Where an open page hears of changes at a studio; asked for before its data is read."""
    return live_url(request, context.live, topic(studio_code), f"/lessons/studios/{studio_code}/live")
