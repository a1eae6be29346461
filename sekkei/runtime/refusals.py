"""What a service answers when it will not do something: a code for programs and words for people.

A service raises a refusal and knows nothing of HTTP pages or bots; whoever called it turns the refusal into words.

    class LastAdmin(Conflict):
        code = "last-admin"
        words = say("管理者が一人もいなくなります。", "The team would have no admin left.")

    raise LastAdmin()
    raise NotThere(words=say("チーム {team} はありません。", "There is no team {team}."), team=name)

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

Localized = Mapping[str, str]


def say(ja: str, en: str) -> Localized:
    """A text in both languages; `{name}` in it is filled in with the value of that name."""
    return {"ja": ja, "en": en}


class Refusal(Exception):
    """Nothing was done. Subclasses set `code`, `status` and `words`; an instance may say them more exactly."""

    code = "refused"
    status = 409
    words = say("この操作はできません。", "This cannot be done.")

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
        return (self.words.get(language) or self.words["en"]).format_map(self.values)

    def __str__(self) -> str:
        return self.text("en")


class Invalid(Refusal):
    code = "invalid"
    status = 422
    words = say("入力を確認してください。", "Please check what you entered.")


class SignInNeeded(Refusal):
    code = "sign-in-needed"
    status = 401
    words = say("サインインしてください。", "Please sign in.")


class NotAllowed(Refusal):
    code = "not-allowed"
    status = 403
    words = say("この操作をする権限がありません。", "You may not do this.")


class ProofNeeded(NotAllowed):
    code = "proof-needed"
    words = say("安全のため、もう一度本人確認をしてください。", "For safety, please show again that it is you.")


class NotThere(Refusal):
    code = "not-there"
    status = 404
    words = say("見つかりません。", "There is nothing here.")


class Conflict(Refusal):
    code = "conflict"
    status = 409


class Gone(Refusal):
    code = "gone"
    status = 410
    words = say("期限が切れています。", "Its time is over.")


class Changed(Refusal):
    code = "changed"
    status = 412
    words = say(
        "ほかの人が先に変更しました。読み込み直してからもう一度お試しください。",
        "Somebody else has changed this meanwhile. Load it again and retry.",
    )


class TooMany(Refusal):
    code = "too-many"
    status = 429
    words = say("回数が多すぎます。しばらくしてからお試しください。", "Too often. Please wait a little and try again.")

    def __init__(self, retry_after_seconds: int = 1, **values: object) -> None:
        super().__init__(**values)  # type: ignore[arg-type]
        self.retry_after_seconds = retry_after_seconds
