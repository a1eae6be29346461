"""What a search looks for."""

from __future__ import annotations

from sekkei_systems.tasks.rules.drafts import TaskDraft
from sekkei_systems.tasks.rules.filters import Filter
from sekkei_systems.tasks.rules.searching import Named, text_of_task


def test_one_form_of_letters() -> None:
    assert text_of_task("ＡＷＳ", "Deploy") == "aws\ndeploy"


def test_words_are_few_and_each_counts_once() -> None:
    assert Filter(text="ＡＷＳ　aws 手順").words == ("aws", "手順")
    assert Filter(text="  ").words == ()
    assert len(Filter(text=" ".join(map(str, range(30)))).words) == 8


def test_names_of_tags_and_people_answer_too() -> None:
    named = Named.by(("急", "佐藤葵", "zzz"), {"TAG#1": "急ぎ", "TAG#2": "API"}, {"aoi": "佐藤 葵", "ren": "鈴木 蓮"})
    task = TaskDraft("x", tags=frozenset({"1"}), assignee="aoi").task("t", "k")
    assert named.words_of(task) == {"急", "佐藤葵"}
    assert (named.refs, named.ids) == ({"TAG#1"}, {"aoi"})
    assert named.words_of(TaskDraft("x").task("t", "k")) == set()
