"""Forms: typed values out of what a browser sends, or the form again with what is wrong beside each field.

    class NewTask(msgspec.Struct):
        title: Annotated[str, Line(200)]
        start: date | None = None
        tags: list[str] = []

    @pages.post("/teams/{team_id}/tasks")
    async def create(view: View, tasks: Tasks, sent: Sent[NewTask]) -> Html | Redirect:
        try:
            await tasks.create(view.member, sent.value)     # either may raise Invalid(field="start")
        except Invalid as wrong:
            return Html("tasks/new.html", 422, view=view, form=sent.refilled(wrong))
        return Redirect("tasks:board", team_id=view.team_id).flash("task.created")

An input has the Python name of its field, also where an API spells that name in another way. An empty input takes the
default. Where the default is UNSET, a missing input stays UNSET and an empty one is None: a form changes what it shows.
A form that is never shown again is asked for as `form: NewTask`; what is wrong with it becomes a page of its own.
In the template `{{ ui.field(form, "title", label=t("task.title")) }}`; for a first look, `form=Form({...})`.
"""

from __future__ import annotations

import contextlib
import functools
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request

from sekkei.kit.dates import Unread, read_day
from sekkei.kit.typed import cleaned
from sekkei.runtime.refusals import Invalid, Refusal
from sekkei.texts import DEFAULT
from sekkei.web.csrf import FIELD
from sekkei.web.texts import language_of, t

S = TypeVar("S", bound=msgspec.Struct)
_LINE_ENDS = re.compile(r"\r\n?")


@dataclass(slots=True)
class Form:
    """What stands in the fields, and what is wrong with it."""

    values: Mapping[str, Any] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


class FormErrors(Invalid):
    """Several fields may be wrong at once; `errors` has a text for each."""

    code = "form"

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.form = form
        self.errors = form.errors


@dataclass(frozen=True, slots=True)
class Sent(Generic[S]):
    """A form as it was sent: `value` is what it says, `refilled` shows it again. In a test: `Sent(NewTask("x"))`."""

    read: S | FormErrors
    filled: Form = field(default_factory=Form)
    language: str = DEFAULT

    @property
    def value(self) -> S:
        if isinstance(self.read, FormErrors):
            raise self.read
        return self.read

    def refilled(self, wrong: Refusal) -> Form:
        """The form as it was sent, with the refusal beside the field that it is about (or above all)."""
        if isinstance(wrong, FormErrors):
            return wrong.form
        return Form(self.filled.values, {wrong.field or "": wrong.text(self.language)})


async def sent(request: Request, model: type[S]) -> Sent[S]:
    """The form as an instance of `model`, or with what is wrong with it."""
    try:
        read: S | FormErrors = await form(request, model)
    except FormErrors as wrong:
        read = wrong
    return Sent(read, Form(_plain(request.state.form_data)), language_of(request))


async def form(request: Request, model: type[S]) -> S:
    """Read the form as an instance of `model`; raise FormErrors for what is wrong with it."""
    data = await request.form()
    request.state.form_data = data
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for info, hint in described(model):
        value = _value(data, info.name, hint)
        erased = value is None and info.default is msgspec.UNSET and info.name in data
        if value is None and (info.required or (erased and type(None) not in _alternatives(hint))):
            errors[info.name] = t(request, "form.required")
        elif value is not None or erased:
            try:
                values[info.name] = cleaned(msgspec.convert(value, hint, strict=False), hint)
            except msgspec.ValidationError as error:
                errors[info.name] = reason(request, str(error))
    if errors:
        raise FormErrors(Form(_plain(data), errors))
    try:
        return model(**values)
    except (ValueError, TypeError) as error:  # what __post_init__ refuses
        raise FormErrors(Form(_plain(data), {"": str(error)})) from None


@functools.cache
def described(model: type[msgspec.Struct]) -> tuple[tuple[msgspec.structs.FieldInfo, Any], ...]:
    """Return the fields of a model with their types; type parameters are filled in, unlike by `get_type_hints`."""
    return tuple((info, info.type) for info in msgspec.structs.fields(model))


def is_several(hint: Any) -> bool:
    """Whether a field holds a list."""
    return any(_base(one) in (list, set, frozenset, tuple) for one in _alternatives(hint))


def refill(request: Request, wrong: Refusal) -> Form:
    """The form as it was sent, with the refusal beside the field that it is about (or above all)."""
    if isinstance(wrong, FormErrors):
        return wrong.form
    data: FormData = getattr(request.state, "form_data", FormData())
    return Form(_plain(data), {wrong.field or "": wrong.text(language_of(request))})


def _value(data: FormData, name: str, hint: Any) -> Any:
    """A field's text, its texts when it may have several, or None when there is nothing in it."""
    if is_several(hint):
        found = [_clean(one) for one in data.getlist(name) if isinstance(one, str) and one != ""]
        return found or None
    value = data.get(name)
    if not isinstance(value, str):
        return None
    if _accepts_bool(hint):
        return value in ("on", "true", "1", "yes")
    text = _clean(value)
    if any(_base(one) is date for one in _alternatives(hint)):
        with contextlib.suppress(Unread):
            text = read_day(text).isoformat()
    return text if text.strip() else None


def _clean(text: str) -> str:
    return _LINE_ENDS.sub("\n", text).strip()


def _alternatives(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) in (Union, types.UnionType):
        return get_args(hint)
    return (hint,)


def _base(hint: Any) -> Any:
    """Without Annotated and type parameters."""
    while hasattr(hint, "__metadata__"):
        hint = hint.__origin__
    return get_origin(hint) or hint


def _accepts_bool(hint: Any) -> bool:
    return any(_base(one) is bool for one in _alternatives(hint))


def _plain(data: FormData) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in data:
        if name != FIELD and "password" not in name:
            texts = [one for one in data.getlist(name) if isinstance(one, str)]
            found[name] = texts[0] if len(texts) == 1 else texts
    return found


_REASONS = (
    (re.compile(r"length >= (\d+)"), "form.too-short"),
    (re.compile(r"length <= (\d+)"), "form.too-long"),
    (re.compile(r"`(?:int|float|decimal)` >= (-?[\d.]+)"), "form.too-small"),
    (re.compile(r"`(?:int|float|decimal)` <= (-?[\d.]+)"), "form.too-large"),
    (re.compile(r"`(?:int|float|decimal)` > (-?[\d.]+)"), "form.not-above"),
    (re.compile(r"`(?:int|float|decimal)` < (-?[\d.]+)"), "form.not-below"),
    (re.compile(r"missing required field()"), "form.required"),
    (re.compile(r"unknown field()"), "form.unknown-field"),
    (re.compile(r"(?:Invalid enum value|Expected `enum)()"), "form.not-a-choice"),
    (re.compile(r"Invalid RFC3339 encoded (?:date|datetime)|Invalid RFC3339()|`date(?:time)?`()"), "form.not-a-date"),
    (re.compile(r"matching regex()"), "form.wrong-form"),
    (re.compile(r"Expected `(?:int|float|decimal)()"), "form.not-a-number"),
)


def reason(request: Request, message: str) -> str:
    """What is wrong with a value, in the words of the user's language."""
    for pattern, key in _REASONS:
        found = pattern.search(message)
        if found:
            limit = next((group for group in found.groups() if group), "")
            return t(request, key, limit=limit)
    return t(request, "form.wrong")
