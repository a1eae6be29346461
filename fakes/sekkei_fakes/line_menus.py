"""Rich menus at LINE: made, checked, given a picture, shown to everybody or to one, named by aliases, removed.

A menu without a picture is shown to nobody; a picture is never replaced. 1,000 menus and as many aliases are the most,
and 100 may be made or removed in an hour.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from sekkei.clock import Clock
from sekkei.store.http import Answer
from sekkei_fakes.line_menu_rules import ALIAS, check_picture, problems
from sekkei_fakes.line_refused import Refused, faulty

MENUS_MAX = ALIASES_MAX = 1_000
HOURLY_MAX = 100
_MENU = re.compile(r"richmenu-[0-9a-f]{32}")
_USER = re.compile(r"U[0-9a-f]{32}")

Call = Callable[[dict[str, Any]], dict[str, Any]]
"""The JSON of a request to that of its answer."""


class Hourly:
    """So many requests in any hour."""

    def __init__(self, clock: Clock, most: int) -> None:
        self._clock, self._most = clock, most
        self._at: list[float] = []

    def take(self) -> None:
        now = self._clock.now()
        self._at = [at for at in self._at if now - at < 3_600]
        if len(self._at) >= self._most:
            raise Refused(429, "The API rate limit has been exceeded. Try again later.")
        self._at.append(now)


@dataclass(slots=True)
class Menu:
    content: dict[str, Any]
    picture: bytes = b""
    type: str = ""


class RichMenus:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.menus: dict[str, Menu] = {}
        self.default: str | None = None
        self.links: dict[str, str] = {}
        """Whoever has a menu of their own."""
        self.aliases: dict[str, str] = {}
        self._makes, self._removes = Hourly(clock, HOURLY_MAX), Hourly(clock, HOURLY_MAX)
        self._alias_removes = Hourly(clock, HOURLY_MAX)

    def shown_to(self, user: str) -> str | None:
        return self.links.get(user) or self.default

    # Calls, by their methods and paths

    def find(self, method: str, path: str, is_friend: Callable[[str], bool]) -> Call | None:
        """What answers a request; None when it is about something else."""
        if "/richmenu" not in path:
            return None
        for wanted, pattern, name in _CALLS:
            if wanted == method and (named := re.fullmatch(pattern, path)):
                return lambda content: getattr(self, name)(*named.groups(), *((content,) if name in _WITH_BODY else ()))
        if found := re.fullmatch(r"/v2/bot/user/([^/]+)/richmenu(?:/([^/]+))?", path):
            return lambda _: self._link(method, found[1], found[2], is_friend)
        raise Refused(404, "Not found")

    def create(self, content: dict[str, Any]) -> dict[str, Any]:
        self._makes.take()
        self.validate(content)
        if len(self.menus) >= MENUS_MAX:
            raise Refused(400, "The maximum number of rich menus has been reached")
        id = "richmenu-" + self._clock.uuid().replace("-", "")
        self.menus[id] = Menu(orjson.loads(orjson.dumps(content)))
        return {"richMenuId": id}

    def validate(self, content: dict[str, Any]) -> dict[str, Any]:
        if found := problems(content):
            raise faulty(*found)
        return {}

    def every(self) -> dict[str, Any]:
        return {"richmenus": [self.one(id) for id in self.menus]}

    def one(self, id: str) -> dict[str, Any]:
        return {"richMenuId": id, **self._menu(id).content}

    def remove(self, id: str) -> dict[str, Any]:
        self._removes.take()
        self._menu(id)
        del self.menus[id]
        self.default = None if self.default == id else self.default
        self.links = {user: linked for user, linked in self.links.items() if linked != id}
        return {}

    def show(self, id: str) -> dict[str, Any]:
        self._ready(id)
        self.default = id
        return {}

    def shown(self) -> dict[str, Any]:
        if self.default is None:
            raise Refused(404, "no default richmenu")
        return {"richMenuId": self.default}

    def clear(self) -> dict[str, Any]:
        self.default = None
        return {}

    def _link(self, method: str, user: str, id: str | None, is_friend: Callable[[str], bool]) -> dict[str, Any]:
        """Of one user; LINE does not say that somebody is no friend."""
        if not _USER.fullmatch(user):
            raise Refused(400, "The value for the 'userId' parameter is invalid")
        if method == "POST" and id is not None:
            self._ready(id)
            if is_friend(user):
                self.links[user] = id
            return {}
        if method == "DELETE" and id is None:
            self.links.pop(user, None)
            return {}
        if method != "GET" or id is not None:
            raise Refused(404, "Not found")
        if user not in self.links:
            raise Refused(404, "the user has no richmenu")
        return {"richMenuId": self.links[user]}

    def _menu(self, id: str) -> Menu:
        if id not in self.menus:
            raise Refused(404, "Not found")
        return self.menus[id]

    def _ready(self, id: str) -> None:
        if not self._menu(id).picture:
            raise Refused(400, "must upload richmenu image before applying it to user")

    # Pictures, at LINE's other address

    def picture(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
        named = re.fullmatch(r"/v2/bot/richmenu/([^/]+)/content", path)
        if named is None or method not in ("GET", "POST"):
            raise Refused(404, "Not found")
        menu = self._menu(named[1])
        if method == "POST":
            self._upload(menu, headers.get("content-type", "").partition(";")[0].strip().lower(), body)
            return Answer(200, {b"content-type": b"application/json"}, b"{}")
        if not menu.picture:
            raise Refused(404, "Not found")
        return Answer(200, {b"content-type": menu.type.encode()}, menu.picture)

    def _upload(self, menu: Menu, kind: str, body: bytes) -> None:
        check_picture(kind, body, menu.content["size"])
        if menu.picture:
            raise Refused(400, "An image has already been uploaded to the richmenu")
        menu.picture, menu.type = body, kind

    # Aliases

    def name(self, content: dict[str, Any]) -> dict[str, Any]:
        alias = _alias(str(content.get("richMenuAliasId")))
        id = self._nameable(content)
        if alias in self.aliases:
            raise Refused(400, "conflict richmenu alias id")
        if len(self.aliases) >= ALIASES_MAX:
            raise Refused(400, "The maximum number of rich menu aliases has been reached")
        self.aliases[alias] = id
        return {}

    def rename(self, alias: str, content: dict[str, Any]) -> dict[str, Any]:
        self.named(alias)
        self.aliases[alias] = self._nameable(content)
        return {}

    def named(self, alias: str) -> dict[str, Any]:
        if _alias(alias) not in self.aliases:
            raise Refused(404, "richmenu alias not found")
        return {"richMenuAliasId": alias, "richMenuId": self.aliases[alias]}

    def names(self) -> dict[str, Any]:
        return {"aliases": [self.named(alias) for alias in self.aliases]}

    def unname(self, alias: str) -> dict[str, Any]:
        self._alias_removes.take()
        self.named(alias)
        del self.aliases[alias]
        return {}

    def _nameable(self, content: dict[str, Any]) -> str:
        id = str(content.get("richMenuId"))
        if not _MENU.fullmatch(id):
            raise faulty(("richMenuId", "invalid richMenuId"))
        if id not in self.menus or not self.menus[id].picture:
            raise Refused(400, "richmenu not found")
        return id


def _alias(given: str) -> str:
    if not ALIAS.fullmatch(given):
        raise faulty(("richMenuAliasId", "invalid richMenuAliasId"))
    return given


_CALLS = (
    ("POST", r"/v2/bot/richmenu", "create"),
    ("POST", r"/v2/bot/richmenu/validate", "validate"),
    ("GET", r"/v2/bot/richmenu/list", "every"),
    ("POST", r"/v2/bot/richmenu/alias", "name"),
    ("GET", r"/v2/bot/richmenu/alias/list", "names"),
    ("POST", r"/v2/bot/richmenu/alias/([^/]+)", "rename"),
    ("GET", r"/v2/bot/richmenu/alias/([^/]+)", "named"),
    ("DELETE", r"/v2/bot/richmenu/alias/([^/]+)", "unname"),
    ("GET", r"/v2/bot/richmenu/([^/]+)", "one"),
    ("DELETE", r"/v2/bot/richmenu/([^/]+)", "remove"),
    ("POST", r"/v2/bot/user/all/richmenu/([^/]+)", "show"),
    ("GET", r"/v2/bot/user/all/richmenu", "shown"),
    ("DELETE", r"/v2/bot/user/all/richmenu", "clear"),
)
_WITH_BODY = frozenset({"create", "validate", "name", "rename"})
