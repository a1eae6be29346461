// Notices on this device while no page is open. The browser asks for leave after a click, and never before.
import { h } from "./parts.js";
import { change, get, say, toast } from "./requests.js";
import { t, viewer } from "./words.js";

// Whose notices this device was to have. It outlives a sign-out: the next person is not signed up in passing.
const WHOSE = "push-for";

const possible = () => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

const keyOf = async () => (await get("/me/browsers")).key;

async function subscribed() {
  const worker = await navigator.serviceWorker.getRegistration("/q/");
  return (await worker?.pushManager.getSubscription()) ?? null;
}

const isFor = (subscription, key) => {
  const made = subscription.options?.applicationServerKey;
  return !made || String(new Uint8Array(made)) === String(bytes(key));
};

async function subscribe(key) {
  const worker = await navigator.serviceWorker.ready;
  const before = await worker.pushManager.getSubscription();
  if (before && !isFor(before, key)) await before.unsubscribe();
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  const { endpoint, keys } = made.toJSON();
  await change("PUT", "/me/browsers", { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } });
  localStorage.setItem(WHOSE, viewer);
}

export async function unsubscribe() {
  if (!possible()) return;
  const found = await subscribed();
  if (!found) return;
  await change("POST", "/me/devices/forget", { token: found.endpoint }).catch(() => {});
  await found.unsubscribe();
  localStorage.removeItem(WHOSE);
}

// Whoever wanted notices here gets them again after signing in anew, or when the key or the address has changed. For
// somebody else they end.
export async function renew() {
  try {
    if (!possible() || Notification.permission !== "granted" || !(await subscribed())) return;
    if ((localStorage.getItem(WHOSE) ?? viewer) !== viewer) return await unsubscribe();
    const key = await keyOf();
    if (key) await subscribe(key);
  } catch {
    // the next visit tries again
  }
}

// The switch for this device; nothing where the operator or the browser cannot.
export async function pushing(again) {
  if (!possible()) return null;
  const key = await keyOf().catch(() => null);
  if (!key) return null;
  const refused = Notification.permission === "denied";
  const on = !refused && Notification.permission === "granted" && Boolean(await subscribed());
  const about = refused ? t("push.denied") : t("push.about");
  return h(
    "label",
    { class: "q-toggle" },
    h("span", {}, t("push"), h("small", {}, about)),
    h("input", {
      id: "push",
      type: "checkbox",
      role: "switch",
      checked: on,
      disabled: refused,
      onchange: (event) => turn(event.target.checked, key).catch(say).finally(again),
    }),
  );
}

async function turn(wanted, key) {
  if (!wanted) return unsubscribe();
  if ((await Notification.requestPermission()) !== "granted") return toast(t("push.denied"), "error");
  await subscribe(key);
  return toast(t("push.on"), "ok");
}
