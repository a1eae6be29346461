// The client's own page: which view is shown, and news of a new question.
import { empty, get, h, t } from "./parts.js";
import { chooseId, join, leaving, mine } from "./me.js";
import { byAppId, list, people, profile } from "./people.js";
import { today } from "./posts.js";

const view = document.getElementById("view");
const ROUTES = [
  [/^\/?$/, "today", today],
  [/^\/people$/, "people", people],
  [/^\/me$/, "me", mine],
  [/^\/u\/([\w-]+)$/, "people", profile],
  [/^\/u\/([\w-]+)\/(following|followers)$/, "people", list],
  [/^\/id\/@?(\w+)$/, "people", byAppId],
];
let turn = 0;
let known = null; // what /me said when somebody was last found to be able to go on

async function show({ keep = false } = {}) {
  const mine_ = ++turn;
  const path = location.hash.replace(/^#/, "");
  const [, tab, open, found] = ROUTES.map(([form, name, open]) => [form, name, open, path.match(form)]).find((one) => one[3]) ?? [null, "today", today, []];
  for (const link of document.querySelectorAll("[data-tab]")) {
    if (link.dataset.tab === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // Drawn aside and put in place at once, so that a slow view cannot overwrite a newer one.
  const place = h("div", { class: "q-view" });
  const again = () => show({ keep: true });
  try {
    if (!(await ready(place, again))) await open(place, again, ...found.slice(1));
  } catch (error) {
    place.replaceChildren(problem(error, again));
  }
  if (mine_ !== turn) return;
  view.replaceChildren(place);
  if (!keep) {
    scrollTo(0, 0);
    view.focus({ preventScroll: true });
  }
}

// Somebody who has not joined, has no ID yet, or leaves, has something else to do first.
async function ready(place, again) {
  if (known) return false;
  let me;
  try {
    me = await get("/me");
  } catch (error) {
    if (error.code !== "not-joined") throw error;
    join(place, again);
    return true;
  }
  if (me.deletingAt) {
    leaving(place, again, me);
    return true;
  }
  if (!me.appId) {
    chooseId(place, again);
    return true;
  }
  known = me;
  return false;
}

function problem(error, again) {
  known = null;
  if (error.status === 401) location.href = "/sign-in?next=/q/";
  if (error.code === "leaving") queueMicrotask(again);
  const title = error.code === "banned" ? t("q.banned.title") : error.status ? error.message : t("q.error");
  return empty(title, "", h("button", { class: "q-button soft", type: "button", onclick: again }, t("q.retry")));
}

addEventListener("hashchange", () => show());
addEventListener("online", () => show({ keep: true }));
show();

if ("serviceWorker" in navigator) navigator.serviceWorker.register("/q/sw.js", { scope: "/q/" }).catch(() => {});
const news = new EventSource("/q/live");
news.addEventListener("published", () => location.hash.match(/^#?\/?$/) && show({ keep: true }));
news.addEventListener("error", () => news.readyState === EventSource.CLOSED && news.close());
