"""State logs of devices, warnings for an operator, the escalated few. (AWS's sample "device state log".)"""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, Design, Index, Key, Query, Update, attr, iso, model, template


@model
class Log:
    device_id: Attr[str] = attr("DeviceID")
    state: Attr[str] = attr("State")
    at: Attr[datetime] = attr("Date", stored_as=iso("Z", 0))
    operator: Attr[str] = attr("Operator")
    escalated_to: Attr[str | None] = attr("EscalatedTo", default=None)
    state_at: Attr[str] = template("{state}#{at}", "State#Date")


design = Design("device-state-log", en="Device state log")
table = design.table(
    "DeviceStateLog",
    "DeviceID",
    "State#Date",
    indexes=[Index("GSI1", "Operator", "Date"), Index("GSI2", "EscalatedTo", "State#Date")],
)


@table.entity(Log)
def logs(device_id: str, state: str, at: datetime) -> Key:
    return Key(device_id, f"{state}#{at}")


by_operator = logs.index("GSI1")
escalated = logs.index("GSI2")


@design.pattern
def logs_in_state(device_id: str, state: str) -> Query[Log]:
    """A device's logs of one state, the newest first."""
    return logs.where(Log.device_id == device_id, Log.state == state).backwards()


@design.pattern
def logs_between(operator: str, start: datetime, end: datetime) -> Query[Log]:
    """What an operator was responsible for between two times."""
    return by_operator.where(Log.operator == operator, Log.at.between(start, end))


@design.pattern
def escalate(device_id: str, state: str, at: datetime, supervisor: str) -> Update[Log]:
    """Hand a log to a supervisor."""
    return logs.update(device_id, state, at).set(Log.escalated_to, supervisor)


@design.pattern
def escalated_logs(supervisor: str, state: str) -> Query[Log]:
    """What waits for a supervisor, in one state."""
    return escalated.where(Log.escalated_to == supervisor, Log.state == state)
