"""What the desk does with a lesson: places, moves, messages, calling off; and taking that back."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta

from sekkei.kit.typed import Line, NameLine, Text, Token
from sekkei.runtime.refusals import Refusal
from sekkei.web import Pages, Redirect
from sekkei_systems.lessons.pages.people import Shown
from sekkei_systems.lessons.pages.view import Typed
from sekkei_systems.lessons.rules.entered import time_in
from sekkei_systems.lessons.rules.places import NAME_MAX
from sekkei_systems.lessons.rules.slots import Slot
from sekkei_systems.lessons.service.class_messages import ClassMessages
from sekkei_systems.lessons.service.desk import Desk
from sekkei_systems.lessons.service.members import Members
from sekkei_systems.lessons.service.moves import Moves
from sekkei_systems.lessons.service.undoing import Undoing

pages = Pages()
Words = Annotated[str, Text(1000)]


class Guest(msgspec.Struct):
    user_id: Annotated[Token, Meta(max_length=64)]


class Seat(msgspec.Struct):
    """A member by their mail address, or a walk-in by name."""

    email: Annotated[str, Line(254, 0)] = ""
    name: Annotated[str, NameLine(NAME_MAX, 0)] = ""


class Target(msgspec.Struct):
    lesson_date: date
    start_time: Typed


class Said(msgspec.Struct):
    words: Words = ""
    waiting: bool = False


class Act(msgspec.Struct):
    act_id: Annotated[Token, Meta(max_length=64)]


@pages.post("/desk/{code}/book/{slot:path}", name="book_for")
async def book_for(shown: Shown, desk: Desk, form: Guest) -> Redirect:
    try:
        await desk.book_for(shown.staff, shown.at, form.user_id)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.booked_for")


@pages.post("/desk/{code}/cancel/{slot:path}", name="cancel_for")
async def cancel_for(shown: Shown, desk: Desk, form: Guest) -> Redirect:
    try:
        await desk.cancel_for(shown.staff, shown.at, form.user_id)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.cancelled_for")


@pages.post("/desk/{code}/seat/{slot:path}", name="seat")
async def seat(shown: Shown, desk: Desk, members: Members, form: Seat) -> Redirect:
    try:
        if form.email.strip():
            await desk.book_for(shown.staff, shown.at, (await members.by_mail(form.email)).user_id)
            return shown.again.flash("done.booked_for")
        await desk.walk_in(shown.staff, shown.at, form.name)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.walk_in")


@pages.post("/desk/{code}/move/{slot:path}", name="move")
async def move(shown: Shown, moves: Moves, form: Target) -> Redirect:
    code = shown.staff.studio.code
    try:
        to = Slot(code, form.lesson_date, time_in(form.start_time, "start_time"))
        await moves.move(shown.staff, shown.at, to)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return Redirect("lessons:people", code=code, slot=str(to)).flash("done.moved")


@pages.post("/desk/{code}/message/{slot:path}", name="message")
async def message(shown: Shown, class_messages: ClassMessages, form: Said) -> Redirect:
    try:
        reached = await class_messages.send(shown.staff, shown.at, form.words, to_waiting=form.waiting)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.message", n=reached)


@pages.post("/desk/{code}/off/{slot:path}", name="call_off")
async def call_off(shown: Shown, desk: Desk, form: Said) -> Redirect:
    try:
        await desk.call_off(shown.staff, shown.at, form.words)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return shown.again.flash("done.called_off")


@pages.post("/desk/{code}/undo/{slot:path}", name="undo")
async def undo(shown: Shown, undoing: Undoing, form: Act) -> Redirect:
    try:
        at = await undoing.undo(shown.staff, shown.at, form.act_id)
    except Refusal as refusal:
        return shown.again.flash(refusal)
    return Redirect("lessons:people", code=shown.staff.studio.code, slot=str(at)).flash("done.undone")
