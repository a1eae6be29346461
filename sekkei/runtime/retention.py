"""How long the text of a message is kept once it was sent: a matter of its topic, which is how its id begins.

SEKKEI_SENT_DAYS=7,web/code=1,tasks=30      a week; codes to sign in with a day; whatever tasks sends a month
"""

from __future__ import annotations

import re

DAYS = 7
SECRETS = {"web/code": 1}
DAYS_MAX = 90
_RULE = re.compile(r"(?:(?P<topic>[\w./-]+)=)?(?P<days>\d{1,2})", re.ASCII)


class Kept:
    """For how many days the text of a message is kept once it was sent."""

    def __init__(self, text: str = "") -> None:
        self._days = {"": DAYS, **SECRETS}
        for rule in filter(None, (part.strip() for part in text.split(","))):
            found = _RULE.fullmatch(rule)
            if found is None or int(found["days"]) > DAYS_MAX:
                raise ValueError(f"SEKKEI_SENT_DAYS looks like 7,web/code=1 (at most {DAYS_MAX} days); not {rule!r}.")
            self._days[(found["topic"] or "").rstrip("/")] = int(found["days"])

    def days(self, id: str) -> int:
        """The rule that says most about it."""
        parts = id.split("/")
        topics = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((self._days[topic] for topic in topics if topic in self._days), self._days[""])
