"""One's own account: signing in, joining, profile, devices, leaving."""

from __future__ import annotations

from starlette.requests import Request

from sekkei.web import Operations, PageOf, Rate, Shell, User, body_limit, t
from sekkei.web.identity.accounts import email_of
from sekkei.web.identity.app_sessions import Pair
from sekkei.web.identity.design import Account
from sekkei.web.limits import address
from sekkei_systems.q.api import shapes
from sekkei_systems.q.api.shapes import (
    Agreement,
    AppId,
    AskCode,
    Device,
    DeviceToken,
    Farewell,
    GiveCode,
    GivePassword,
    Id,
    Join,
    Me,
    NewBrowser,
    Notifications,
    Paging,
    Person,
    Picture,
    PushKey,
    Refresh,
    SentQuestion,
    SignedIn,
    TermsOut,
    Ticket,
    Username,
)
from sekkei_systems.q.refusals import Banned, NotByApp, NotJoined
from sekkei_systems.q.rules.notices import wishes_of
from sekkei_systems.q.rules.pictures import BYTES_MAX
from sekkei_systems.q.rules.writing import Profile
from sekkei_systems.q.service.access import Access, Joined, Member
from sekkei_systems.q.service.following import Following
from sekkei_systems.q.service.notices import Browser, Devices, Notices
from sekkei_systems.q.service.people import Leaving, People, Visitor
from sekkei_systems.q.service.questions import Submissions
from sekkei_systems.q.service.sight import Sight

_PICTURE_BODY_MAX = BYTES_MAX * 4 // 3 + 1_000
"""In base64, with a little around it."""
operations = Operations()


@operations.get("/me", summary="One's own account", tag="me")
async def show_me(joined: Joined, sight: Sight) -> Me:
    return shapes.me(joined.user, sight.answer_first)


@operations.post("/me", summary="Join", status=201, tag="me")
async def join(user: User, language: str, body: Join, people: People, sight: Sight) -> Me:
    """From the age of 13 on. The ID is chosen afterwards, and needed to post."""
    visitor = Visitor(user.id, user.email if user.verified else "", body.display_name or "", language, body.terms)
    changed = await people.join(visitor, body.birth_date)
    return shapes.me(changed, sight.answer_first)


@operations.get("/terms", summary="The terms in force", tag="me")
async def terms(user: User, access: Access) -> TermsOut:
    found = access.terms
    return TermsOut(found.version, found.terms_url, found.privacy_url) if found else TermsOut(None)


@operations.put("/me/terms", summary="Agree to the terms in force", status=204, tag="me")
async def agree(joined: Joined, people: People, body: Agreement) -> None:
    """Asked for when one joins, and again when they have changed: until then everything else answers `terms-needed`."""
    await people.agree(joined, body.version)


@operations.patch("/me", summary="Change the profile", tag="me")
async def change_me(member: Member, people: People, sight: Sight, body: Profile) -> Me:
    return shapes.me(await people.change(member, body), sight.answer_first)


@operations.put("/me/app-id", summary="Choose the ID, once", tag="me")
async def choose_app_id(member: Member, people: People, sight: Sight, body: AppId) -> Me:
    return shapes.me(await people.choose_app_id(member, body.app_id), sight.answer_first)


@operations.put("/me/username", summary="Choose or change the user name", tag="me")
async def choose_username(member: Member, people: People, sight: Sight, body: Username) -> Me:
    return shapes.me(await people.choose_username(member, body.username), sight.answer_first)


@operations.put("/me/picture", summary="Set the picture", tag="me")
@body_limit(_PICTURE_BODY_MAX)
async def set_picture(member: Member, people: People, sight: Sight, body: Picture) -> Me:
    """Cut to a square and drawn anew; what it tells besides, such as where it was taken, is not kept."""
    return shapes.me(await people.set_picture(member, body.content), sight.answer_first)


@operations.delete("/me/picture", summary="Remove the picture", tag="me")
async def remove_picture(member: Member, people: People) -> None:
    await people.remove_picture(member)


@operations.put("/me/devices", summary="Register a device for pushes", status=204, tag="me")
async def register_device(user: User, member: Member, devices: Devices, body: Device) -> None:
    """It is told things while this sign-in lasts."""
    await devices.register(member, body.token, body.device_type, user.sign_in)


@operations.get("/me/browsers", summary="The key that browsers subscribe with", tag="me")
async def push_key(member: Member, devices: Devices) -> PushKey:
    return PushKey(key=devices.server_key)


@operations.put("/me/browsers", summary="Register this browser for pushes", status=204, tag="me")
async def register_browser(user: User, member: Member, devices: Devices, body: NewBrowser) -> None:
    """It is told things while this sign-in lasts."""
    given = Browser(body.endpoint, body.keys.p256dh, body.keys.auth)
    await devices.register_browser(member, given, user.sign_in)


@operations.post("/me/devices/forget", summary="Forget a device", status=204, tag="me")
async def forget_device(member: Member, devices: Devices, body: DeviceToken) -> None:
    await devices.forget(member, body.token)


@operations.get("/me/notifications", summary="What one is told, and when not", tag="me")
async def notifications(member: Member) -> Notifications:
    return shapes.notifications(wishes_of(member.user))


@operations.put("/me/notifications", summary="Say what one wants to be told", tag="me")
async def set_notifications(member: Member, notices: Notices, body: Notifications) -> Notifications:
    """In quiet hours nothing is sent; what happens then arrives when they are over."""
    return shapes.notifications(await notices.wish(member, shapes.wishes(body)))


@operations.post("/me/withdrawal", summary="Withdraw, in a week", status=202, tag="me")
async def withdraw(request: Request, joined: Joined, leaving: Leaving) -> Farewell:
    """Invisible at once, deleted after seven days; until then it can be cancelled."""
    shell: Shell = request.app.state.shell
    alone = len(shell.deployment.systems) == 1  # nobody else here needs the account
    return Farewell(deleted_at=await leaving.ask(joined, leaves_house=alone))


@operations.delete("/me/withdrawal", summary="Stay after all", status=200, tag="me")
async def stay(joined: Joined, leaving: Leaving, sight: Sight) -> Me:
    return shapes.me(await leaving.cancel(joined), sight.answer_first)


@operations.get("/me/questions", summary="Questions that one has proposed", tag="questions")
async def my_questions(member: Member, submissions: Submissions) -> list[SentQuestion]:
    return [shapes.sent_question(one) for one in await submissions.mine(member)]


@operations.get("/me/requests", summary="Who asks to follow", tag="people")
async def requests(member: Member, following: Following, query: Paging) -> PageOf[Person]:
    page = await following.requests(member, query.after)
    return PageOf([shapes.card(member.id, one) for one in page], page.cursor)


@operations.post("/me/requests/{user_id}", summary="Let somebody follow", status=204, tag="people")
async def accept(member: Member, following: Following, user_id: Id) -> None:
    await following.accept(member, user_id)


@operations.delete("/me/requests/{user_id}", summary="Decline a request", tag="people")
async def decline(member: Member, following: Following, user_id: Id) -> None:
    await following.decline(member, user_id)


@operations.delete("/me/followers/{user_id}", summary="Remove a follower", tag="people")
async def remove_follower(member: Member, following: Following, user_id: Id) -> None:
    await following.remove_follower(member, user_id)


@operations.get("/me/blocks", summary="Whom one blocks", tag="people")
async def blocked(member: Member, following: Following, query: Paging) -> PageOf[Person]:
    page = await following.blocked(member, query.after)
    return PageOf([shapes.card(member.id, one) for one in page], page.cursor)


@operations.get("/me/mutes", summary="Whom one mutes", tag="people")
async def muted(member: Member, following: Following, query: Paging) -> PageOf[Person]:
    page = await following.muted(member, query.after)
    return PageOf([shapes.card(member.id, one) for one in page], page.cursor)


# Signing in without a browser: by a mailed code or a password, with tokens that are renewed.


PER_ADDRESS = Rate.per_minute(20)
PER_EMAIL = Rate.per_hour(10)
APP = "q"

"""Those of `webhook=True` set no cookie, so that another page's request gains nothing; and an app has no token yet."""


@operations.post("/sign-in/code", summary="Mail a code to sign in with", status=201, tag="sign-in", webhook=True)
async def ask_for_code(request: Request, body: AskCode) -> Ticket:
    """The answer is the same whether the address is known or not; a new account is made when the code comes."""
    shell: Shell = request.app.state.shell
    email = email_of(body.email)
    shell.limits.take(PER_ADDRESS, "code", address(request))
    shell.limits.take(PER_EMAIL, "code", email)
    id, code = await shell.accounts.challenge(email, name=body.name.strip())
    message = {
        "subject": t(request, "sign-in.mail.subject", code=code),
        "text": t(request, "sign-in.mail.body", code=code),
    }
    await shell.outbox.put("mail", email, message, id=f"code/{id}")
    return Ticket(challenge=id)


@operations.post("/sign-in", summary="Sign in with the mailed code", tag="sign-in", webhook=True)
async def sign_in(request: Request, access: Access, devices: Devices, body: GiveCode) -> SignedIn:
    """The access token is good for 15 minutes, the refresh token once, within 60 days."""
    shell: Shell = request.app.state.shell
    shell.limits.take(PER_ADDRESS, "code-answer", address(request))
    account, _ = await shell.accounts.answer(body.challenge, body.code)
    return await _begin(shell, access, devices, account, body.device_token)


@operations.post("/sign-in/password", summary="Sign in with a password", tag="sign-in", webhook=True)
async def sign_in_with_password(request: Request, access: Access, devices: Devices, body: GivePassword) -> SignedIn:
    """For those who have set one on their account page."""
    shell: Shell = request.app.state.shell
    shell.limits.take(PER_ADDRESS, "sign-in", address(request))
    shell.limits.take(PER_EMAIL, "sign-in", email_of(body.email))
    account = await shell.accounts.with_password(body.email, body.password)
    return await _begin(shell, access, devices, account, body.device_token)


@operations.post("/sign-in/refresh", summary="New tokens for the refresh token", tag="sign-in", webhook=True)
async def refresh(request: Request, access: Access, body: Refresh) -> SignedIn:
    """A refresh token that comes a second time ends the sign-in: somebody has a copy of it."""
    shell: Shell = request.app.state.shell
    shell.limits.take(PER_ADDRESS, "refresh", address(request))
    account, pair = await shell.apps.refresh(body.refresh_token)
    try:
        joined = await _has_joined(access, account.id)
    except Banned:
        await shell.apps.end_of(pair.access)
        raise
    return _signed_in(pair, account.id, joined)


@operations.delete("/sign-in", summary="Sign out", tag="sign-in")
async def sign_out(request: Request, user: User) -> None:
    if user.via != "app":
        raise NotByApp()
    shell: Shell = request.app.state.shell
    await shell.apps.end_of(request.headers["authorization"].partition(" ")[2].strip())


async def _begin(shell: Shell, access: Access, devices: Devices, account: Account, device: str | None) -> SignedIn:
    joined = await _has_joined(access, account.id)
    if device is not None:
        await devices.change_hands(account.id, device)
    return _signed_in(await shell.apps.begin(account, APP), account.id, joined)


async def _has_joined(access: Access, account_id: str) -> bool:
    """Raises for somebody who is banned: there is nothing to sign in for."""
    try:
        user = (await access.joined(account_id)).user
    except NotJoined:
        return False
    if user.is_banned:
        raise Banned()
    return True


def _signed_in(pair: Pair, user_id: str, has_joined: bool) -> SignedIn:
    return SignedIn(pair.access, pair.expires_in, pair.refresh, user_id, has_joined)
