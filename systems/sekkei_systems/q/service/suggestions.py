"""Friends of friends: whom one may know, because those whom one follows follow them."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass

from sekkei.clock import Clock
from sekkei.design import Database
from sekkei_systems import days
from sekkei_systems.q import design
from sekkei_systems.q.rules.sight import sees_profile
from sekkei_systems.q.service.access import Member
from sekkei_systems.q.service.graph import Card, Graph
from sekkei_systems.q.service.visibility import Visibility as Sight

FRIENDS_READ = 6
"""Whose lists are looked at: a few of them, others every day."""
LIST_READ = 50
FOLLOWING_READ = 200
LOOKED_AT = 30
SHOWN = 12


@dataclass(frozen=True, slots=True)
class Suggestion:
    card: Card
    through: int
    """How many of those whom one follows, and whose lists were looked at, follow them."""


@dataclass
class Suggestions:
    db: Database
    clock: Clock
    sight: Sight
    graph: Graph

    async def show(self, member: Member) -> list[Suggestion]:
        """A bounded number of reads, whatever somebody's circle. Everybody shown passes sight as in any list."""
        known = await self.db.page(design.following(member.id).consistent(), size=FOLLOWING_READ)
        mine = [one.followee_id for one in known]
        friends = await self._friends(member, mine)
        found = await asyncio.gather(*(self.db.page(design.following(one), size=LIST_READ) for one in friends))
        through = Counter(edge.followee_id for page in found for edge in page)
        for one in (member.id, *mine):
            through.pop(one, None)
        best = [who for who, _ in sorted(through.items(), key=lambda one: (-one[1], one[0]))[:LOOKED_AT]]
        cards = await self.graph.cards(member.id, best)
        wanted = [one for one in cards if not (one.requested or one.relation.follows or one.relation.mutes)]
        return [Suggestion(one, through[one.user.user_id]) for one in wanted[:SHOWN]]

    async def _friends(self, member: Member, mine: list[str]) -> list[str]:
        """Some whose lists the member may see, the same ones all day."""
        dice = random.Random(f"{member.id}/{days.today(self.clock)}")
        chosen = dice.sample(mine, min(len(mine), FRIENDS_READ))
        people, relations = await asyncio.gather(
            self.sight.users(member.id, chosen), self.sight.relations(member.id, chosen)
        )
        return [one for one in chosen if one in people and sees_profile(member.id, people[one], relations[one])]
