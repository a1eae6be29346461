"""A small system to try worlds on: accounts, and money that moves between them. It can be built with a fault."""

from __future__ import annotations

from sekkei.design import Attr, Database, Design, Key, TransactionFailed, attr, model, part
from sekkei.runtime.system import Context, Parts, System
from sekkei.web import Api, Given, Operations
from sekkei.worlds import Person, Script, World

ACCOUNTS = 3
EACH = 100

design = Design("bank")
table = design.table("accounts", "id")


@model
class Account:
    id: Attr[str] = part()
    money: Attr[int] = attr(default=EACH)


@table.entity(Account)
def accounts(id: str) -> Key:
    return Key(f"{id}")


class Bank:
    def __init__(self, db: Database) -> None:
        self.db = db

    async def move(self, source: str, target: str, amount: int) -> None:
        """Both or neither."""
        take = accounts.update(source).add(Account.money, -amount).when(Account.money >= amount)
        await self.db.transact(take, accounts.update(target).add(Account.money, amount))


class CarelessBank(Bank):
    async def move(self, source: str, target: str, amount: int) -> None:
        """Read, reckon, write: two of them at once lose money, and so does a death in between."""
        ours, theirs = await self.db.need(accounts(source)), await self.db.need(accounts(target))
        if ours.money < amount:
            return
        await self.db.write(accounts.update(source).set(Account.money, ours.money - amount))
        await self.db.write(accounts.update(target).set(Account.money, theirs.money + amount))


operations = Operations()


@operations.post("/move/{source}/{target}/{amount}", summary="Move money")
async def move(bank: Bank, source: str, target: str, amount: int) -> None:
    try:
        await bank.move(source, target, amount)
    except TransactionFailed:
        return


def system(kind: type[Bank]) -> System:
    def build(context: Context) -> Parts:
        api = Api("bank", title="Bank").include(operations)
        return Parts(routes=api.routes(Given(kind(context.db))))

    async def demo(context: Context, parts: Parts) -> None:
        return None

    words = {"ja": "銀行", "en": "Bank"}
    return System(name="bank", title=words, about=words, design=design, build=build, demo=demo)


def script(kind: type[Bank]) -> Script:
    world = Script("bank", [system(kind)], seconds=30.0, settle_seconds=10.0)

    @world.role(3)
    async def customer(me: Person) -> None:
        if me.name == "customer-1":
            for number in range(ACCOUNTS):
                item = accounts.encode(Account(id=str(number)))
                me.world.truth.now("PutItem", {"TableName": "accounts", "Item": item})
        await me.sign_in(f"{me.name}@example.com")

    @world.does("customer")
    async def moves_money(me: Person) -> str:
        source, target = me.dice.sample(range(ACCOUNTS), 2)
        amount = me.dice.randint(1, 20)
        reply = await me.json("POST", f"/bank/api/move/{source}/{target}/{amount}")
        return f"moves {amount} from {source} to {target}: {reply.status}"

    @world.finally_
    def no_money_is_lost(world: World) -> None:
        total = sum(each.money for each in world.decoded("accounts"))
        assert total == ACCOUNTS * EACH, f"there is {total}, and there was {ACCOUNTS * EACH}"

    @world.always
    def nobody_is_in_debt(world: World) -> None:
        assert all(each.money >= 0 for each in world.decoded("accounts"))

    return world
