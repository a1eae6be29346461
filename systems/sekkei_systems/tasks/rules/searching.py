"""What a search looks for, and where: titles, descriptions, comments, names of tags and people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sekkei_systems.tasks.design import SEARCHED_CHARACTERS_MAX, Task, searched


def text_of_task(title: str, description: str) -> str:
    return searched(f"{title}\n{description}")[:SEARCHED_CHARACTERS_MAX]


@dataclass(frozen=True, slots=True)
class Named:
    """Which tags and people a word means, by their names."""

    tags: Mapping[str, frozenset[str]]
    """Word to refs of tags."""
    people: Mapping[str, frozenset[str]]

    @classmethod
    def by(cls, words: Iterable[str], tags: Mapping[str, str], people: Mapping[str, str]) -> Named:
        """`tags` and `people` are names by ref and by id."""
        listed = list(words)
        return cls({word: _named(word, tags) for word in listed}, {word: _named(word, people) for word in listed})

    def words_of(self, task: Task) -> set[str]:
        """The words that a task answers by its tags and its assignee."""
        return {word for word, refs in self.tags.items() if refs & task.tags} | {
            word for word, ids in self.people.items() if task.assignee in ids
        }

    @property
    def refs(self) -> frozenset[str]:
        return frozenset().union(*self.tags.values())

    @property
    def ids(self) -> frozenset[str]:
        return frozenset().union(*self.people.values())


def _named(word: str, names: Mapping[str, str]) -> frozenset[str]:
    """With or without the space in a name."""
    plain = {id: searched(name) for id, name in names.items()}
    return frozenset(id for id, name in plain.items() if word in name or word in "".join(name.split()))
