"""A few friends in the middle of a day: today's question is out, most have answered, and the operators have work."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import date, time, timedelta

from PIL import Image, ImageDraw

from sekkei.runtime import days
from sekkei.runtime.demo_people import DEMO_PEOPLE
from sekkei.runtime.system import Context, Parts
from sekkei_systems.q.demo import history
from sekkei_systems.q.demo.words import BIOS, FRIENDS
from sekkei_systems.q.design.models import DeviceType, User, Visibility
from sekkei_systems.q.design.tables import users
from sekkei_systems.q.rules.notices import Wishes
from sekkei_systems.q.service import Service
from sekkei_systems.q.service.people import Profile, Visitor, keep_name

_SCENES = (
    ((255, 214, 186), (72, 104, 140), (255, 120, 84)),
    ((186, 218, 240), (38, 92, 110), (255, 226, 150)),
    ((58, 52, 92), (28, 30, 58), (244, 236, 214)),
)
_STRANGERS = 2
"""The last two of the friends are none: one advertises, one pretends to be somebody else."""


@dataclass(frozen=True, slots=True)
class Friend:
    id: str
    email: str
    name: str
    app_id: str


async def demo(context: Context, parts: Parts) -> None:
    service: Service = parts.service
    friends = [
        *(Friend(one.id, one.email, one.name, one.id.removeprefix("demo-")) for one in DEMO_PEOPLE),
        *(Friend(f"friend-{app_id}", f"{app_id}@friends.example", name, app_id) for app_id, name in FRIENDS),
    ]
    for number, friend in enumerate(friends):
        await _join(context, service, friend, number)
    ids = [friend.id for friend in friends]
    for admin in (friends[0], friends[4]):
        update = users.update(admin.id).set(User.is_admin, True).set(User.was_admin, True)
        await context.db.transact(update, *keep_name(admin.id, admin.name))
    await _follow(service, ids)
    await history.questions_of_all(context, service, ids[:-_STRANGERS])
    await history.past(context, ids[:-_STRANGERS])
    await history.today(context, service, ids[:-_STRANGERS])
    await history.work(context, service, ids)
    await _find_each_other(service, ids)


async def _join(context: Context, service: Service, friend: Friend, number: int) -> None:
    people, terms = service.people, service.access.terms
    visitor = Visitor(friend.id, friend.email, friend.name, terms=terms.version if terms else None)
    await people.join(visitor, date(1996 + number % 9, 1 + number % 12, 8))
    member = await service.access.member(friend.id)
    await people.choose_app_id(member, friend.app_id)
    await people.choose_username(member, friend.app_id.title())
    visibility = Visibility.FOLLOWERS if number % 3 == 2 else Visibility.MUTUAL
    await people.change(
        member, Profile(bio=BIOS[number % len(BIOS)], visibility_type=visibility, answers_first=number == 3)
    )
    if number % 3 == 1:
        await people.set_picture(member, _picture(number))
    kind = DeviceType.ANDROID if number % 3 == 0 else DeviceType.IOS
    await service.devices.register(member, f"ExponentPushToken[demo-{friend.app_id}]", kind)
    if number % 4 == 1:
        wishes = Wishes(True, number % 8 == 1, True, number % 8 == 5, quiet_from=time(23), quiet_until=time(7))
        await service.notices.wish(member, wishes)
    joined = days.now(context.clock) - timedelta(days=400 - number * 23)
    await context.db.write(users.update(friend.id).set(User.created_at, joined))


async def _find_each_other(service: Service, ids: list[str]) -> None:
    """Two want to be found by their address, and one has sent a link around. Everybody is in the numbers."""
    await service.invites.make(await service.access.member(ids[0]))
    for one in ids[1:3]:
        await service.contacts.be_findable(await service.access.member(one), True)
    for one in ids:
        await service.numbers.presence(one)


def _picture(number: int) -> bytes:
    """A sun over a sea, in colours of its own."""
    sky, sea, sun = _SCENES[number // 3 % len(_SCENES)]
    image = Image.new("RGB", (512, 512), sky)
    drawing = ImageDraw.Draw(image)
    drawing.ellipse((139, 149, 373, 383), fill=sun)
    drawing.rectangle((0, 330, 512, 512), fill=sea)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


async def _follow(service: Service, ids: list[str]) -> None:
    """The five know each other; of the others, most know two of them. One asks, one is muted, one is blocked."""
    following = service.following
    member = {id: await service.access.member(id) for id in ids}
    for one in ids[:5]:
        for other in ids[:5]:
            if one != other:
                await following.follow(member[one], other)
    for number, friend in enumerate(ids[5:-_STRANGERS]):
        for known in (ids[0], ids[1 + number % 4]):
            await following.follow(member[friend], known)
            if number % 4 != 3:
                await following.follow(member[known], friend)
    private = ids[2]
    await service.people.change(member[private], Profile(is_private=True))
    for asking in (ids[-2], ids[8]):
        await following.follow(member[asking], private)
    await following.mute(member[ids[3]], ids[7])
    await following.block(member[ids[1]], ids[-1])
    await following.block(member[ids[-2]], ids[-1])
    await following.unblock(member[ids[-2]], ids[-1])
