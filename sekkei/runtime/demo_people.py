"""The people of the demo data, the same in every system, so that one sign-in shows all of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who does not exist. `id` is the id of the account, wherever a system stores a user."""

    id: str
    email: str
    name: str
    romaji: str


DEMO_PEOPLE = (
    Person("demo-aoi", "aoi@demo.example", "佐藤 葵", "Aoi Sato"),
    Person("demo-ren", "ren@demo.example", "鈴木 蓮", "Ren Suzuki"),
    Person("demo-mei", "mei@demo.example", "高橋 芽衣", "Mei Takahashi"),
    Person("demo-sota", "sota@demo.example", "田中 颯太", "Sota Tanaka"),
    Person("demo-yui", "yui@demo.example", "伊藤 結衣", "Yui Ito"),
)
