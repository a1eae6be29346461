"""Tickets for one concert, and its world: people who want the same places through processes that die.

    sekkei world examples.worlds.tickets                     a hundred seeds
    sekkei world examples.worlds.tickets --seed 3 --trace    one of them, as a story

A place and its ticket are written together, and a purchase carries a number of the buyer's choice: whoever hears
nothing and asks again gets the same ticket. Leave either out and a seed will tell.
"""

from __future__ import annotations

from sekkei.design import Attr, Database, Design, Key, TransactionFailed, attr, model, part
from sekkei.runtime.system import Context, Parts, System
from sekkei.web import Api, Given, Operations
from sekkei.worlds import Gone, Person, Script, World

CONCERT, PLACES = "spring", 5

# The design

design = Design("tickets")
table = design.table("concerts", "pk", "sk", discriminator="type")


@model
class Concert:
    concert: Attr[str] = part()
    places: Attr[int] = attr()
    sold: Attr[int] = attr(default=0)


@model
class Ticket:
    concert: Attr[str] = part()
    purchase: Attr[str] = part()
    buyer: Attr[str] = attr()


@table.entity(Concert, type="concert")
def concerts(concert: str) -> Key:
    return Key(f"CONCERT#{concert}", "CONCERT")


@table.entity(Ticket, type="ticket")
def tickets(concert: str, purchase: str) -> Key:
    return Key(f"CONCERT#{concert}", f"TICKET#{purchase}")


# The system


class BoxOffice:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def sell(self, ticket: Ticket) -> bool:
        """False when the last place is gone."""
        place = concerts.update(ticket.concert).add(Concert.sold, 1).when(Concert.sold < Concert.places)
        try:
            await self._db.transact(place, tickets.create(ticket))
        except TransactionFailed:
            return await self._db.get(tickets(ticket.concert, ticket.purchase).consistent()) is not None
        return True


operations = Operations()


@operations.post("/{concert}/tickets/{purchase}/{buyer}", summary="Buy a ticket")
async def buy(office: BoxOffice, concert: str, purchase: str, buyer: str) -> dict[str, bool]:
    return {"sold": await office.sell(Ticket(concert=concert, purchase=purchase, buyer=buyer))}


def build(context: Context) -> Parts:
    api = Api("tickets", title="Tickets").include(operations)
    return Parts(routes=api.routes(Given(BoxOffice(context.db))))


async def demo(context: Context, parts: Parts) -> None:
    await context.db.write(concerts.put(Concert(concert=CONCERT, places=PLACES)))


WORDS = {"ja": "チケット", "en": "Tickets"}
SYSTEM = System(name="tickets", title=WORDS, about=WORDS, design=design, build=build, demo=demo)

# Its world

WORLD = Script("tickets", [SYSTEM], seconds=12.0, settle_seconds=5.0)


@WORLD.role(4)
async def visitor(me: Person) -> None:
    """The first finds the concert announced."""
    me.memory["told"] = 0
    if me is me.world.people[0]:
        announced = concerts.encode(Concert(concert=CONCERT, places=PLACES))
        me.world.truth.now("PutItem", {"TableName": me.world.table_name("concerts"), "Item": announced})
    await me.sign_in(f"{me.name}@example.com")


@WORLD.does("visitor")
async def buys_a_ticket(me: Person) -> str:
    """Whoever hears nothing asks again, with the same number."""
    path = f"/tickets/api/{CONCERT}/tickets/{me.asker.name.replace('#', '-')}/{me.name}"
    for _ in range(3):
        try:
            reply = await me.json("POST", path)
        except Gone:
            continue
        if reply.status == 200:
            me.memory["told"] += reply.json()["sold"]
            return "buys a ticket" if reply.json()["sold"] else "finds it sold out"
    return "hears nothing, and goes home"


def _stored(world: World) -> tuple[Concert | None, list[Ticket]]:
    rows = world.decoded("concerts")
    concert = next((row for row in rows if isinstance(row, Concert)), None)
    return concert, [row for row in rows if isinstance(row, Ticket)]


@WORLD.always_in("concerts")
def every_place_has_one_ticket(world: World) -> None:
    concert, sold = _stored(world)
    if concert is not None:
        assert concert.sold == len(sold), f"{concert.sold} places are sold, on {len(sold)} tickets"
        assert concert.sold <= concert.places, f"{concert.sold} of {concert.places} places are sold"


@WORLD.finally_
def whoever_was_told_so_has_a_ticket(world: World) -> None:
    _, sold = _stored(world)
    for person in world.people:
        theirs = sum(ticket.buyer == person.name for ticket in sold)
        assert theirs >= person.memory["told"], f"{person.name} was told of {person.memory['told']}, has {theirs}"
