"""Collections read what they were asked for: the smallest range of sort keys, and the plan names what else is in it."""

from __future__ import annotations

import pytest

from sekkei.design import Attr, Database, Design, DesignError, Key, Query, attr, collection, model, part
from sekkei.testing import store


@model
class Repo:
    owner: Attr[str] = part()
    name: Attr[str] = part()
    stars: Attr[int] = attr(default=0)


@model
class Issue:
    owner: Attr[str] = part()
    name: Attr[str] = part()
    number: Attr[int] = part()


@model
class Star:
    owner: Attr[str] = part()
    name: Attr[str] = part()
    user: Attr[str] = part()


@model
class Lock:
    owner: Attr[str] = part()
    name: Attr[str] = part()


@model
class Fork:
    source: Attr[str] = part()
    name: Attr[str] = part()
    owner: Attr[str] = part()


design = Design("github")
table = design.table("github", "PK", "SK", discriminator="type")


@table.entity(Repo, type="repo")
def repos(owner: str, name: str) -> Key:
    return Key(f"REPO#{owner}#{name}", f"REPO#{owner}#{name}")


@table.entity(Issue, type="issue")
def issues(owner: str, name: str, number: int) -> Key:
    return Key(f"REPO#{owner}#{name}", f"ISSUE#{number:06d}")


@table.entity(Star, type="star")
def stars(owner: str, name: str, user: str) -> Key:
    return Key(f"REPO#{owner}#{name}", f"STAR#{user}")


@table.entity(Lock, type="lock")
def locks(owner: str, name: str) -> Key:
    return Key(f"REPO#{owner}#{name}", "LOCK")


@table.entity(Fork, type="fork")
def forks(source: str, name: str, owner: str) -> Key:
    return Key(f"REPO#{source}#{name}", f"FORK#{owner}")


both = collection(repos, issues)


@design.pattern
def repo_and_issues(owner: str, name: str) -> Query[Repo | Issue]:
    """A repository with its issues."""
    return both.where(Repo.owner == owner, Repo.name == name)


@design.pattern
def repo_and_newer_issues(owner: str, name: str, number: int) -> Query[Repo | Issue]:
    """A repository with its issues from a number on."""
    return both.where(Repo.owner == owner, Repo.name == name, Issue.number >= number)


async def filled(db: Database) -> None:
    await db.write(repos.create(Repo(owner="o", name="r")))
    for number in range(5):
        await db.write(issues.create(Issue(owner="o", name="r", number=number)))
    await db.write_many(stars.put(Star(owner="o", name="r", user=f"{n:04d}")) for n in range(300))
    await db.write(locks.create(Lock(owner="o", name="r")))


async def test_a_collection_does_not_read_what_sorts_outside_of_it() -> None:
    async with store(design) as db:
        await filled(db)
        measuring = design.open(db.store, env="test", measure=True)
        found = await measuring.all(repo_and_issues("o", "r"))
        assert [type(one).__name__ for one in found] == ["Issue"] * 5 + ["Repo"]
        assert measuring.measurements.units["repo_and_issues"].read == 0.5


async def test_a_collection_takes_a_range_on_the_sort_key_of_one_of_them() -> None:
    async with store(design) as db:
        await filled(db)
        found = await db.all(repo_and_newer_issues("o", "r", 3))
        assert [one.number for one in found if isinstance(one, Issue)] == [3, 4]
        assert isinstance(found[-1], Repo)
        above = both.where(Repo.owner == "o", Repo.name == "r", Issue.number > 3)
        assert [one.number for one in await db.all(above) if isinstance(one, Issue)] == [4]
        everything = both.where(Repo.owner == "o", Repo.name == "r").backwards()
        assert isinstance(await db.first(everything), Repo)


def test_a_range_that_would_cut_something_else_is_refused() -> None:
    with pytest.raises(DesignError, match=r"SK153.*number"):
        both.where(Repo.owner == "o", Repo.name == "r", Issue.number <= 3)


def test_a_condition_on_what_no_sort_key_has_is_refused() -> None:
    with pytest.raises(DesignError, match=r"SK132.*stars"):
        both.where(Repo.owner == "o", Repo.name == "r", Repo.stars >= 3)


def test_the_plan_names_what_else_lies_in_the_range() -> None:
    plan = repo_and_issues.plans[0]
    assert plan.others == ("locks",)
    assert plan.key == 'PK = "REPO#{owner}#{name}" AND SK BETWEEN "ISSUE#" AND "REPO#{owner}#{name}"'
    assert "also reads: locks" in plan.lines()

    pattern = design.pattern

    @pattern
    def of_one(owner: str, name: str) -> Query[Issue]:
        """Issues alone."""
        return issues.where(Issue.owner == owner, Issue.name == name)

    assert of_one.plans[0].others == ()


def test_a_scan_reads_everybody() -> None:
    @design.pattern(scan="a test")
    def everything() -> Query[Issue]:
        """All issues."""
        return issues.scan()

    assert everything.plans[0].others == ("repos", "stars", "locks", "forks")


def test_entities_that_never_share_a_partition_and_those_that_name_it_differently() -> None:
    with pytest.raises(DesignError, match=r"SK145.*'REPO#\{owner\}#\{name\}'.*'REPO#\{source\}#\{name\}'.*the same"):
        collection(repos, forks)
    other = Design("other").table("things", "PK", "SK", discriminator="type")

    @other.entity(Repo, type="a")
    def ones(owner: str, name: str) -> Key:
        return Key(f"A#{owner}", name)

    @other.entity(Star, type="b")
    def others(owner: str, name: str, user: str) -> Key:
        return Key(f"B#{owner}", f"{name}#{user}")

    with pytest.raises(DesignError, match=r"SK145.*never in one partition"):
        collection(ones, others)


async def test_entities_of_one_form_of_sort_key_share_its_ranges() -> None:
    shared = Design("shared")
    events = shared.table("events", "PK", "SK", discriminator="type")

    @model
    class Opened:
        door: Attr[str] = part()
        at: Attr[int] = part()

    @model
    class Closed:
        door: Attr[str] = part()
        at: Attr[int] = part()

    @events.entity(Opened, type="opened")
    def opened(door: str, at: int) -> Key:
        return Key(f"DOOR#{door}", f"AT#{at:06d}")

    @events.entity(Closed, type="closed")
    def closed(door: str, at: int) -> Key:
        return Key(f"DOOR#{door}", f"AT#{at:06d}")

    async with store(shared) as db:
        for at in range(4):
            write = opened.create(Opened(door="d", at=at)) if at % 2 else closed.create(Closed(door="d", at=at))
            await db.write(write)
        found = collection(opened, closed).where(Opened.door == "d", Opened.at.between(1, 2))
        assert [type(one).__name__ for one in await db.all(found)] == ["Opened", "Closed"]
        below = collection(opened, closed).where(Opened.door == "d", Opened.at < 2)
        assert [one.at for one in await db.all(below)] == [0, 1]
