"""Complaints, what was said about them, and the escalated ones. (AWS's guide: "complaint management system schema".)"""

from __future__ import annotations

from datetime import datetime

from sekkei.design import (
    Attr,
    Design,
    Index,
    Key,
    Query,
    Update,
    attr,
    collection,
    computed,
    iso,
    model,
    part,
    template,
)


def escalated(severity: str, escalated_at: datetime | None) -> str | None:
    return None if escalated_at is None else severity


@model
class Complaint:
    complaint_id: Attr[str] = part()
    customer_id: Attr[str] = attr()
    created: Attr[datetime] = attr("creation_time", stored_as=iso("Z", 0))
    severity: Attr[str] = attr(default="P2")
    agent_id: Attr[str | None] = attr("agentID", default=None)
    state: Attr[str] = attr("current_state", default="waiting")
    escalated_at: Attr[datetime | None] = attr("escalation_time", default=None, stored_as=iso("Z", 0))
    severity_at: Attr[str] = template("{severity}#{complaint_id}", "severity_sort")
    escalation: Attr[str | None] = computed(escalated, "escalated_severity")


@model
class Communication:
    complaint_id: Attr[str] = part()
    at: Attr[datetime] = part(stored_as=iso("Z", 0))
    communication_id: Attr[str] = part()
    text: Attr[str] = attr()


design = Design("complaint-management", en="Complaint management")
table = design.table(
    "complaints",
    "PK",
    "SK",
    discriminator="type",
    indexes=[
        Index("Customer_complaint_GSI", "customer_id", "creation_time"),
        Index("Escalations_GSI", "escalated_severity", "escalation_time"),
        Index("Agents_escalations_GSI", "agentID", "severity_sort"),
    ],
)


@table.entity(Complaint, type="complaint")
def complaints(complaint_id: str) -> Key:
    return Key(f"COMPLAINT#{complaint_id}", "metadata")


@table.entity(Communication, type="communication")
def communications(complaint_id: str, at: datetime, communication_id: str) -> Key:
    return Key(f"COMPLAINT#{complaint_id}", f"comm#{at}#{communication_id}")


by_customer = complaints.index("Customer_complaint_GSI")
by_severity = complaints.index("Escalations_GSI")
by_agent = complaints.index("Agents_escalations_GSI")
design.relate(complaints, communications)


@design.pattern
def whole_complaint(complaint_id: str) -> Query[Complaint | Communication]:
    """A complaint with everything that was said about it."""
    return collection(complaints, communications).where(Complaint.complaint_id == complaint_id)


@design.pattern
def communications_since(complaint_id: str, since: datetime) -> Query[Communication]:
    """What was said about a complaint since a time."""
    return communications.where(Communication.complaint_id == complaint_id, Communication.at >= since)


@design.pattern
def complaints_of(customer_id: str, since: datetime) -> Query[Complaint]:
    """A customer's complaints since a time."""
    return by_customer.where(Complaint.customer_id == customer_id, Complaint.created >= since)


@design.pattern
def escalate(complaint_id: str, now: datetime) -> Update[Complaint]:
    """Put a complaint among the escalated ones."""
    return complaints.update(complaint_id).set(Complaint.escalated_at, now)


@design.pattern
def escalations(severity: str) -> Query[Complaint]:
    """Escalated complaints of one severity, the longest waiting first."""
    return by_severity.where(Complaint.escalation == severity)


@design.pattern
def work_of(agent_id: str, severity: str) -> Query[Complaint]:
    """An agent's complaints of one severity."""
    return by_agent.where(Complaint.agent_id == agent_id, Complaint.severity == severity)
