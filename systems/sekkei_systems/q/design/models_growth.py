"""How people find each other, beyond the document: links that invite, and addresses of those who want to be found."""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, attr, epoch, model
from sekkei_systems.q.design.models import INSTANT


@model
class Invite:
    invite_id: Attr[str] = attr("inviteId", ja="招待ID（リンクのハッシュ）", en="invite, by the hash of its link")
    inviter_id: Attr[str] = attr("inviterId", ja="招待した人", en="who invites")
    created_at: Attr[datetime] = attr("createdAt", stored_as=INSTANT, ja="作成日時", en="made")
    uses_left: Attr[int] = attr("usesLeft", ja="残りの人数", en="how many more may take it")
    taken: Attr[frozenset[str]] = attr(default=frozenset(), ja="使った人（ハッシュ）", en="who took it, hashed")
    expires_at: Attr[datetime] = attr("expiresAt", stored_as=epoch(), ja="有効期限（TTL）", en="good until then")


@model
class Contact:
    address: Attr[str] = attr(ja="アドレスの鍵付きハッシュ", en="keyed hash of an address")
    user_id: Attr[str] = attr("userId", ja="ユーザーID", en="whose it is")
