"""A very small system, to test the shell with."""

from __future__ import annotations

from sekkei.design import Attr, Design, Key, Query, attr, model, part

design = Design("example", ja="メモ", en="Notes")
table = design.table("example-notes", "PK", "SK", discriminator="type", stream="NEW_AND_OLD_IMAGES")


@model
class Note:
    owner: Attr[str] = part()
    id: Attr[str] = part()
    text: Attr[str] = attr()
    version: Attr[int] = attr(default=1)


@table.entity(Note, type="note")
def notes(owner: str, id: str) -> Key:
    return Key(f"OWNER#{owner}", f"NOTE#{id}")


@design.pattern(number="1", ja="自分のメモ")
def notes_of(owner: str) -> Query[Note]:
    """The notes of one person."""
    return notes.where(Note.owner == owner)
