"""A team's tags."""

from __future__ import annotations

from sekkei.web import Api, PageOf, User
from sekkei_systems.tasks.api.shapes import (
    NewTag,
    TagOut,
)
from sekkei_systems.tasks.design import (
    Tag,
)
from sekkei_systems.tasks.service import Service


def declare(api: Api, service: Service) -> None:
    def out(tag: Tag) -> TagOut:
        return TagOut(tag.tag_id, tag.name, tag.color.text, tag.color.background)

    @api.get("/teams/{team_id}/tags", summary="Tags", tag="tags")
    async def list_tags(user: User, team_id: str) -> PageOf[TagOut]:
        return PageOf([out(tag) for tag in await service.teams.tags(user.id, team_id)])

    @api.post("/teams/{team_id}/tags", summary="Add a tag", status=201, tag="tags")
    async def add_tag(user: User, team_id: str, body: NewTag) -> TagOut:
        return out(await service.teams.add_tag(user.id, team_id, body.name, body.color))

    @api.put("/teams/{team_id}/tags/{tag_id}", summary="Rename or recolour a tag", tag="tags")
    async def change_tag(user: User, team_id: str, tag_id: str, body: NewTag) -> TagOut:
        return out(await service.teams.change_tag(user.id, team_id, tag_id, body.name, body.color))

    @api.delete("/teams/{team_id}/tags/{tag_id}", summary="Delete a tag, from all tasks too", status=202, tag="tags")
    async def delete_tag(user: User, team_id: str, tag_id: str) -> None:
        await service.teams.delete_tag(user.id, team_id, tag_id)
