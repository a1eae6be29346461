"""Members and confirmations as CSV that spreadsheets open as it is meant."""

from __future__ import annotations

from collections.abc import Sequence

from sekkei.kit import sheets
from sekkei_systems.eventbot.rules.views import EventView, NoticeView


def members_csv(view: EventView) -> bytes:
    rows: list[Sequence[str]] = [("status", "position", "user_id", "name", "at", "option", "late", "attended")]
    chosen = {id: option.name for id, option in view.event.options.items()}
    for place, one in enumerate(view.members, 1):
        option, late = chosen.get(one.option_id or "", ""), "late" if one.late else ""
        came = "" if one.attended is None else "yes" if one.attended else "no"
        rows.append(("joined", str(place), one.user_id, one.username, one.joined_at.isoformat(), option, late, came))
    for status, people in (("waiting", view.waiting), ("maybe", view.maybe), ("no", view.no)):
        for place, said in enumerate(people, 1):
            at, option = said.asked_at.isoformat(timespec="seconds"), chosen.get(said.option_id or "", "")
            rows.append((status, str(place), said.user_id, said.username, at, option, "", ""))
    return sheets.write(rows)


def confirmations_csv(view: NoticeView) -> bytes:
    rows: list[Sequence[str]] = [("status", "user_id", "name", "at")]
    rows += [("confirmed", one.user_id, one.username, one.acked_at.isoformat()) for one in view.confirmed]
    rows += [("unconfirmed", one.user_id, one.username, "") for one in view.unconfirmed]
    return sheets.write(rows)
