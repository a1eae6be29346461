"""The public names of the floor: all there, in order, each explained."""

from __future__ import annotations

import inspect

import sekkei.design
import sekkei.publish


def test_exports_are_sorted_and_real() -> None:
    for package in (sekkei.design, sekkei.publish):
        assert package.__all__ == sorted(package.__all__)
        assert all(hasattr(package, name) for name in package.__all__)


def test_every_public_name_is_explained() -> None:
    for name in sekkei.design.__all__:
        assert inspect.getdoc(getattr(sekkei.design, name)), name


def test_every_verb_is_explained() -> None:
    design = sekkei.design
    for cls in (design.Database, design.Design, design.Entity, design.Query, design.Update, design.Put, design.Delete):
        for name, function in vars(cls).items():
            if inspect.isfunction(function) and not name.startswith("_"):
                assert inspect.getdoc(function), f"{cls.__name__}.{name}"


def test_a_designs_repr_says_what_it_is() -> None:
    from tests.design.example import by_group, design, late_to_start, tasks

    assert repr(design).startswith("<design example: 5 tables, ")
    assert repr(tasks) == "<entity tasks of board>"
    assert repr(by_group) == "<tasks in board.by_group>"
    assert repr(late_to_start) == "<pattern late_to_start>"
    assert repr(tasks("t", "k")) == "tasks(team_id='t', task_id='k')"
