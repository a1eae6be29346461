"""Document paths: their placeholders resolved, looked up in an item, gathered in a tree; and projections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sekkei.engine.expressions.grammar import Cache, ProjectionReader, invalid, is_reserved
from sekkei.engine.expressions.nodes import Path, PathElement, shown
from sekkei.engine.items.values import AttributeValue, Item

_DEPTH_MAX = 32
_INDEX_MAX = 2**31 - 1

Elements = tuple[PathElement, ...]


def check_words(parameter: str, paths: Iterable[Path]) -> None:
    """Refuses names that are reserved words, and indexes no list can have."""
    for path in paths:
        for element in path.elements:
            if isinstance(element, int):
                if element > _INDEX_MAX:
                    raise invalid(parameter, f"List index is not within the allowable range; index: [{element}]")
            elif is_reserved(element):
                raise invalid(parameter, f"Attribute name is a reserved keyword; reserved keyword: {element}")


def placeholders(paths: Iterable[Path]) -> tuple[str, ...]:
    """The #placeholders in the paths, each once, as they are read."""
    found = {e: None for path in paths for e in path.elements if isinstance(e, str) and e.startswith("#")}
    return tuple(found)


def problem(path: Path, names: Mapping[str, str]) -> str:
    """Why the path cannot be resolved; empty when it can."""
    for element in path.elements:
        if isinstance(element, str) and element.startswith("#") and element not in names:
            return f"An expression attribute name used in the document path is not defined; attribute name: {element}"
    if len(path.elements) > _DEPTH_MAX:
        return f"The document path has too many nesting levels; nesting levels: {len(path.elements)}"
    return ""


def resolved(path: Path, names: Mapping[str, str]) -> Elements:
    return tuple(names[e] if isinstance(e, str) and e.startswith("#") else e for e in path.elements)


def find(item: Item, elements: Elements) -> AttributeValue | None:
    """What the path leads to; None when the item has no such place."""
    value: Any = {"M": item}
    for element in elements:
        if isinstance(element, int):
            members = value.get("L")
            if members is None or element >= len(members):
                return None
            value = members[element]
        else:
            entries = value.get("M")
            if entries is None:
                return None
            value = entries.get(element)
            if value is None:
                return None
    return value  # type: ignore[no-any-return]


class PathTree:
    """Several paths with their common beginnings joined. A leaf holds what was put at the end of its path."""

    __slots__ = ("content", "ends", "indexes", "names")

    def __init__(self) -> None:
        self.names: dict[str, PathTree] = {}
        self.indexes: dict[int, PathTree] = {}
        self.ends: list[int] = []
        """Positions of the paths that end here."""
        self.content: Any = None

    @classmethod
    def of(cls, paths: Iterable[tuple[Elements, Any]]) -> PathTree:
        root = cls()
        for position, (elements, content) in enumerate(paths):
            node = root
            for element in elements:
                if isinstance(element, int):
                    node = node.indexes.setdefault(element, cls())
                else:
                    node = node.names.setdefault(element, cls())
            node.ends.append(position)
            node.content = content
        return root

    @property
    def branches(self) -> list[PathTree]:
        return [*self.names.values(), *self.indexes.values()]

    @property
    def is_leaf(self) -> bool:
        return not self.names and not self.indexes

    def project(self, item: Item) -> Item:
        """The parts of the item that the paths lead to, each inside what it is inside of."""
        result: Item = {}
        for name, branch in self.names.items():
            value = item.get(name)
            if value is not None:
                part = branch._part(value)
                if part is not None:
                    result[name] = part
        return result

    def _part(self, value: AttributeValue) -> AttributeValue | None:
        if self.names:
            entries = self.project(value["M"]) if "M" in value else None
            return {"M": entries} if entries else None
        if self.indexes:
            members = self._members(value["L"]) if "L" in value else None
            return {"L": members} if members else None
        return value

    def _members(self, members: list[AttributeValue]) -> list[AttributeValue]:
        """Elements in the list's own order, whatever the order of the paths, and without gaps."""
        parts = [self.indexes[index]._part(members[index]) for index in sorted(self.indexes) if index < len(members)]
        return [part for part in parts if part is not None]


def clash(paths: list[Elements]) -> str:
    """Why the paths cannot stand in one expression; empty when they can.

    Two paths overlap when one leads into or to the other, and conflict when one takes for a map what the other takes
    for a list. Of several clashes DynamoDB reports an overlap before a conflict, and the latest path's before others.
    """
    tree = PathTree.of((path, None) for path in paths)
    pair = next(_overlaps(tree), None)
    word = "overlap"
    if pair is None:
        pair, word = next(_conflicts(tree), None), "conflict"
    if pair is None:
        return ""
    one, two = paths[min(pair)], paths[max(pair)]
    return (
        f"Two document paths {word} with each other; must remove or rewrite one of these paths; "
        f"path one: {shown(one)}, path two: {shown(two)}"
    )


def _newest_end(tree: PathTree) -> int:
    return max((*tree.ends, *map(_newest_end, tree.branches)))


def _newest_first(tree: PathTree) -> list[PathTree]:
    return sorted(tree.branches, key=_newest_end, reverse=True)


def _overlaps(tree: PathTree) -> Iterator[tuple[int, int]]:
    if len(tree.ends) > 1:
        yield tree.ends[0], tree.ends[-1]
    if tree.ends and not tree.is_leaf:
        yield tree.ends[-1], _newest_end(_newest_first(tree)[0])
    for branch in _newest_first(tree):
        yield from _overlaps(branch)


def _conflicts(tree: PathTree) -> Iterator[tuple[int, int]]:
    if tree.names and tree.indexes:
        yield max(map(_newest_end, tree.indexes.values())), max(map(_newest_end, tree.names.values()))
    for branch in _newest_first(tree):
        yield from _conflicts(branch)


_PARAMETER = "ProjectionExpression"


class _ProjectionTemplate:
    """A projection whose syntax and words are good."""

    def __init__(self, parameter: str, text: str) -> None:
        self.paths = ProjectionReader(parameter, text).read()
        check_words(parameter, self.paths)
        self.placeholders = placeholders(self.paths)


class Projection:
    """The paths a reader wants."""

    __slots__ = ("_top_level", "_tree", "attributes", "names", "nested", "values")

    def __init__(self, wanted: Iterable[Elements], names: Iterable[str] = ()) -> None:
        wanted = list(wanted)
        self.names = frozenset(names)
        """The #placeholders it uses."""
        self.values: frozenset[str] = frozenset()
        self.attributes = frozenset(str(elements[0]) for elements in wanted)
        """The attributes it speaks of."""
        self.nested = frozenset(str(elements[0]) for elements in wanted if len(elements) > 1)
        """Those whose inside it speaks of."""
        self._tree = PathTree.of((elements, None) for elements in wanted)
        self._top_level = None if self.nested else tuple(self._tree.names)

    def project(self, item: Item) -> Item:
        """The wanted parts; the item itself stays as it is, and shares them."""
        if self._top_level is not None:
            return {name: item[name] for name in self._top_level if name in item}
        return self._tree.project(item)


def _resolve(template: _ProjectionTemplate, names: Mapping[str, str]) -> Projection:
    for path in template.paths:
        fault = problem(path, names)
        if fault:
            raise invalid(_PARAMETER, fault)
    wanted = [resolved(path, names) for path in template.paths]
    fault = clash(wanted)
    if fault:
        raise invalid(_PARAMETER, fault)
    return Projection(wanted, template.placeholders)


_CACHE: Cache[_ProjectionTemplate, Projection] = Cache(_ProjectionTemplate, _resolve)


def parse_projection(text: str, names: Mapping[str, str] | None = None) -> Projection:
    return _CACHE.get(_PARAMETER, text, names)
