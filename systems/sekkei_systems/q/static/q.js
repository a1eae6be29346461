// The client's own page: which view is shown, and news of a new question.
import { untouched } from "../app.js";
import { listen } from "../live.js";
import { invited } from "./growth.js";
import { inbox, showUnread, standing } from "./inbox.js";
import { agree, chooseId, join, leaving } from "./join.js";
import { mine } from "./me.js";
import { button, empty, h } from "./parts.js";
import { byAppId, defences, list, people, profile, showDot } from "./people.js";
import { answerPage } from "./posts.js";
import { renew } from "./push.js";
import { questions } from "./questions.js";
import { forget, get, leave, toast, Unreachable, wordsOf } from "./requests.js";
import { settings } from "./settings.js";
import { today } from "./today.js";
import { t, viewer } from "./words.js";

const STALE_SECONDS = 60;
const SEEN_FIRST = ["/me", "/today", "/timeline", "/me/look-back"];
const view = document.getElementById("view");
const ROUTES = [
  [/^\/?$/, "today", today],
  [/^\/people$/, "people", people],
  [/^\/me$/, "me", mine],
  [/^\/settings$/, "me", settings],
  [/^\/questions$/, "me", questions],
  [/^\/inbox$/, "inbox", inbox],
  [/^\/standing$/, "inbox", standing],
  [/^\/u\/([\w-]+)$/, "people", profile],
  [/^\/u\/([\w-]+)\/(following|followers)$/, "people", list],
  [/^\/a\/([\d-]+)\/([\w-]+)$/, "people", answerPage],
  [/^\/id\/@?(\w+)$/, "people", byAppId],
  [/^\/invite\/(\w+)$/, "people", invited],
];
let turn = 0;
let shownAt = 0;
let returning = false; // by the back button: to where one was on that view
const heights = new Map();
let known = null; // what /me said when somebody was last found to be able to go on

const path = () => location.hash.replace(/^#/, "");

// `stay` draws the same view anew: where one was and what had the focus stay; `focus` names what gets it instead.
async function show({ stay = false, focus } = {}) {
  const ours = ++turn;
  const [, tab, open, found] = ROUTES.map((route) => [...route, path().match(route[0])]).find((one) => one[3]) ?? [
    null,
    "today",
    today,
    [],
  ];
  mark(tab);
  // Drawn aside and put in place at once, so that a slow view cannot overwrite a newer one.
  const place = h("div", { class: "q-view" });
  const again = (id) => show({ stay: true, focus: id });
  try {
    if (!(await ready(place, again))) {
      document.body.classList.remove("q-joining");
      await open(place, again, ...found.slice(1));
    }
  } catch (error) {
    await problem(error, again, place);
  }
  if (stay) await untouched();
  if (ours !== turn) return;
  const held = stay && view.contains(document.activeElement) ? document.activeElement.id : null;
  view.replaceChildren(place);
  shownAt = Date.now();
  // Only now does each have a height.
  for (const box of place.querySelectorAll("textarea")) box.dispatchEvent(new Event("input"));
  document.title = [place.querySelector("h1")?.textContent, "Q."].filter(Boolean).join(" · ");
  settle(stay, focus ?? held);
}

function mark(tab) {
  for (const link of document.querySelectorAll("[data-tab]")) {
    if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function settle(stay, id) {
  if (!stay) {
    scrollTo(0, returning ? (heights.get(path()) ?? 0) : 0);
    returning = false;
    for (const old of document.querySelectorAll(".toast.error")) old.remove();
  }
  if (!stay || id !== null) (document.getElementById(id ?? "") ?? view).focus({ preventScroll: true });
}

// Somebody who has not joined, has no ID yet, or leaves, has something else to do first.
async function ready(place, again) {
  if (known) return false;
  let me;
  try {
    me = await get("/me", { keep: true });
  } catch (error) {
    if (error.code !== "not-joined") throw error;
    await join(place, again);
    return true;
  }
  if (me.deletingAt) leaving(place, again, me);
  else if (!me.appId) chooseId(place, again);
  else {
    known = me;
    hearNews();
    renew();
    get("/me/requests", { keep: true })
      .then((found) => showDot(found.items.length))
      .catch(() => {});
    get("/me/inbox/unread")
      .then((found) => showUnread(found.unread))
      .catch(() => {});
  }
  return !known;
}

// Only for those who have joined: a page that listens where it may not is loaded anew, with what was typed lost.
let hearing = false;
function hearNews() {
  if (hearing) return;
  hearing = true;
  listen("/q/live", (name) => {
    if (name !== "published") return;
    toast(t("news"), "info");
    if (/^\/?$/.test(path())) show({ stay: true });
  });
}

// Whoever is locked out is told why, and can object.
async function problem(error, again, place) {
  known = null;
  if (error.code === "banned")
    await standing(place, again).catch((other) => place.replaceChildren(words(other, again)));
  else if (error.code === "terms-needed")
    await agree(place, again).catch((other) => place.replaceChildren(words(other, again)));
  else place.replaceChildren(words(error, again));
}

function words(error, again) {
  if (error.status === 401) leave(`/sign-in?next=${encodeURIComponent(`/q/${location.hash}`)}`);
  if (error.code === "leaving") queueMicrotask(again);
  if (error.code === "no-such-user") {
    const id = path().match(/^\/u\/([\w-]+)/)?.[1];
    return empty(
      t("nobody.title"),
      t("nobody"),
      h(
        "div",
        { class: "stack" },
        h("a", { class: "q-button soft", href: "#/people" }, t("tab.people")),
        id && defences(id, again),
      ),
    );
  }
  if (error instanceof Unreachable)
    return empty(
      t("offline.title"),
      t("offline.about"),
      button(t("retry"), () => again(), "soft"),
    );
  return empty(
    wordsOf(error),
    "",
    button(t("retry"), () => again(), "soft"),
  );
}

// What was kept for somebody else on this device is none of this viewer's business.
async function begin() {
  if (localStorage.getItem("q-viewer") !== viewer) await forget({ but: viewer });
  localStorage.setItem("q-viewer", viewer);
  const address = new URL(location.href);
  if (address.searchParams.has("lang")) {
    address.searchParams.delete("lang");
    history.replaceState(null, "", address);
  }
  await show();
}

history.scrollRestoration = "manual";
globalThis.navigation?.addEventListener("navigate", (event) => {
  heights.set(path(), scrollY);
  returning = event.navigationType === "traverse";
});
addEventListener("hashchange", () => show());
addEventListener("online", () => show({ stay: true }));
document.addEventListener("visibilitychange", () => {
  const typing = document.activeElement?.matches("input, textarea, select") || document.querySelector("dialog[open]");
  if (document.visibilityState === "visible" && !typing && Date.now() - shownAt > STALE_SECONDS * 1000)
    show({ stay: true });
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-tab], .q-brand");
  if (link && link.hash === location.hash) show(); // where one is already: what is new there
});
begin();

// Nothing here may turn text into script; this is the one address that becomes one.
const own = globalThis.trustedTypes?.createPolicy("q", { createScriptURL: (url) => url }) ?? {
  createScriptURL: (url) => url,
};
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.addEventListener("message", (event) => {
    if (typeof event.data?.open === "string" && event.data.open.startsWith("#/")) location.hash = event.data.open;
  });
  const first = !navigator.serviceWorker.controller;
  navigator.serviceWorker.register(own.createScriptURL("/q/sw.js"), { scope: "/q/" }).catch(() => {});
  // What the first visit showed came before the worker could keep it.
  if (first)
    navigator.serviceWorker.addEventListener(
      "controllerchange",
      () => SEEN_FIRST.map((path) => get(path, { keep: true }).catch(() => {})),
      { once: true },
    );
}
