"""Who may see what: the rules alone, without a store. Every way to an answer asks these functions."""

from __future__ import annotations

from dataclasses import dataclass

from sekkei.design import replace
from sekkei_systems.q.design.models import Answer, ProfilePart, User, Visibility
from sekkei_systems.q.rules.writing import PARTS, waiting


@dataclass(frozen=True, slots=True)
class Relation:
    """How a viewer and another user stand to each other, seen by the viewer."""

    follows: bool = False
    followed: bool = False
    blocks: bool = False
    blocked: bool = False
    mutes: bool = False
    """For showing only: what a muted person writes can still be read, it is just not in the timeline."""

    @property
    def mutual(self) -> bool:
        return self.follows and self.followed

    @property
    def apart(self) -> bool:
        """One of them blocks the other."""
        return self.blocks or self.blocked


def is_present(user: User | None) -> bool:
    """Neither suspended nor leaving; whoever is, is not there for anybody else."""
    return user is not None and not user.is_banned and user.deleting_at is None


def reads_answers(viewer: str, author: User | None, relation: Relation) -> bool:
    """May the viewer read what this author answers?

    Followers may, or only those whom the author follows too. A private account changes who can become a follower, not
    what followers see.
    """
    if author is None:
        return False
    if author.user_id == viewer:
        return True
    if not is_present(author) or relation.apart or not relation.follows:
        return False
    return author.visibility_type is Visibility.FOLLOWERS or relation.followed


def is_shown(viewer: str, answer: Answer | None, hides_flagged: bool = True) -> bool:
    """Is this answer there for the viewer, given that they may read its author?

    What holds a forbidden word is seen by its author alone until somebody has looked at it, unless the operator wants
    it to be seen meanwhile.
    """
    if answer is None or answer.is_deleted:
        return False
    return not answer.is_flagged or answer.user_id == viewer or not hides_flagged


def has_answered(own: Answer | None) -> bool:
    """One's own answer opens the others'; one that is taken back closes them again."""
    return own is not None and not own.is_deleted


def sees_profile(viewer: str, other: User, relation: Relation) -> bool:
    """About, history and lists of a private account are for its followers."""
    if other.user_id == viewer:
        return True
    return not relation.apart and (not other.is_private or relation.follows)


def veiled(viewer: str, user: User, hides_flagged: bool = True) -> User:
    """Somebody as the viewer sees them: a name, bio or picture that waits for a look is its owner's alone.

    The operator may show words meanwhile, as with answers; a picture waits only where the operator wants it to.
    """
    if user.user_id == viewer:
        return user
    hidden = [PARTS[part] for part in waiting(user) if hides_flagged or part is ProfilePart.PICTURE]
    return replace(user, **{part.field.name: None for part in hidden}) if hidden else user
