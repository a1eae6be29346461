// Other people: finding, following, profiles, lists, reports.
import { avatar, change, dialog, doing, empty, get, h, menu, name, pages, say, t, toast, viewer } from "./parts.js";
import { memory } from "./posts.js";

const CATEGORIES = ["spam", "harassment", "inappropriate", "impersonation", "privacy", "other"];

export async function people(view, again) {
  const me = await get("/me");
  const result = h("div", { "aria-live": "polite" });
  const field = h("input", { id: "find", type: "search", autocapitalize: "none", autocomplete: "off", spellcheck: "false", maxlength: "16", placeholder: "@" });
  const search = h("form", { class: "q-search", "data-again": true, role: "search", onsubmit: doing(async () => {
    try {
      result.replaceChildren(row(await get(`/users?appId=${encodeURIComponent(field.value.trim())}`), again));
    } catch (error) {
      result.replaceChildren();
      say(error);
    }
  }) }, h("label", { for: "find" }, t("q.people.search")), h("div", { class: "q-row" }, field, h("button", { class: "q-button", type: "submit" }, t("q.people.search.button"))));
  const requests = h("section");
  const lists = h("section");
  view.replaceChildren(h("h1", {}, t("q.people")), search, result, requests, sharing(me), lists);
  await Promise.all([showRequests(requests, again), showLists(lists, me, again)]);
}

function sharing(me) {
  if (!me.appId) return "";
  const link = `${location.origin}/q/#/id/${me.appId}`;
  return h("section", { class: "q-share" }, h("p", { class: "q-label" }, t("q.people.share")), h("p", { class: "q-id" }, `@${me.appId}`),
    h("button", { class: "q-button soft", type: "button", onclick: doing(async () => {
      await navigator.clipboard.writeText(link);
      toast(t("q.people.copied"), "ok");
    }) }, t("q.people.copy")));
}

async function showRequests(place, again) {
  const found = await get("/me/requests");
  document.getElementById("requests-dot").hidden = found.items.length === 0;
  if (!found.items.length) return;
  const settle = (method, person) => doing(async () => {
    await change(method, `/me/requests/${person.userId}`);
    again();
  });
  place.replaceChildren(h("h2", {}, t("q.people.requests")), h("div", { class: "q-list" }, found.items.map((person) => h("div", { class: "q-line-item" },
    who(person), h("button", { class: "q-button small", type: "button", onclick: settle("POST", person) }, t("q.people.accept")),
    h("button", { class: "q-button small soft", type: "button", onclick: settle("DELETE", person) }, t("q.people.decline"))))));
}

async function showLists(place, me, again) {
  const tabs = [["following", t("q.people.following")], ["followers", t("q.people.followers")]];
  const body = h("div");
  const buttons = tabs.map(([kind, label]) => h("button", { type: "button", class: "chip", onclick: doing(() => open(kind)) }, label));
  const open = async (kind) => {
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(tabs[at][0] === kind)));
    body.replaceChildren(await listOf(me.userId, kind, again));
  };
  place.replaceChildren(h("div", { class: "filters" }, buttons), body);
  await open("following");
}

export function listOf(user, kind, again) {
  const load = (cursor) => get(`/users/${user}/${kind}${cursor ? `?after=${encodeURIComponent(cursor)}` : ""}`);
  return pages(load, (person) => row(person, again), () => empty(t("q.people.empty")));
}

function who(person) {
  return h("a", { class: "q-person", href: person.userId === viewer ? "#/me" : `#/u/${person.userId}` }, avatar(person),
    h("span", {}, h("strong", {}, name(person)), h("small", {}, person.appId ? `@${person.appId}` : "")));
}

function row(person, again) {
  return h("div", { class: "q-line-item" }, who(person), followButton(person, again));
}

export function followButton(person, again) {
  const { relation } = person;
  if (!relation || person.userId === viewer || relation.blocks) return "";
  const [label, kind] = relation.follows ? [relation.followed ? t("q.mutual") : t("q.following"), "soft"] : relation.requested ? [t("q.requested"), "soft"] : [t("q.follow"), ""];
  return h("button", { class: `q-button small ${kind}`, type: "button", onclick: doing(async () => {
    if (relation.follows && !confirm(t("q.unfollow.sure"))) return;
    await change(relation.follows || relation.requested ? "DELETE" : "PUT", `/users/${person.userId}/follow`);
    again();
  }) }, label);
}

export async function profile(view, again, id) {
  const person = await get(`/users/${id}`);
  const items = [[t("q.report"), () => report("user", id)],
    person.relation.blocks ? [t("q.unblock"), doing(() => unblock(id, again))] : [t("q.block"), doing(() => block(person, again)), "danger"]];
  const body = h("div", { class: "stack" });
  view.replaceChildren(h("a", { class: "back", href: "#/people" }, `← ${t("q.back")}`), head(person, followButton(person, again), menu(items)), body);
  if (person.followerCount === null) {
    body.replaceChildren(person.relation.blocks ? empty(t("q.blocked")) : empty(t("q.private"), t("q.private.about")));
    return;
  }
  await history(body, id);
}

export function head(person, ...actions) {
  const counts = person.followerCount !== null && person.followerCount !== undefined && h("p", { class: "q-counts" },
    h("a", { href: `#/u/${person.userId}/following` }, h("b", {}, String(person.followingCount)), ` ${t("q.count.following")}`),
    h("a", { href: `#/u/${person.userId}/followers` }, h("b", {}, String(person.followerCount)), ` ${t("q.count.followers")}`));
  return h("section", { class: "q-profile" }, avatar(person, "huge"), h("h1", {}, name(person)),
    h("p", { class: "muted" }, person.appId ? `@${person.appId}` : "", person.isPrivate ? ` 🔒` : "",
      person.relation?.followed && !person.relation?.follows ? ` · ${t("q.follows-you")}` : ""),
    person.bio && h("p", { class: "q-bio" }, person.bio), counts, h("div", { class: "actions center" }, actions));
}

export async function history(place, id) {
  const load = (cursor) => get(`/users/${id}/answers${cursor ? `?after=${encodeURIComponent(cursor)}` : ""}`);
  const title = h("h2", {}, t("q.history"));
  try {
    place.replaceChildren(title, await pages(load, memory, () => empty(t("q.history.empty"))));
  } catch (error) {
    if (error.code !== "no-such-answer") throw error;
    place.replaceChildren(title, empty(t("q.history.empty")));
  }
}

export async function list(view, again, id, kind) {
  view.replaceChildren(h("a", { class: "back", href: id === viewer ? "#/me" : `#/u/${id}` }, `← ${t("q.back")}`), h("h1", {}, t(`q.people.${kind}`)), await listOf(id, kind, again));
}

export async function byAppId(view, again, appId) {
  const person = await get(`/users?appId=${encodeURIComponent(appId)}`);
  location.replace(person.userId === viewer ? "#/me" : `#/u/${person.userId}`);
}

export async function block(person, again) {
  if (!confirm(t("q.block.sure"))) return;
  await change("PUT", `/users/${person.userId}/block`);
  toast(t("q.blocked"), "ok");
  again();
}

export async function unblock(id, again) {
  await change("DELETE", `/users/${id}/block`);
  again();
}

export function report(targetType, targetId) {
  const choice = h("select", { id: "category" }, CATEGORIES.map((one) => h("option", { value: one }, t(`category.${one}`))));
  const words = h("textarea", { id: "description", rows: 3, maxlength: "500" });
  const box = dialog(t("q.report"), h("p", { class: "muted" }, t("q.report.about")),
    h("form", { class: "stack", "data-again": true, onsubmit: doing(async () => {
      await change("POST", "/reports", { targetType, targetId, category: choice.value, description: words.value });
      box.close();
      toast(t("q.report.sent"), "ok");
    }) }, choice, h("div", { class: "field" }, h("label", { for: "description" }, t("q.report.more")), words),
    h("button", { class: "q-button wide", type: "submit" }, t("q.report.send"))));
}
