"""A player, friends, inventory and friends' requests in one partition. (AWS's guide: "gaming profile schema".)"""

from __future__ import annotations

from sekkei.design import Attr, Design, Key, Query, Ref, Transaction, attr, collection, model, part


@model
class Player:
    player_id: Attr[str] = part()
    name: Attr[str] = attr()
    coins: Attr[int] = attr(default=0)


@model
class Friend:
    player_id: Attr[str] = part()
    friend_id: Attr[str] = part()
    online: Attr[bool] = attr(default=False)


@model
class Thing:
    player_id: Attr[str] = part()
    thing_id: Attr[str] = part()
    count: Attr[int] = attr(default=0)


design = Design("gaming-profile", en="Gaming profiles")
table = design.table("game", "player_id", "SK", discriminator="type")


@table.entity(Player, type="player")
def players(player_id: str) -> Key:
    return Key(player_id, "#METADATA")


@table.entity(Friend, type="friend")
def friends(player_id: str, friend_id: str) -> Key:
    return Key(player_id, f"FRIENDS#{friend_id}")


@table.entity(Thing, type="thing")
def things(player_id: str, thing_id: str) -> Key:
    return Key(player_id, f"INVENTORY#{thing_id}")


design.relate(players, friends, things)


@design.pattern
def profile(player_id: str) -> Ref[Player]:
    """One player."""
    return players(player_id)


@design.pattern
def friends_of(player_id: str) -> Query[Friend]:
    """A player's friends."""
    return friends.where(Friend.player_id == player_id)


@design.pattern
def whole_profile(player_id: str) -> Query[Player | Friend | Thing]:
    """Everything of a player."""
    return collection(players, friends, things).where(Player.player_id == player_id)


@design.pattern
def buy(player_id: str, thing_id: str, price: int) -> Transaction:
    """A thing for coins, if there are enough."""
    return Transaction(
        players.update(player_id).add(Player.coins, -price).when(Player.coins >= price),
        things.upsert(player_id, thing_id).add(Thing.count, 1),
    )
