"""Repositories, issues, pull requests, stars, users and organisations. (The GitHub clone of The DynamoDB Book.)"""

from __future__ import annotations

from typing import Literal

from sekkei.design import Attr, Design, Index, Key, Query, Transaction, Update, attr, collection, model, part, template


@model
class Repo:
    owner: Attr[str] = part()
    name: Attr[str] = part()
    stars: Attr[int] = attr(default=0)
    numbers: Attr[int] = attr(default=0)
    gsi3pk: Attr[str] = template("ACCOUNT#{owner}", "GSI3PK")
    gsi3sk: Attr[str] = template("#REPO#{name}", "GSI3SK")


@model
class Issue:
    owner: Attr[str] = part()
    name: Attr[str] = part()
    number: Attr[int] = part()
    title: Attr[str] = attr()
    status: Attr[Literal["Open", "Closed"]] = attr(default="Open")
    gsi4pk: Attr[str] = template("ISSUES#{owner}#{name}#{status}", "GSI4PK")
    gsi4sk: Attr[str] = template("ISSUE#{number:08d}", "GSI4SK")


@model
class PullRequest:
    owner: Attr[str] = part()
    name: Attr[str] = part()
    number: Attr[int] = part()
    title: Attr[str] = attr()


@model
class Star:
    owner: Attr[str] = part()
    name: Attr[str] = part()
    user: Attr[str] = part()


@model
class User:
    name: Attr[str] = part()
    gsi3pk: Attr[str] = template("ACCOUNT#{name}", "GSI3PK")
    gsi3sk: Attr[str] = template("ACCOUNT#{name}", "GSI3SK")


@model
class Organisation:
    name: Attr[str] = part()
    members: Attr[frozenset[str]] = attr(default=frozenset())


design = Design("github", en="A GitHub of one table")
table = design.table(
    "github",
    "PK",
    "SK",
    discriminator="Type",
    indexes=[Index("GSI3", "GSI3PK", "GSI3SK"), Index("GSI4", "GSI4PK", "GSI4SK")],
)


@table.entity(Repo, type="Repo")
def repos(owner: str, name: str) -> Key:
    return Key(f"REPO#{owner}#{name}", f"REPO#{owner}#{name}")


@table.entity(Issue, type="Issue")
def issues(owner: str, name: str, number: int) -> Key:
    return Key(f"REPO#{owner}#{name}", f"ISSUE#{number:08d}")


@table.entity(PullRequest, type="PullRequest")
def pull_requests(owner: str, name: str, number: int) -> Key:
    return Key(f"PR#{owner}#{name}", f"PR#{number:08d}")


@table.entity(Star, type="Star")
def stars(owner: str, name: str, user: str) -> Key:
    return Key(f"REPO#{owner}#{name}", f"STAR#{user}")


@table.entity(User, type="User")
def users(name: str) -> Key:
    return Key(f"ACCOUNT#{name}", f"ACCOUNT#{name}")


@table.entity(Organisation, type="Organisation")
def organisations(name: str) -> Key:
    return Key(f"ACCOUNT#{name}", f"ACCOUNT#{name}")  # a name is a user's or an organisation's, never both


by_state = issues.index("GSI4")
by_account = repos.index("GSI3")
design.relate(users, repos)
design.relate(repos, issues, pull_requests, stars)


@design.pattern
def create_repo(repo: Repo) -> Transaction:
    """A new repository of a user."""
    return Transaction(users.must_exist(repo.owner), repos.create(repo))


@design.pattern
def next_number(owner: str, name: str) -> Update[Repo]:
    """The number of the next issue or pull request."""
    return repos.update(owner, name).add(Repo.numbers, 1)


@design.pattern
def open_issue(issue: Issue) -> Transaction:
    """A new issue, under the number that was drawn."""
    return Transaction(repos.must_exist(issue.owner, issue.name), issues.create(issue))


@design.pattern
def repo_and_issues(owner: str, name: str) -> Query[Repo | Issue]:
    """A repository with its issues, without its stars."""
    return collection(repos, issues).where(Repo.owner == owner, Repo.name == name)


@design.pattern
def issues_by_status(owner: str, name: str, status: Literal["Open", "Closed"]) -> Query[Issue]:
    """Open or closed issues, the newest first."""
    return by_state.where(Issue.owner == owner, Issue.name == name, Issue.status == status).backwards()


@design.pattern
def star(owner: str, name: str, user: str) -> Transaction:
    """Star a repository, once."""
    return Transaction(
        stars.create(Star(owner=owner, name=name, user=user)), repos.update(owner, name).add(Repo.stars, 1)
    )


@design.pattern
def stargazers(owner: str, name: str) -> Query[Star]:
    """Who starred a repository."""
    return stars.where(Star.owner == owner, Star.name == name)


@design.pattern
def repos_of(owner: str) -> Query[Repo]:
    """The repositories of an account."""
    return by_account.where(Repo.owner == owner)
