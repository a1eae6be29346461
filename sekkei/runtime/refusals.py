"""What a service answers when it will not do something: a code for programs and words for people.

A service raises a refusal and knows nothing of pages or bots; whoever called it asks for the words.

    class LastAdmin(Conflict):                  # the code in APIs: "last-admin"
        ...

    raise LastAdmin()
    raise NoSuchTeam(team=name)                 # `{team}` in the text is filled in

The words stand in the texts of the package that defines the class, as `[refusal] last-admin = "…"`; a class without a
text of its own says what its parent says. `code = "…"` in a class keeps a code that its name no longer gives.

Refusal
├── Invalid      422  what was given cannot be used; `field` says which part of it
├── SignInNeeded 401  nobody is signed in
├── NotAllowed   403  not for this person
│   └── ProofNeeded   not until they have shown again who they are
├── NotThere     404  no such thing, or none that this person may know of
├── Conflict     409  not in the state that things are in
├── Gone         410  it was there once, and its time is over
├── Changed      412  somebody else has changed it since it was read
└── TooMany      429  too often; `retry_after_seconds` says when to come back
"""

from __future__ import annotations

from collections.abc import Mapping

from sekkei.texts import kebab, texts_near

Localized = Mapping[str, str]
_MINUTES_FROM_SECONDS = 120


class Refusal(Exception):
    """Nothing was done. Subclasses are named after what stands in the way."""

    code = "refused"
    status = 409
    words: Localized = {}  # noqa: RUF012
    """Only what nobody could write down before, such as what a store says."""

    def __init_subclass__(cls) -> None:
        if "code" not in cls.__dict__:
            cls.code = kebab(cls.__name__)

    def __init__(
        self,
        code: str | None = None,
        status: int | None = None,
        words: Localized | None = None,
        *,
        field: str | None = None,
        **values: object,
    ) -> None:
        self.code = code or self.code
        self.status = status or self.status
        self.words = words or self.words
        self.field = field
        self.values = values
        super().__init__(self.code)

    def text(self, language: str) -> str:
        """The refusal in words, with its values filled in."""
        if self.words:
            return (self.words.get(language) or self.words["en"]).format_map(self.values)
        for kind in type(self).__mro__:
            key = f"refusal.{kebab(kind.__name__)}"
            texts = texts_near(kind.__module__)
            if texts and texts.has(key):
                return texts(language, key, **self.values)
        return self.code

    def __str__(self) -> str:
        return self.text("en")


class Invalid(Refusal):
    status = 422


class SignInNeeded(Refusal):
    status = 401


class NotAllowed(Refusal):
    status = 403


class ProofNeeded(NotAllowed):
    """Not until they have shown again who they are."""


class NotThere(Refusal):
    status = 404


class Conflict(Refusal):
    status = 409


class Gone(Refusal):
    status = 410


class Changed(Refusal):
    status = 412


class TooMany(Refusal):
    status = 429

    def __init__(self, retry_after_seconds: int = 1, **values: object) -> None:
        super().__init__(**{"n": retry_after_seconds, **values})  # type: ignore[arg-type]
        self.retry_after_seconds = retry_after_seconds

    def text(self, language: str) -> str:
        texts = texts_near(__name__)
        if type(self) is not TooMany or texts is None or self.retry_after_seconds < _MINUTES_FROM_SECONDS:
            return super().text(language)
        return texts(language, "wait.minutes", n=-(-self.retry_after_seconds // 60))
