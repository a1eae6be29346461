"""Users, followers, posts, likes and a timeline. (AWS's guide: "social network schema".)"""

from __future__ import annotations

from datetime import datetime

from sekkei.design import Attr, Design, Key, Query, Ref, Transaction, attr, epoch, model, part


@model
class Profile:
    user_id: Attr[str] = part()
    name: Attr[str] = attr()


@model
class Counts:
    user_id: Attr[str] = part()
    followers: Attr[int] = attr(default=0)
    posts: Attr[int] = attr(default=0)


@model
class Follower:
    user_id: Attr[str] = part()
    follower_id: Attr[str] = part()


@model
class Post:
    user_id: Attr[str] = part()
    post_id: Attr[str] = part()
    text: Attr[str] = attr()


@model
class Like:
    post_id: Attr[str] = part()
    liker_id: Attr[str] = part()


@model
class Timeline:
    user_id: Attr[str] = part()
    post_id: Attr[str] = part()
    author: Attr[str] = attr()
    expires: Attr[datetime | None] = attr("ttl", default=None, stored_as=epoch())


design = Design("social-network", en="A social network")
table = design.table("social", "PK", "SK", discriminator="type", ttl="ttl", stream="NEW_IMAGE")


@table.entity(Profile, type="info")
def profiles(user_id: str) -> Key:
    return Key(f"u#{user_id}", "info")


@table.entity(Counts, type="count")
def counts(user_id: str) -> Key:
    return Key(f"u#{user_id}", "count")


@table.entity(Follower, type="follower")
def followers(user_id: str, follower_id: str) -> Key:
    return Key(f"u#{user_id}#follower", f"u#{follower_id}")


@table.entity(Post, type="post")
def posts(user_id: str, post_id: str) -> Key:
    return Key(f"u#{user_id}#post", f"p#{post_id}")


@table.entity(Like, type="like")
def likes(post_id: str, liker_id: str) -> Key:
    return Key(f"p#{post_id}#likelist", f"u#{liker_id}")


@table.entity(Timeline, type="timeline")
def timelines(user_id: str, post_id: str) -> Key:
    return Key(f"u#{user_id}#timeline", f"p#{post_id}")


design.relate(profiles, followers, posts, timelines)
design.relate(profiles, counts, many=False)
design.relate(posts, likes)


@design.pattern
def user(user_id: str) -> tuple[Ref[Profile], Ref[Counts]]:
    """A person, with the counts."""
    return profiles(user_id), counts(user_id)


@design.pattern
def follow(user_id: str, follower_id: str) -> Transaction:
    """Follow somebody, once."""
    return Transaction(
        followers.create(Follower(user_id=user_id, follower_id=follower_id)),
        counts.upsert(user_id).add(Counts.followers, 1),
    )


@design.pattern
def followers_of(user_id: str) -> Query[Follower]:
    """Who follows somebody; the stream's reaction asks this to fill timelines."""
    return followers.where(Follower.user_id == user_id)


@design.pattern
def publish(post: Post) -> Transaction:
    """A new post, counted."""
    return Transaction(posts.create(post), counts.upsert(post.user_id).add(Counts.posts, 1))


@design.pattern
def posts_of(user_id: str) -> Query[Post]:
    """Somebody's posts, the newest first; post ids are in the order of time."""
    return posts.where(Post.user_id == user_id).backwards()


@design.pattern
def likes_of(post_id: str) -> Query[Like]:
    """Who likes a post."""
    return likes.where(Like.post_id == post_id)


@design.pattern
def timeline_of(user_id: str) -> Query[Timeline]:
    """What those whom somebody follows wrote, the newest first."""
    return timelines.where(Timeline.user_id == user_id).backwards()
