"""A notice: who has confirmed it, and who has not."""

from __future__ import annotations

from starlette.responses import Response

from sekkei.runtime.refusals import NotThere, Refusal
from sekkei.web import Html, Pages, Redirect, download
from sekkei_systems.eventbot.pages.edit import to_event
from sekkei_systems.eventbot.pages.view import View
from sekkei_systems.eventbot.rules import files
from sekkei_systems.eventbot.rules.identifiers import is_uuid
from sekkei_systems.eventbot.rules.views import NoticeView
from sekkei_systems.eventbot.service.access import Host
from sekkei_systems.eventbot.service.desk import Desk
from sekkei_systems.eventbot.service.members import view_of_notice
from sekkei_systems.eventbot.service.notices import Notices

pages = Pages()
NOTICE = "/guilds/{guild_id}/events/{event}/notices/{notice}"


async def _seen(host: Host, notices: Notices, desk: Desk, notice: str) -> NoticeView:
    return await view_of_notice(desk.db, await notices.of_host(host, _id(notice)), host.event)


def _id(notice: str) -> str:
    if not is_uuid(notice):
        raise NotThere()
    return f"NTC#{notice}"


@pages.get(NOTICE, name="notice")
async def show(host: Host, view: View, notices: Notices, desk: Desk, notice: str) -> Html:
    return view.page("notice.html", event=host.event, view=await _seen(host, notices, desk, notice))


@pages.get(NOTICE + "/confirmations.csv")
async def confirmations_csv(host: Host, notices: Notices, desk: Desk, notice: str) -> Response:
    seen = await _seen(host, notices, desk, notice)
    return download("confirmations.csv", files.confirmations_csv(seen))


@pages.post(NOTICE + "/do/{verb}")
async def do(host: Host, notices: Notices, notice: str, verb: str) -> Redirect:
    """close, hide, show, repost"""
    notice_id = _id(notice)
    try:
        if verb == "close":
            await notices.close(host, notice_id)
        elif verb in ("hide", "show"):
            await notices.hide(host, notice_id, verb == "hide")
        elif verb == "repost":
            await notices.repost(host, notice_id)
        else:
            raise NotThere()
    except NotThere:
        raise
    except Refusal as refusal:
        return to_event(host.event).flash(refusal)
    return to_event(host.event).flash(f"notice.done-{verb}")
