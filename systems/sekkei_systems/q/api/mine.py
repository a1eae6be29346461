"""One's own account: joining, profile, devices, leaving."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.web import Api, PageOf, Shell, User
from sekkei_systems.q.api import shapes
from sekkei_systems.q.api.shapes import (
    AppId,
    ChangeMe,
    Device,
    DeviceToken,
    Farewell,
    Id,
    Join,
    Me,
    Notifications,
    Paging,
    Person,
    Picture,
    SentQuestion,
    Username,
)
from sekkei_systems.q.rules.notices import wishes_of
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.people import Profile, Visitor


def declare(api: Api, service: Service) -> None:
    _account(api, service)
    _devices_and_leaving(api, service)
    _requests_and_blocks(api, service)


def _account(api: Api, service: Service) -> None:
    @api.get("/me", summary="One's own account", tag="me")
    async def show_me(user: User) -> Me:
        return shapes.me((await service.access.joined(user.id)).user, service.sight.answer_first)

    @api.post("/me", summary="Join", status=201, tag="me")
    async def join(user: User, body: Join) -> Me:
        """From the age of 13 on. The ID is chosen afterwards, and needed to post."""
        visitor = Visitor(user.id, user.email if user.verified else "", body.display_name or "")
        changed = await service.people.join(visitor, body.birth_date)
        return shapes.me(changed, service.sight.answer_first)

    @api.patch("/me", summary="Change the profile", tag="me")
    async def change_me(user: User, body: ChangeMe) -> Me:
        profile = Profile(
            display_name=body.display_name,
            bio=body.bio,
            is_private=body.is_private,
            visibility=body.visibility_type,
            answers_first=body.answers_first,
        )
        return shapes.me(
            await service.people.change(await service.access.member(user.id), profile), service.sight.answer_first
        )

    @api.put("/me/app-id", summary="Choose the ID, once", tag="me")
    async def choose_app_id(user: User, body: AppId) -> Me:
        return shapes.me(
            await service.people.choose_app_id(await service.access.member(user.id), body.app_id),
            service.sight.answer_first,
        )

    @api.put("/me/username", summary="Choose or change the user name", tag="me")
    async def choose_username(user: User, body: Username) -> Me:
        return shapes.me(
            await service.people.choose_username(await service.access.member(user.id), body.username),
            service.sight.answer_first,
        )

    @api.put("/me/picture", summary="Set the picture", tag="me")
    async def set_picture(user: User, body: Picture) -> Me:
        """Cut to a square and drawn anew; what it tells besides, such as where it was taken, is not kept."""
        return shapes.me(
            await service.people.set_picture(await service.access.member(user.id), body.content),
            service.sight.answer_first,
        )

    @api.delete("/me/picture", summary="Remove the picture", tag="me")
    async def remove_picture(user: User) -> None:
        await service.people.remove_picture(await service.access.member(user.id))


def _devices_and_leaving(api: Api, service: Service) -> None:
    @api.put("/me/devices", summary="Register a device for pushes", status=204, tag="me")
    async def register_device(user: User, body: Device) -> None:
        await service.devices.register(await service.access.member(user.id), body.token, body.device_type)

    @api.post("/me/devices/forget", summary="Forget a device", status=204, tag="me")
    async def forget_device(user: User, body: DeviceToken) -> None:
        await service.devices.forget(await service.access.member(user.id), body.token)

    @api.get("/me/notifications", summary="What one is told, and when not", tag="me")
    async def notifications(user: User) -> Notifications:
        return shapes.notifications(wishes_of((await service.access.member(user.id)).user))

    @api.put("/me/notifications", summary="Say what one wants to be told", tag="me")
    async def set_notifications(user: User, body: Notifications) -> Notifications:
        """In quiet hours nothing is sent; what happens then arrives when they are over."""
        return shapes.notifications(
            await service.notices.wish(await service.access.member(user.id), shapes.wishes(body))
        )

    @api.post("/me/withdrawal", summary="Withdraw, in a week", status=202, tag="me")
    async def withdraw(request: Request, user: User) -> Farewell:
        """Invisible at once, deleted after seven days; until then it can be cancelled."""
        shell: Shell = request.app.state.shell
        alone = len(shell.deployment.systems) == 1  # nobody else here needs the account
        return Farewell(deleted_at=await service.leaving.ask(await service.access.member(user.id), leaves_house=alone))

    @api.delete("/me/withdrawal", summary="Stay after all", status=200, tag="me")
    async def stay(user: User) -> Me:
        return shapes.me(await service.leaving.cancel(await service.access.joined(user.id)), service.sight.answer_first)

    @api.get("/me/questions", summary="Questions that one has proposed", tag="questions")
    async def my_questions(user: User) -> list[SentQuestion]:
        return [
            shapes.sent_question(one) for one in await service.submissions.mine(await service.access.member(user.id))
        ]


def _requests_and_blocks(api: Api, service: Service) -> None:
    @api.get("/me/requests", summary="Who asks to follow", tag="people")
    async def requests(user: User, query: Paging) -> PageOf[Person]:
        page = await service.graph.requests(await service.access.member(user.id), query.after)
        return PageOf([shapes.card(user.id, one) for one in page], page.cursor)

    @api.post("/me/requests/{user_id}", summary="Let somebody follow", status=204, tag="people")
    async def accept(user: User, user_id: Id) -> None:
        await service.graph.accept(await service.access.member(user.id), user_id)

    @api.delete("/me/requests/{user_id}", summary="Decline a request", tag="people")
    async def decline(user: User, user_id: Id) -> None:
        await service.graph.decline(await service.access.member(user.id), user_id)

    @api.delete("/me/followers/{user_id}", summary="Remove a follower", tag="people")
    async def remove_follower(user: User, user_id: Id) -> None:
        await service.graph.remove_follower(await service.access.member(user.id), user_id)

    @api.get("/me/blocks", summary="Whom one blocks", tag="people")
    async def blocked(user: User, query: Paging) -> PageOf[Person]:
        page = await service.graph.blocked(await service.access.member(user.id), query.after)
        return PageOf([shapes.card(user.id, one) for one in page], page.cursor)

    @api.get("/me/mutes", summary="Whom one mutes", tag="people")
    async def muted(user: User, query: Paging) -> PageOf[Person]:
        page = await service.graph.muted(await service.access.member(user.id), query.after)
        return PageOf([shapes.card(user.id, one) for one in page], page.cursor)
