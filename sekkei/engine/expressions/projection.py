"""ProjectionExpression, and the legacy AttributesToGet: which parts of an item a reader wants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sekkei.engine.expressions import paths
from sekkei.engine.expressions.cache import Cache
from sekkei.engine.expressions.grammar import ProjectionReader
from sekkei.engine.expressions.lexer import invalid
from sekkei.engine.items.values import Item

PARAMETER = "ProjectionExpression"


class ProjectionTemplate:
    """A projection whose syntax and words are good."""

    def __init__(self, parameter: str, text: str) -> None:
        self.paths = ProjectionReader(parameter, text).read()
        paths.check_words(parameter, self.paths)
        self.placeholders = paths.placeholders(self.paths)


class Projection:
    """The paths a reader wants."""

    __slots__ = ("_top_level", "_tree", "attributes", "names", "nested", "values")

    def __init__(self, wanted: Iterable[paths.Elements], names: Iterable[str] = ()) -> None:
        wanted = list(wanted)
        self.names = frozenset(names)
        """The #placeholders it uses."""
        self.values: frozenset[str] = frozenset()
        self.attributes = frozenset(str(elements[0]) for elements in wanted)
        """The attributes it speaks of."""
        self.nested = frozenset(str(elements[0]) for elements in wanted if len(elements) > 1)
        """Those whose inside it speaks of."""
        self._tree = paths.PathTree.of((elements, None) for elements in wanted)
        self._top_level = None if self.nested else tuple(self._tree.names)

    def project(self, item: Item) -> Item:
        """The wanted parts; the item itself stays as it is, and shares them."""
        if self._top_level is not None:
            return {name: item[name] for name in self._top_level if name in item}
        return self._tree.project(item)


def _resolve(template: ProjectionTemplate, names: Mapping[str, str]) -> Projection:
    for path in template.paths:
        problem = paths.problem(path, names)
        if problem:
            raise invalid(PARAMETER, problem)
    wanted = [paths.resolved(path, names) for path in template.paths]
    problem = paths.clash(wanted)
    if problem:
        raise invalid(PARAMETER, problem)
    return Projection(wanted, template.placeholders)


_CACHE: Cache[ProjectionTemplate, Projection] = Cache(ProjectionTemplate, _resolve)


def parse_projection(text: str, names: Mapping[str, str] | None = None) -> Projection:
    return _CACHE.get(PARAMETER, text, names)
