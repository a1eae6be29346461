"""Pushes in a real browser: asked for after a click, shown by the worker, and what a click on one opens."""

from __future__ import annotations

import json
from typing import Any

from playwright.async_api import Page, expect

from sekkei.runtime.transports.web_push import make_key
from sekkei.web.testing import test_settings as settings_of_tests
from sekkei_fakes.web_push import PushService, Subscription
from sekkei_systems.q import design
from sekkei_systems.q.system import SYSTEM
from tests.browser import Serve, Shots, Windows, drawn
from tests.systems.q.test_browser import KEPT, phone

SUBSCRIBE = """
window.asked = 0;
const own = (made) => ({
  endpoint: made.endpoint,
  options: {},
  toJSON: () => ({ endpoint: made.endpoint, keys: { p256dh: made.p256dh, auth: made.auth } }),
  unsubscribe: async () => { window.subscription = null; delete localStorage.subscribed; return true; },
});
window.subscription = localStorage.subscribed ? own(GIVEN) : null;
const ask = Notification.requestPermission.bind(Notification);
Notification.requestPermission = () => { window.asked += 1; return ask(); };
PushManager.prototype.getSubscription = async () => window.subscription;
PushManager.prototype.subscribe = async (options) => {
  if (!options.userVisibleOnly || options.applicationServerKey.length !== 65) throw new TypeError("wrong options");
  localStorage.subscribed = "1";
  return (window.subscription = own(GIVEN));
};
"""
CLICK = """
async () => {
  const [shown] = await self.registration.getNotifications();
  self.dispatchEvent(new NotificationEvent("notificationclick", { notification: shown }));
}
"""
UNSUBSCRIBED = """
new Promise((done) => {
  const look = () => (window.subscription ? setTimeout(look, 20) : done());
  look();
})
"""
WATCHED = """
() => {
  const show = self.registration.showNotification.bind(self.registration);
  self.shown = new Promise((done) => {
    self.registration.showNotification = (...given) => show(...given).then(done);
  });
}
"""
SHOWN = """
async () => {
  await self.shown;
  const found = await self.registration.getNotifications();
  return found.map((one) => [one.title, one.body, one.data.url]);
}
"""


async def _settings_page(page: Page, made: Subscription) -> None:
    given = json.dumps({"endpoint": made.endpoint, "p256dh": made.p256dh, "auth": made.auth})
    await page.add_init_script(SUBSCRIBE.replace("GIVEN", given))
    await page.goto(page.url.partition("#")[0] + "#/settings")
    await page.reload()
    await expect(page.get_by_role("switch", name="このデバイスに通知")).to_be_visible()


async def _pushed(page: Page, message: dict[str, Any]) -> list[list[str]]:
    """Give it to the worker as the browser does; what it shows then.

    Not asked for before it is shown: to ask makes Chromium forget what is kept and not on the screen yet.
    """
    (worker,) = page.context.service_workers
    await worker.evaluate(WATCHED)
    tool = await page.context.new_cdp_session(page)
    found: list[str] = []
    tool.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(
        one["registrationId"] for one in event["registrations"] if not one["isDeleted"]))  # fmt: skip
    await tool.send("ServiceWorker.enable")
    while not found:
        await drawn(page)
    origin = await page.evaluate("location.origin")
    given = {"origin": origin, "registrationId": found[0], "data": json.dumps(message)}
    await tool.send("ServiceWorker.deliverPushMessage", given)
    shown: list[list[str]] = await worker.evaluate(SHOWN)
    await tool.detach()
    return shown


async def test_asked_after_a_click_shown_and_opened(whole_browser: Windows, serve: Serve, shots: Shots) -> None:
    values = {"vapid_private_key": make_key(), "vapid_subject": "mailto:push@example.com"}
    site = await serve(SYSTEM, demo=True, settings=settings_of_tests(values=values))
    service = PushService(site.client.shell.clock, "https://fcm.googleapis.com")
    key = site.client.shell.deployment.systems["q"].parts.service.devices.server_key
    made = service.subscribe(key)
    page = await phone(whole_browser, site, "demo-aoi")
    await page.context.grant_permissions(["notifications"], origin=site.url)
    await expect(page.locator(".q-left")).to_be_visible()
    await _settings_page(page, made)
    switch = page.get_by_role("switch", name="このデバイスに通知")
    await expect(switch).not_to_be_checked()
    assert await page.evaluate("asked") == 0  # not before a click
    await shots(page, "q-push")
    await switch.check()
    await expect(page.locator(".toasts")).to_contain_text("このデバイスに通知が届きます")
    assert await page.evaluate("asked") == 1
    db = site.client.shell.deployment.systems["q"].context.db
    (kept,) = [one for one in await db.all(design.tokens_of("demo-aoi").consistent()) if one.p256dh]
    assert (kept.token, kept.session is not None) == (made.endpoint, True)
    message = {"for": "demo-aoi", "title": "Q.", "body": "🔥 が届きました", "url": "/q/#/inbox", "tag": "x"}
    assert await _pushed(page, message) == [["Q.", "🔥 が届きました", "/q/#/inbox"]]
    # The next person on the device is not signed up in passing: what was somebody else's ends.
    await page.evaluate("localStorage.setItem('push-for', 'demo-ren')")
    await page.reload()
    await page.evaluate(UNSUBSCRIBED)
    await page.reload()
    await expect(switch).not_to_be_checked()
    await switch.check()
    await expect(page.locator(".toasts")).to_contain_text("このデバイスに通知が届きます")
    # Off again: the subscription goes, here and there.
    await page.get_by_role("switch", name="このデバイスに通知").uncheck()
    await page.evaluate(UNSUBSCRIBED)
    await expect(page.get_by_role("switch", name="このデバイスに通知")).not_to_be_checked()
    assert [one for one in await db.all(design.tokens_of("demo-aoi").consistent()) if one.p256dh] == []
    (worker,) = page.context.service_workers
    await worker.evaluate(CLICK)
    await expect(page.get_by_role("heading", name="お知らせ", exact=True)).to_be_visible()
    assert whole_browser.problems == []


async def test_a_push_for_somebody_else_says_nothing_of_them(whole_browser: Windows, serve: Serve) -> None:
    site = await serve(SYSTEM, demo=True)
    page = await phone(whole_browser, site, "demo-aoi")
    await page.context.grant_permissions(["notifications"], origin=site.url)
    assert await page.evaluate(KEPT, ["/q/api/me", "demo-aoi"])
    message = {"for": "demo-ren", "title": "Q.", "body": "秘密", "url": "/q/#/u/x", "tag": "x"}
    assert await _pushed(page, message) == [["Q.", "", "/q/"]]
