"""A team's tags."""

from __future__ import annotations

from sekkei.web import Operations, PageOf
from sekkei_systems.tasks.api.shapes import NewTag, TagOut
from sekkei_systems.tasks.design import Tag
from sekkei_systems.tasks.service import Admin, Member, Tags

operations = Operations()


def out(tag: Tag) -> TagOut:
    return TagOut(tag.tag_id, tag.name, tag.color.text, tag.color.background)


@operations.get("/teams/{team_id}/tags", summary="Tags", tag="tags")
async def list_tags(member: Member, tags: Tags) -> PageOf[TagOut]:
    return PageOf([out(tag) for tag in await tags.all(member)])


@operations.post("/teams/{team_id}/tags", summary="Add a tag", status=201, tag="tags")
async def add_tag(admin: Admin, tags: Tags, body: NewTag) -> TagOut:
    return out(await tags.add(admin, body.name, body.color))


@operations.put("/teams/{team_id}/tags/{tag_id}", summary="Rename or recolour a tag", tag="tags")
async def change_tag(admin: Admin, tags: Tags, tag_id: str, body: NewTag) -> TagOut:
    return out(await tags.change(admin, tag_id, body.name, body.color))


@operations.delete("/teams/{team_id}/tags/{tag_id}", summary="Delete a tag, from all tasks too", status=202, tag="tags")
async def delete_tag(admin: Admin, tags: Tags, tag_id: str) -> None:
    await tags.delete(admin, tag_id)
