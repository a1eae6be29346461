"""Who people are at OpenID providers: the account behind an identity, and the identities of an account.

An identity stands under its issuer and subject, to be found at sign-in, and once more beside the account, so that
whoever leaves takes it along.
"""

from __future__ import annotations

from typing import Any

from sekkei.design import Action, Database, TransactionFailed
from sekkei.runtime.jobs import Payload, Progress
from sekkei.web.identity.design import (
    Identity,
    IdentityLink,
    identities,
    identity_links,
    identity_links_of,
    table,
)
from sekkei.web.identity.digests import digest

PAGE_ITEMS = 100


def hash_of(issuer: str, subject: str) -> str:
    return digest(f"{len(issuer)}#{issuer}#{subject}")


class Identities:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def known(self, issuer: str, subject: str) -> Identity | None:
        return await self._db.get(identities(hash_of(issuer, subject)).consistent())

    async def link(self, account_id: str, issuer: str, subject: str, before: Identity | None = None) -> str:
        """Of several first requests at once, one says whose account it is. Returns that account's id.

        `before` is what is to be replaced: an identity whose account is gone."""
        made = Identity(hash=hash_of(issuer, subject), account_id=account_id, issuer=issuer, subject=subject)
        create = identities.create(made) if before is None else identities.put(made)
        if before is not None:
            create = create.when(Identity.account_id == before.account_id)
        try:
            await self._db.transact(create, identity_links.put(_link(made)))
        except TransactionFailed:
            first = await self._db.need(identities(made.hash).consistent())
            return first.account_id
        return account_id

    async def of(self, account_id: str) -> list[IdentityLink]:
        return await self._db.all(identity_links_of(account_id).consistent())

    async def unlink(self, account_id: str, hash: str) -> bool:
        """False when it is not theirs, or gone already."""
        ours = identities.delete(hash).must_exist().when(Identity.account_id == account_id)
        try:
            await self._db.transact(ours, identity_links.delete(account_id, hash))
        except TransactionFailed:
            return False
        return True

    async def forget(self, account_id: str) -> None:
        for one in await self.of(account_id):
            if not await self.unlink(account_id, one.hash):  # it has become another account's meanwhile
                await self._db.write(identity_links.delete(account_id, one.hash))

    async def link_earlier(self, payload: Payload, cursor: str | None) -> Progress:
        """A step of a job, once on a store: identities of an earlier version get their row beside the account."""
        found, following = await self._stored(cursor)
        actions: list[Action[Any, Any]] = [identity_links.put(_link(one)) for one in found]
        await self._db.write_many(actions)
        return Progress(len(actions), following)

    async def _stored(self, cursor: str | None) -> tuple[list[Identity], str | None]:
        """A page of all identities. There is no index of them: this is looked for once."""
        request: dict[str, Any] = {
            "TableName": self._db.table_name(table),
            "ConsistentRead": True,
            "Limit": PAGE_ITEMS,
            "FilterExpression": "SK = :identity",
            "ExpressionAttributeValues": {":identity": {"S": "IDENTITY"}},
        }
        if cursor is not None:
            pk, _, sk = cursor.partition("|")
            request["ExclusiveStartKey"] = {"PK": {"S": pk}, "SK": {"S": sk}}
        answer = await self._db.store.call("Scan", request)
        keys = [item["PK"]["S"].removeprefix("IDENTITY#") for item in answer["Items"]]
        found = [one for one in await self._db.get_many([identities(key).consistent() for key in keys]) if one]
        last = answer.get("LastEvaluatedKey")
        return found, f"{last['PK']['S']}|{last['SK']['S']}" if last else None


def _link(identity: Identity) -> IdentityLink:
    return IdentityLink(account_id=identity.account_id, hash=identity.hash, issuer=identity.issuer)
