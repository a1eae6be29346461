"""Sessions by token, all of a user's at once, gone by themselves. (The session store of The DynamoDB Book.)"""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, Delete, Design, Index, Key, Put, Query, Ref, attr, epoch, model


@model
class Session:
    token: Attr[str] = attr("SessionId")
    username: Attr[str] = attr("Username")
    created: Attr[datetime] = attr("CreatedAt")
    expires: Attr[datetime] = attr("TTL", stored_as=epoch())


design = Design("session-store", en="Sessions")
table = design.table("sessions", "SessionId", ttl="TTL", indexes=[Index("UserIndex", "Username")])


@table.entity(Session)
def sessions(token: str) -> Key:
    return Key(token)


by_user = sessions.index("UserIndex")


@design.pattern
def begin(session: Session) -> Put[Session]:
    """A new session; its token must be new."""
    return sessions.create(session)


@design.pattern
def session(token: str) -> Ref[Session]:
    """The session of a token, unless it has expired."""
    return sessions(token)


@design.pattern
def sessions_of(username: str) -> Query[Session]:
    """Everywhere somebody is signed in, to sign them out."""
    return by_user.where(Session.username == username)


@design.pattern
def end(token: str) -> Delete[Session]:
    """Sign out."""
    return sessions.delete(token)
