"""Buttons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from sekkei.design import TransactionFailed
from sekkei_systems.eventbot.design import Answer as Reply
from sekkei_systems.eventbot.design import Event
from sekkei_systems.eventbot.jobs.removal import REMOVE
from sekkei_systems.eventbot.ports.discord.rest import Code
from sekkei_systems.eventbot.refusals import ChooseOption, NoSuchMember, NoSuchOption, NotIn
from sekkei_systems.eventbot.rules import modals, panels, render
from sekkei_systems.eventbot.rules.identifiers import Press, custom_id, is_snowflake, read_custom_id, uuid_of
from sekkei_systems.eventbot.rules.markdown import escaped, mention
from sekkei_systems.eventbot.rules.render import code_of
from sekkei_systems.eventbot.service.access import Host
from sekkei_systems.eventbot.service.members import members_in_order, view_of_event
from sekkei_systems.eventbot.texts import Wording
from sekkei_systems.eventbot.webhooks import interactions
from sekkei_systems.eventbot.webhooks.interactions import Answer, Asked, PressHandler, Tools

# The organiser's hands in Discord: people are chosen from menus, then added, removed or moved; who came is noted.


def chosen(asked: Asked) -> list[str]:
    """The values of a menu."""
    values = asked.interaction.data.get("values")
    return [one for one in values if isinstance(one, str)] if isinstance(values, list) else []


@dataclass
class People:
    """One method a verb."""

    tools: Tools

    def __post_init__(self) -> None:
        self.verbs: dict[str, PressHandler] = {
            "people": self.people,
            "person": self.person,
            "pseat": self.seat,
            "pseatin": self.seat,
            "premove": self.remove,
            "pmove": self.move,
            "attend": self.attendance,
            "attended": self.attended,
        }

    async def _host(self, asked: Asked, press: Press) -> Host:
        return await self.tools.service.access.host(asked.actor, f"EVT#{press.uuid}")

    async def people(self, asked: Asked, press: Press) -> Answer:
        return interactions.message(panels.people_message((await self._host(asked, press)).event, asked.words))

    async def person(self, asked: Asked, press: Press) -> Answer:
        host, values = await self._host(asked, press), chosen(asked)
        if len(values) != 1 or not is_snowflake(values[0]):
            raise NoSuchMember()
        return await self._shown(asked, host, values[0])

    async def _shown(self, asked: Asked, host: Host, user_id: str, said: str = "") -> Answer:
        view = await self.tools.service.events.view(host.event.guild_id, host.event.event_id)
        return interactions.update(panels.person_message(view, user_id, asked.words, said))

    def _who(self, press: Press) -> str:
        if not is_snowflake(press.more):
            raise NoSuchMember()
        return press.more

    async def seat(self, asked: Asked, press: Press) -> Answer:
        host, user_id, values = await self._host(asked, press), self._who(press), chosen(asked)
        name = await self.tools.service.guilds.member_name(host.event.guild_id, user_id)
        await self.tools.service.hands.seat(host, user_id, name, values[0] if values else None)
        return await self._shown(asked, host, user_id, asked.words("bot.person-added", mention=mention(user_id)))

    async def remove(self, asked: Asked, press: Press) -> Answer:
        host, user_id = await self._host(asked, press), self._who(press)
        await self.tools.service.hands.unseat(host, user_id)
        return await self._shown(asked, host, user_id, asked.words("bot.person-removed", mention=mention(user_id)))

    async def move(self, asked: Asked, press: Press) -> Answer:
        host, user_id, values = await self._host(asked, press), self._who(press), chosen(asked)
        if not values or values[0] not in host.event.options:
            raise NoSuchOption()
        await self.tools.service.hands.move(host, user_id, values[0])
        name = escaped(host.event.options[values[0]].name)
        said = asked.words("bot.person-moved", mention=mention(user_id), name=name)
        return await self._shown(asked, host, user_id, said)

    async def attendance(self, asked: Asked, press: Press) -> Answer:
        view = await view_of_event(self.tools.service.desk.db, (await self._host(asked, press)).event)
        message = panels.attendance_message(view, _page_number(press), asked.words)
        turning = asked.interaction.from_private and press.more != "0"
        return interactions.update(message) if turning else interactions.message(message)

    async def attended(self, asked: Asked, press: Press) -> Answer:
        """Those of the page who are chosen were there; the others of the page were not."""
        host, page = await self._host(asked, press), _page_number(press)
        view = await view_of_event(self.tools.service.desk.db, host.event)
        among = {one.user_id for one in panels.attendance_page(view, page)}
        count = await self.tools.service.hands.attend(host, set(chosen(asked)), among)
        view = await self.tools.service.events.view(host.event.guild_id, host.event.event_id)
        said = asked.words("bot.done-attend", n=count)
        return interactions.update(panels.attendance_message(view, page, asked.words, said))


def _page_number(press: Press) -> int:
    return int(press.more) if press.more.isascii() and press.more.isdigit() and len(press.more) < 6 else 0


UNTIL_ANSWERED = timedelta(seconds=1)
"""What is to follow an answer is written down before it; Discord takes it afterwards only."""
_EventModal = Callable[[Event, Wording, str], render.Payload]
_INLINE_MEMBERS_MAX = 60
"""Up to here the pressed message is drawn anew in the answer; with more, reading them all would cost every press, and
the edit that follows within a second draws it once for all."""


@dataclass
class Presses:
    """One method a verb. What the custom_id says is only where to look: everything is read and checked anew."""

    tools: Tools
    people: People

    def __post_init__(self) -> None:
        self._verbs: dict[str, PressHandler] = {
            "join": self.join,
            "option": self.option,
            "lateoption": self.option,
            "late": self.late,
            "leave": self.leave,
            "maybe": self.reply,
            "no": self.reply,
            "members": self.members,
            "notices": self.notices,
            "panel": self.panel,
            "edit": self.edit,
            "editone": self.edit_one,
            "pause": self.pause,
            "resume": self.resume,
            "details": self.details,
            "options": self.options,
            "close": self.close,
            "reopen": self.reopen,
            "cancel": self.cancel,
            "cancelyes": self.cancel_sure,
            "cancelall": self.cancel_sure,
            "delete": self.delete,
            "deleteyes": self.delete_sure,
            "newnotice": self.new_notice,
            "template": self.template,
            "repost": self.repost,
            "again": self.again,
            "ack": self.confirm,
            "unacked": self.unconfirmed,
            "nclose": self.close_notice,
            "nhide": self.hide_notice,
            "nshow": self.hide_notice,
            "list": self.list,
            "mine": self.list,
            "past": self.list,
            "tell": self.tell,
            "retry": self.retry,
            **self.people.verbs,
        }

    async def handle(self, asked: Asked) -> Answer:
        press = read_custom_id(str(asked.interaction.data.get("custom_id", "")))
        handler = self._verbs.get(press.verb) if press else None
        if press is None or handler is None:
            return interactions.message(render.private(asked.words("bot.old-button")))
        return await handler(asked, press)

    def _said(self, asked: Asked, text: str) -> Answer:
        return interactions.message(render.private(text))

    # Taking part

    async def join(self, asked: Asked, press: Press) -> Answer:
        try:
            joined = await self.tools.service.joining.join(asked.actor, f"EVT#{press.uuid}")
        except ChooseOption:
            return await self._which(asked, press)
        said = asked.words("bot.queued" if joined.waiting else "bot.joined")
        if joined.before.member_count > _INLINE_MEMBERS_MAX:
            return self._said(asked, said)
        return await self._event_after(asked, press, said, tell=joined.waiting)

    async def _which(self, asked: Asked, press: Press, verb: str = "option") -> Answer:
        view = await self.tools.service.events.view(asked.actor.guild_id, f"EVT#{press.uuid}")
        return interactions.message(render.choose_message(view, asked.words, verb))

    async def option(self, asked: Asked, press: Press) -> Answer:
        event_id, late = f"EVT#{press.uuid}", press.verb == "lateoption"
        joined = await self.tools.service.joining.choose(asked.actor, event_id, press.more, late=late)
        name = joined.before.options[press.more].name
        key = "bot.queued-option" if joined.waiting else "bot.joined-option"
        said = asked.words(key, name=escaped(name))
        if joined.before.member_count > _INLINE_MEMBERS_MAX:
            return self._said(asked, said)
        return await self._event_after(asked, press, said, tell=joined.waiting)

    async def late(self, asked: Asked, press: Press) -> Answer:
        """Whoever takes part says so, or takes it back; whoever does not joins late."""
        try:
            late = await self.tools.service.joining.come_late(asked.actor, f"EVT#{press.uuid}")
        except NotIn:
            return await self._which(asked, press, "lateoption")
        return await self._event_after(asked, press, asked.words("bot.late-yes" if late else "bot.late-no"))

    async def leave(self, asked: Asked, press: Press) -> Answer:
        await self.tools.service.joining.leave(asked.actor, f"EVT#{press.uuid}")
        return await self._event_after(asked, press, asked.words("bot.left"))

    async def reply(self, asked: Asked, press: Press) -> Answer:
        answer = Reply.MAYBE if press.verb == "maybe" else Reply.NO
        await self.tools.service.joining.answer(asked.actor, f"EVT#{press.uuid}", answer)
        return await self._event_after(asked, press, asked.words("bot.answered"))

    async def _event_after(self, asked: Asked, press: Press, said: str, *, tell: bool = False) -> Answer:
        """The message anew, at once and without a call to Discord; and a private word where one is due."""
        event = await self.tools.service.events.get(asked.actor.guild_id, f"EVT#{press.uuid}")
        undrawable = code_of(event.delivery_error or "") == Code.INVALID_FORM
        if asked.interaction.from_private or event.member_count > _INLINE_MEMBERS_MAX or undrawable:
            return self._said(asked, said)
        if tell:
            body = {"message": render.private(said), "original": False, "token": asked.interaction.token}
            outbox = self.tools.service.desk.outbox
            id = asked.interaction.id
            await outbox.put("eventbot.reply", id, body, id=f"word/{id}", after=UNTIL_ANSWERED)
        view = await view_of_event(self.tools.service.desk.db, event)
        words = await self.tools.service.desk.words(asked.actor.guild_id)
        return interactions.update(render.event_message(view, self.tools.service.desk.now(), words))

    # Looking

    async def members(self, asked: Asked, press: Press) -> Answer:
        view = await self.tools.service.events.view(asked.actor.guild_id, f"EVT#{press.uuid}")
        return self._private(asked, render.members_message(view, _page_number(press), asked.words))

    async def notices(self, asked: Asked, press: Press) -> Answer:
        return self._private(asked, await self._notices(asked, press.uuid, _page_number(press)))

    async def _notices(self, asked: Asked, uuid: str, page: int) -> render.Payload:
        service = self.tools.service
        event = await service.events.get(asked.actor.guild_id, f"EVT#{uuid}")
        organising = await service.access.may_organise(asked.actor, event)
        listed = await service.notices.of_event(event, hidden=organising)
        last = render.pages_of(len(listed), render.NOTICES_PER_PAGE) - 1
        first = min(page, last) * render.NOTICES_PER_PAGE
        members = await members_in_order(service.desk.db, event)
        counts = await service.notices.counts(members, listed[first : first + render.NOTICES_PER_PAGE])
        return render.notices_message(event, listed, counts, page, organising, asked.words)

    async def unconfirmed(self, asked: Asked, press: Press) -> Answer:
        view = await self.tools.service.notices.view(asked.actor.guild_id, f"NTC#{press.uuid}")
        message = render.unconfirmed_message(view, _page_number(press), asked.words)
        return self._private(asked, message) if press.more not in ("", "0") else interactions.message(message)

    async def list(self, asked: Asked, press: Press) -> Answer:
        from sekkei_systems.eventbot.webhooks.commands import events_list

        message = await events_list(self.tools.service, asked, press.verb, _page_number(press))
        return self._private(asked, message)

    def _private(self, asked: Asked, message: render.Payload) -> Answer:
        """Turning a page replaces it; the first look opens it."""
        return interactions.update(message) if asked.interaction.from_private else interactions.message(message)

    # Organising

    async def panel(self, asked: Asked, press: Press) -> Answer:
        return interactions.message(await self._panel(asked, press))

    async def _panel(self, asked: Asked, press: Press, said: str = "") -> render.Payload:
        view = await view_of_event(self.tools.service.desk.db, (await self._host(asked, press)).event)
        return panels.panel_message(view, self.tools.service.desk.now(), asked.words, said)

    async def edit(self, asked: Asked, press: Press) -> Answer:
        return await self._form(asked, press, modals.edit_modal)

    async def edit_one(self, asked: Asked, press: Press) -> Answer:
        return await self._form(asked, press, modals.edit_one_modal)

    async def pause(self, asked: Asked, press: Press) -> Answer:
        await self.tools.service.events.pause(await self._host(asked, press))
        return self._private(asked, await self._panel(asked, press, asked.words("bot.done-pause")))

    async def resume(self, asked: Asked, press: Press) -> Answer:
        await self.tools.service.events.resume(await self._host(asked, press))
        return self._private(asked, await self._panel(asked, press, asked.words("bot.done-resume")))

    async def details(self, asked: Asked, press: Press) -> Answer:
        return await self._form(asked, press, modals.details_modal)

    async def options(self, asked: Asked, press: Press) -> Answer:
        return await self._form(asked, press, modals.options_modal)

    async def new_notice(self, asked: Asked, press: Press) -> Answer:
        return await self._form(asked, press, modals.notice_modal)

    async def tell(self, asked: Asked, press: Press) -> Answer:
        return await self._form(asked, press, modals.tell_modal)

    async def template(self, asked: Asked, press: Press) -> Answer:
        return await self._form(asked, press, modals.template_modal)

    async def _form(self, asked: Asked, press: Press, modal: _EventModal) -> Answer:
        return interactions.modal(modal((await self._host(asked, press)).event, asked.words, await self._zone(asked)))

    async def _zone(self, asked: Asked) -> str:
        return (await self.tools.service.guilds.settings(asked.actor.guild_id)).time_zone

    async def _host(self, asked: Asked, press: Press) -> Host:
        return await self.tools.service.access.host(asked.actor, f"EVT#{press.uuid}")

    async def close(self, asked: Asked, press: Press) -> Answer:
        await self.tools.service.events.close(await self._host(asked, press))
        return self._private(asked, await self._panel(asked, press, asked.words("bot.done-close")))

    async def reopen(self, asked: Asked, press: Press) -> Answer:
        await self.tools.service.events.reopen(await self._host(asked, press))
        return self._private(asked, await self._panel(asked, press, asked.words("bot.done-reopen")))

    async def repost(self, asked: Asked, press: Press) -> Answer:
        await self.tools.service.events.repost(await self._host(asked, press))
        return self._private(asked, await self._panel(asked, press, asked.words("bot.done-repost")))

    async def again(self, asked: Asked, press: Press) -> Answer:
        await self.tools.service.events.retry(await self._host(asked, press))
        return self._private(asked, await self._panel(asked, press, asked.words("bot.done-retry")))

    async def cancel(self, asked: Asked, press: Press) -> Answer:
        """Of a series: this one, or all that would follow."""
        event = (await self._host(asked, press)).event
        yes = [(asked.words("bot.cancel-yes"), custom_id("cancelyes", event.event_id))]
        if event.repeat is not None:
            yes.append((asked.words("bot.cancel-all"), custom_id("cancelall", event.event_id)))
        key = "bot.cancel-one" if event.repeat is not None else "bot.cancel-sure"
        return self._private(asked, panels.sure_message(asked.words(key, title=escaped(event.title)), *yes))

    async def cancel_sure(self, asked: Asked, press: Press) -> Answer:
        host = await self._host(asked, press)
        event = await self.tools.service.events.cancel(host, series=press.verb == "cancelall")
        goes_on = "bot.done-cancel-next" if event.next_event_id else "bot.done-cancel"
        return self._private(asked, render.private(asked.words(goes_on)))

    async def delete(self, asked: Asked, press: Press) -> Answer:
        event = (await self._host(asked, press)).event
        text = asked.words("bot.delete-sure", title=escaped(event.title))
        sure = panels.sure_message(text, (asked.words("bot.delete"), custom_id("deleteyes", event.event_id)))
        return self._private(asked, sure)

    async def delete_sure(self, asked: Asked, press: Press) -> Answer:
        """A long job: it is started here, and says itself when it is done."""
        event = (await self._host(asked, press)).event
        payload = {
            "guild_id": event.guild_id,
            "event_id": event.event_id,
            "title": event.title,
            "token": asked.interaction.token,
            "interaction": asked.interaction.id,
            "original": asked.interaction.from_private,
            "locale": asked.interaction.locale or "ja",
        }
        removal = self.tools.jobs.start_action(REMOVE, payload, id=f"remove/{uuid_of(event.event_id)}")
        try:
            await self.tools.service.desk.transact(removal, by=asked.actor)
        except TransactionFailed:
            pass  # it is being deleted already
        return self._private(asked, render.private(asked.words("bot.deleting")))

    # Notices

    async def confirm(self, asked: Asked, press: Press) -> Answer:
        view = await self.tools.service.notices.confirm(asked.actor, f"NTC#{press.uuid}")
        return interactions.update(
            render.notice_message(view, await self.tools.service.desk.words(asked.actor.guild_id))
        )

    async def close_notice(self, asked: Asked, press: Press) -> Answer:
        host = await self.tools.service.access.host_of_notice(asked.actor, f"NTC#{press.uuid}")
        await self.tools.service.notices.close(host, f"NTC#{press.uuid}")
        return self._private(asked, await self._notices(asked, uuid_of(host.event.event_id), 0))

    async def hide_notice(self, asked: Asked, press: Press) -> Answer:
        host = await self.tools.service.access.host_of_notice(asked.actor, f"NTC#{press.uuid}")
        await self.tools.service.notices.hide(host, f"NTC#{press.uuid}", press.verb == "nhide")
        return self._private(asked, await self._notices(asked, uuid_of(host.event.event_id), 0))

    async def retry(self, asked: Asked, press: Press) -> Answer:
        """The form again, with what was typed into it."""
        values = await self.tools.draft(press.uuid)
        return interactions.modal(await self._filled(asked, press.more, values))

    async def _filled(self, asked: Asked, verb: str, values: dict[str, str]) -> render.Payload:
        zone = await self._zone(asked)
        if verb == "create":
            template = values.get("event", "")
            found = (
                await self.tools.service.guilds.template(asked.actor.guild_id, f"TPL#{template}") if template else None
            )
            ping = values.get("ping", "")
            return modals.refilled(modals.create_modal(asked.words, zone, found, ping), values)
        event = (await self._host(asked, Press(verb, values.get("event", "")))).event
        made = {"edit": modals.edit_modal, "details": modals.details_modal, "newnotice": modals.notice_modal}
        made |= {"options": modals.options_modal, "tell": modals.tell_modal, "editone": modals.edit_one_modal}
        return modals.refilled(made.get(verb, modals.template_modal)(event, asked.words, zone), values)
