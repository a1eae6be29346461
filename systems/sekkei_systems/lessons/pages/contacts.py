"""How I am told and of what: preferences, addresses that are confirmed by a code, links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import Request

from sekkei.kit.typed import Line, NameLine, Token
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.runtime.settings import Settings
from sekkei.web import Form, Html, Pages, Redirect, Sent, limit
from sekkei_systems.lessons.api.contacts import CODES
from sekkei_systems.lessons.design import Contact
from sekkei_systems.lessons.pages.view import Typed, View
from sekkei_systems.lessons.rules.notices import TOPICS, addresses_of
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import optional_time_in
from sekkei_systems.lessons.service.access import Member
from sekkei_systems.lessons.service.contacts import CHANNELS, Contacts, Preferences
from sekkei_systems.lessons.texts import say

pages = Pages()
_BACK = Redirect("lessons:settings")


class PreferencesForm(msgspec.Struct):
    name: Annotated[str, NameLine(NAME_MAX)]
    channels: list[Token] = []
    topics: list[Token] = []
    language: Token = "ja"
    quiet_from: Typed | None = None
    quiet_until: Typed | None = None


class AddressForm(msgspec.Struct):
    channel: Token
    address: Annotated[Token, Meta(max_length=500)]


class CodeForm(msgspec.Struct):
    channel: Token
    code: Annotated[str, Line(300)]


@dataclass(frozen=True, slots=True)
class Shown:
    """The page, as it is and with what is wrong beside one of its forms."""

    view: View
    person: Contact
    contacts: Contacts
    settings: Settings

    async def html(self, status: int = 200, *, line_code: str = "", **forms: Form) -> Html:
        person, language, user_id = self.person, self.view.language, self.view.member.user_id
        token, addresses = self.contacts.calendar_link_of(person), addresses_of(person)
        url = f"{self.settings.public_url}/lessons/api/me/calendar.ics"
        return Html(
            "lessons/settings.html",
            status,
            view=self.view,
            person=person,
            form=forms.get("preferences") or Form(_values_of(person)),
            address_form=forms.get("address") or Form({"channel": "mail"}),
            code_form=forms.get("code") or Form(),
            blank=Form(),
            addresses=addresses,
            pending=await self.contacts.pending(user_id),
            channels=CHANNELS,
            proven=[(one, say.choice(language, "channel", one)) for one in CHANNELS if one in addresses],
            topics=[(one, say.choice(language, "topic", one)) for one in TOPICS],
            has_line=bool(self.settings.get("line_channel_secret")),
            line_code=line_code,
            feed=f"{url}?token={token}" if token else "",
        )


def _values_of(person: Contact) -> dict[str, Any]:
    return {
        "name": person.name,
        "channels": sorted(person.channels),
        "topics": [topic for topic in TOPICS if topic not in person.muted],
        "language": person.language,
        "quiet_from": f"{person.quiet_from:%H:%M}" if person.quiet_from else "",
        "quiet_until": f"{person.quiet_until:%H:%M}" if person.quiet_until else "",
    }


@pages.get("/settings", name="settings")
async def settings(shown: Shown) -> Html:
    return await shown.html()


@pages.post("/settings")
async def save(shown: Shown, member: Member, contacts: Contacts, sent: Sent[PreferencesForm]) -> Html | Redirect:
    try:
        given = sent.value
        wanted = Preferences(
            name=given.name,
            channels=given.channels,
            muted=[topic for topic in TOPICS if topic not in given.topics],
            language=given.language,
            quiet_from=optional_time_in(given.quiet_from, "quiet_from"),
            quiet_until=optional_time_in(given.quiet_until, "quiet_until"),
        )
        await contacts.prefer(member, wanted)
    except Invalid as wrong:
        return await shown.html(422, preferences=sent.refilled(wrong))
    return _BACK.flash("done.settings")


@pages.post("/settings/addresses", name="address")
async def address(
    request: Request, shown: Shown, member: Member, contacts: Contacts, sent: Sent[AddressForm]
) -> Html | Redirect:
    limit(request, CODES, "lessons-proof")
    try:
        await contacts.begin(member, sent.value.channel, sent.value.address)
    except Invalid as wrong:
        filled = sent.refilled(wrong)
        errors = {"address": next(iter(filled.errors.values()))}
        return await shown.html(422, address=Form(filled.values, errors))
    return _BACK.flash("done.code")


@pages.post("/settings/proof", name="proof")
async def proof(shown: Shown, member: Member, contacts: Contacts, sent: Sent[CodeForm]) -> Html | Redirect:
    try:
        await contacts.prove(member, sent.value.channel, sent.value.code)
    except Invalid as wrong:
        return await shown.html(422, code=sent.refilled(wrong))
    except Refusal as refusal:
        return _BACK.flash(refusal)
    return _BACK.flash("done.proven")


@pages.post("/settings/line", name="line_code")
async def line(request: Request, shown: Shown, member: Member, contacts: Contacts) -> Html:
    limit(request, CODES, "lessons-proof")
    return await shown.html(line_code=await contacts.begin_line(member))


@pages.post("/settings/forget/{channel}", name="forget")
async def forget(channel: str, person: Contact, member: Member, contacts: Contacts) -> Redirect:
    await contacts.forget(member, channel)
    return _BACK.flash("done.forgotten")


@pages.post("/settings/calendar", name="renew_calendar")
async def renew(person: Contact, member: Member, contacts: Contacts) -> Redirect:
    await contacts.renew_calendar(member)
    return _BACK.flash("done.calendar")


@pages.post("/settings/calendar/stop", name="stop_calendar")
async def stop(person: Contact, member: Member, contacts: Contacts) -> Redirect:
    await contacts.stop_calendar(member)
    return _BACK.flash("done.calendar.stopped")


@pages.post("/settings/links", name="void_links")
async def void(person: Contact, member: Member, contacts: Contacts) -> Redirect:
    await contacts.void_links(member)
    return _BACK.flash("done.links")
