"""Attributes of a model: `title: Attr[str] = attr("team_task_title")`.

To a type checker `task.title` is a str and `Task.title` is a `Field[Task, str]`, which makes conditions and updates.
At run time `Task.title` is the Field; an instance's own value hides it, so reading `task.title` costs nothing extra.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, Protocol, TypeVar, overload

from .codecs import AttributeValue, Codec, Unfit
from .conditions import Between, Call, Compare, Condition, Expression, OneOf
from .errors import ValueRefused

_T = TypeVar("_T")
_X = TypeVar("_X")
M = TypeVar("M")
_N = TypeVar("_N")
_K = TypeVar("_K")
_P = ParamSpec("_P")
_M_co = TypeVar("_M_co", covariant=True)

MISSING: Any = object()
_Role = Literal["attr", "part", "computed", "template", "version"]


class Attr(Generic[_T]):
    """The annotation of a stored attribute."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type[M]) -> Field[M, _T]: ...
        @overload
        def __get__(self, instance: object, owner: Any) -> _T: ...
        def __get__(self, instance: Any, owner: Any) -> Any: ...
        def __set__(self, instance: object, value: _T) -> None: ...


class Spec:
    """What a specifier such as `attr(...)` said, until `@model` knows the name and the type."""

    def __init__(self, role: _Role, stored: str | None, **options: Any) -> None:
        self.role, self.stored, self.options = role, stored, options


if TYPE_CHECKING:

    class Takes(Protocol[_M_co, _P]):
        """An attribute of a model, and what can be set to it: so a checker says which value does not fit."""

        def _takes(self, *value: _P.args, **named: _P.kwargs) -> _M_co: ...


class Field(Generic[M, _T]):
    """One attribute of a model; compares into conditions."""

    if TYPE_CHECKING:

        def _takes(self, value: _T) -> M: ...

    def __init__(self, owner: type[Any], name: str, annotation: Any, codec: Codec, optional: bool, spec: Spec) -> None:
        options = spec.options
        self.owner, self.name, self.annotation = owner, name, annotation
        self.stored: str = spec.stored or name
        self.codec, self.optional, self.role = codec, optional, spec.role
        self.default: Any = options.get("default", MISSING)
        self.factory: Callable[[], Any] | None = options.get("default_factory")
        self.form: str | None = options.get("form")
        self.absent_as: Any = options.get("absent_as")
        self.escape: bool = options.get("escape", False)
        self.function: Callable[..., Any] | None = options.get("function")
        self.text: str | None = options.get("text")
        self.kept: bool = options.get("kept", True)
        self.ja: str = options.get("ja", "")
        self.en: str = options.get("en", "")
        self.added: bool = options.get("added", False)
        self.path: tuple[str | int, ...] = (self.stored,)
        self.root = name  # the attribute that a nested path starts from

    @property
    def label(self) -> str:
        return f"{self.owner.__name__}.{self.name}"

    @property
    def derived(self) -> bool:
        """Is the value made from other attributes?"""
        return self.role in ("computed", "template")

    @property
    def in_init(self) -> bool:
        return not self.derived and self.role != "version"

    @property
    def is_stored(self) -> bool:
        """Does the attribute stand in the item by itself (and not only inside a key)?"""
        return self.role != "part" and self.kept

    @property
    def required(self) -> bool:
        return self.default is MISSING and self.factory is None and not self.derived and self.role != "version"

    def default_value(self) -> Any:
        return self.factory() if self.factory is not None else self.default

    def __repr__(self) -> str:
        return f"<{self.label}>"

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            return self
        if self.derived:
            return type(instance).__sekkei__.derive(self, instance.__dict__)
        raise AttributeError(f"{self.label} has no value on this {owner.__name__}")

    # Encoding

    def encode(self, value: Any) -> AttributeValue | None:
        """As stored; None when the attribute is to be absent."""
        if value is None and self.optional:
            return None
        try:
            if self.codec.empty is not None and not value:
                return None
            stored = self.codec.encode(value)
        except Unfit as error:
            raise ValueRefused("SK201", f"{self.label} {error}. Pass a value of the declared type.") from None
        if self.form is not None:
            self.check_form(value)
        return stored

    def check_form(self, value: Any) -> None:
        start, end = (self.form or "{}").split("{}")
        text = str(value)
        if text.startswith("{"):
            return  # a stand-in while planning
        if not (text.startswith(start) and text.endswith(end) and len(text) > len(start) + len(end)):
            raise ValueRefused("SK202", f"{self.label} must look like {self.form}, got {text!r}. Build it that way.")

    def operand(self, other: Any, into: Expression) -> str:
        if isinstance(other, Field):
            return other.render(into)
        stored = self.encode(other)
        if stored is None:
            raise ValueRefused(
                "SK212", f"{self.label} is compared with {other!r}, which is never stored. Use .exists() or .absent()."
            )
        return into.value(stored)

    def render(self, into: Expression) -> str:
        if not self.is_stored:
            raise ValueRefused(
                "SK213",
                f"{self.label} exists only inside a key, so no condition or update can name it. "
                "Compare it in .where(...), or declare it with attr() to store it as well.",
            )
        return into.path(self.path)

    # Comparing

    __hash__ = object.__hash__

    def __eq__(self, other: _T | Field[M, Any]) -> Condition[M]:  # type: ignore[override]
        return self.absent() if other is None else Compare(self, "=", other)

    def __ne__(self, other: _T | Field[M, Any]) -> Condition[M]:  # type: ignore[override]
        return self.exists() if other is None else Compare(self, "<>", other)

    def __lt__(self, other: _T | Field[M, Any]) -> Condition[M]:
        return Compare(self, "<", other)

    def __le__(self, other: _T | Field[M, Any]) -> Condition[M]:
        return Compare(self, "<=", other)

    def __gt__(self, other: _T | Field[M, Any]) -> Condition[M]:
        return Compare(self, ">", other)

    def __ge__(self, other: _T | Field[M, Any]) -> Condition[M]:
        return Compare(self, ">=", other)

    def is_(self, value: _T) -> Condition[M]:
        """The same as ==, for True and False, where linters want `is`."""
        return self == value

    def between(self, low: _T, high: _T) -> Condition[M]:
        """Both ends included."""
        return Between(self, low, high)

    def one_of(self, *options: _T) -> Condition[M]:
        return OneOf(self, options)

    def exists(self) -> Condition[M]:
        return Call("attribute_exists", self)

    def absent(self) -> Condition[M]:
        return Call("attribute_not_exists", self)

    def begins_with(self, start: str) -> Condition[M]:
        return Call("begins_with", self, {"S": start})

    @overload
    def contains(self: Field[_N, frozenset[_X]], element: _X) -> Condition[_N]: ...
    @overload
    def contains(self: Field[_N, set[_X]], element: _X) -> Condition[_N]: ...
    @overload
    def contains(self: Field[_N, list[_X]], element: _X) -> Condition[_N]: ...
    @overload
    def contains(self: Field[_N, tuple[_X, ...]], element: _X) -> Condition[_N]: ...
    @overload
    def contains(self: Field[_N, str] | Field[_N, str | None], element: str) -> Condition[_N]: ...
    def contains(self, element: Any) -> Any:
        """A set or list that holds the element, or a text that holds the other text."""
        inner: Codec = getattr(self.codec, "inner", self.codec)
        try:
            return Call("contains", self, inner.encode(element))
        except Unfit as error:
            raise ValueRefused("SK201", f"an element of {self.label} {error}.") from None

    def size(self) -> Field[M, int]:
        """The length of a text, or the number of elements: `Task.tags.size() < 10`."""
        from .codecs import Integer

        measured: _SizeOf[M] = _SizeOf(self.owner, self.name, int, Integer(), False, Spec("attr", self.stored))
        measured.path = self.path
        return measured

    # Inside maps and lists

    def _inside(self, step: str | int, codec: Codec, name: str) -> Any:
        inner = object.__new__(type(self))
        inner.__dict__.update(self.__dict__)
        inner.path, inner.codec, inner.name = (*self.path, step), codec, f"{self.name}.{name}"
        inner.optional, inner.form = True, None
        return inner

    @overload
    def at(self: Field[_N, _K], inner: Field[_K, _X]) -> Field[_N, _X]: ...
    @overload
    def at(self: Field[_N, _K | None], inner: Field[_K, _X]) -> Field[_N, _X]: ...
    def at(self, inner: Any) -> Any:
        """An attribute of a nested model: `Tag.color.at(Color.background)`."""
        return self._inside(inner.stored, inner.codec, inner.name)

    @overload
    def entry(self: Field[_N, dict[str, _X]], key: str) -> Field[_N, _X]: ...
    @overload
    def entry(self: Field[_N, dict[str, _X] | None], key: str) -> Field[_N, _X]: ...
    @overload
    def entry(self: Field[_N, list[_X]], key: int) -> Field[_N, _X]: ...
    def entry(self, key: Any) -> Any:
        """One value of a dict, or one element of a list."""
        return self._inside(key, getattr(self.codec, "inner", self.codec), str(key))


class _SizeOf(Field[M, int]):
    """`size(path)`; compares with whole numbers."""

    def render(self, into: Expression) -> str:
        return f"size({into.path(self.path)})"


# What stands behind the equals sign of an attribute.


@overload
def attr(
    stored: str | None = None,
    *,
    form: str | None = None,
    escape: bool = False,
    stored_as: Codec | None = None,
    ja: str = "",
    en: str = "",
    added: bool = False,
) -> Any: ...
@overload
def attr(
    stored: str | None = None,
    *,
    default: _T,
    form: str | None = None,
    absent_as: Any = None,
    escape: bool = False,
    stored_as: Codec | None = None,
    ja: str = "",
    en: str = "",
    added: bool = False,
) -> Attr[_T]: ...
@overload
def attr(
    stored: str | None = None,
    *,
    default_factory: Callable[[], _T],
    stored_as: Codec | None = None,
    ja: str = "",
    en: str = "",
    added: bool = False,
) -> Attr[_T]: ...
def attr(stored: str | None = None, **options: Any) -> Any:
    """A stored attribute.

    `stored`     its name in the table, when it is not the Python name
    `form`       the shape every value has, such as "EVT#{}"; lets the value stand inside a key with its delimiter
    `absent_as`  the value that stands for None inside a key, so that the item stays in the index
    `escape`     percent-escape the delimiter inside keys instead of refusing it
    `stored_as`  how it is stored when the type alone does not say: `iso("+09:00", 0)`, `epoch()`, `approximate()`
    `ja`, `en`   what the attribute is, for the document
    `added`      came later than the rest; the document says so in the words of the design's `added=`
    """
    return Spec("attr", stored, **options)


def part(
    *,
    form: str | None = None,
    escape: bool = False,
    stored_as: Codec | None = None,
    ja: str = "",
    en: str = "",
    added: bool = False,
) -> Any:
    """A part of the key that is stored nowhere else; reading an item takes it out of the key."""
    return Spec("part", None, form=form, escape=escape, stored_as=stored_as, ja=ja, en=en, added=added)


def computed(
    function: Callable[..., _T],
    stored: str | None = None,
    *,
    keep: bool = True,
    stored_as: Codec | None = None,
    ja: str = "",
    en: str = "",
    added: bool = False,
    init: Literal[False] = False,
) -> Attr[_T]:
    """A value made by a pure function whose parameters name attributes. Stored, unless `keep` is False.

    None means absent: an index on the attribute becomes sparse.
    """
    found: Any = Spec("computed", stored, function=function, kept=keep, stored_as=stored_as, ja=ja, en=en, added=added)
    return found  # type: ignore[no-any-return]


def template(
    text: str,
    stored: str | None = None,
    *,
    ja: str = "",
    en: str = "",
    added: bool = False,
    init: Literal[False] = False,
) -> Attr[str]:
    """A stored text made of other attributes: `template("{event_id}#{created_at}#{notice_id}")`.

    Absent as soon as one of them is None: an index on the attribute becomes sparse.
    """
    found: Any = Spec("template", stored, text=text, ja=ja, en=en, added=added)
    return found  # type: ignore[no-any-return]


def version(stored: str | None = None, *, added: bool = False, init: Literal[False] = False) -> Attr[int]:
    """Counts the writes of an item. A write that knows the version is refused when another came first."""
    found: Any = Spec("version", stored, default=0, added=added, en="number of writes", ja="更新回数（楽観ロック）")
    return found  # type: ignore[no-any-return]
