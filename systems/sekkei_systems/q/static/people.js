// Other people: finding, following, profiles, lists, reports.
import { inviting, suggestions } from "./growth.js";
import { avatar, back, button, counted, dialog, empty, form, h, menu, pages, sure, who } from "./parts.js";
import { memory } from "./posts.js";
import { after, change, doing, get, toast, wordsOf } from "./requests.js";
import { name, t, viewer } from "./words.js";

const CATEGORIES = ["spam", "harassment", "inappropriate", "impersonation", "privacy", "other"];
const DESCRIPTION_MAX = 500;

export async function people(view, again) {
  const me = await get("/me", { keep: true });
  const requests = h("section");
  const known = h("section");
  const lists = h("section");
  view.classList.add("two");
  view.replaceChildren(
    h("div", { class: "q-side" }, h("h1", {}, t("people")), search(), requests, sharing(me), known),
    lists,
  );
  await Promise.all([showRequests(requests), suggestions(known), showLists(lists, me)]);
}

function search() {
  const result = h("div", { "aria-live": "polite" });
  const input = h("input", {
    id: "find",
    type: "search",
    autocapitalize: "none",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "16",
    required: true,
    placeholder: "@",
  });
  const find = doing(async () => {
    try {
      result.replaceChildren(row(await get(`/users?appId=${encodeURIComponent(input.value.trim())}`)));
    } catch (error) {
      const unknown =
        error.code === "no-such-user"
          ? t("people.unknown", { id: input.value.trim().replace(/^@?/, "@") })
          : wordsOf(error);
      result.replaceChildren(h("p", { class: "q-nothing" }, unknown));
    }
  });
  return h(
    "form",
    { class: "q-search", "data-again": true, role: "search", onsubmit: find },
    h("label", { for: "find" }, t("people.search")),
    h("div", { class: "q-row" }, input, h("button", { class: "q-button", type: "submit" }, t("people.search.button"))),
    result,
  );
}

export const invitation = (me) => `${location.origin}/q/#/id/${me.appId}`;

// One's ID: as text, as a link to send, as a code for a friend's camera.
function sharing(me) {
  if (!me.appId) return "";
  const share = async () => {
    const url = invitation(me);
    if (navigator.share)
      return navigator.share({ title: "Q.", text: t("people.invite", { id: me.appId }), url }).catch(() => {});
    await navigator.clipboard.writeText(url);
    return toast(t("people.copied"), "ok");
  };
  return h(
    "section",
    { class: "q-share" },
    h("p", { class: "q-label" }, t("people.share")),
    h("p", { class: "q-id" }, `@${me.appId}`),
    h(
      "div",
      { class: "q-row" },
      button("QR", () => code(me), "soft", { "aria-label": t("people.code") }),
      button(navigator.share ? t("people.send") : t("people.copy"), share, "soft"),
    ),
    button(t("invite.make"), inviting, "soft"),
  );
}

function code(me) {
  dialog(
    t("people.code"),
    h("img", {
      class: "q-code",
      src: "/q/code.svg",
      alt: t("people.code.alt", { url: invitation(me) }),
      width: 240,
      height: 240,
    }),
    h("p", { class: "q-id center" }, `@${me.appId}`),
    h("p", { class: "muted center" }, t("people.code.about")),
  );
}

export function showDot(count) {
  document.getElementById("requests-dot").hidden = count === 0;
}

async function showRequests(place) {
  const found = await get("/me/requests", { keep: true });
  showDot(found.items.length);
  if (!found.items.length) return;
  const list = h("div", { class: "q-list" });
  const settle = (method, person, said) => async () => {
    await change(method, `/me/requests/${person.userId}`);
    toast(t(said, { name: name(person) }), "ok");
    list.querySelector(`[data-user="${person.userId}"]`).remove();
    showDot(list.children.length);
    if (list.children.length) list.querySelector("button").focus();
    else place.replaceChildren();
  };
  list.append(
    ...found.items.map((person) =>
      h(
        "div",
        { class: "q-line-item", "data-user": person.userId },
        who(person),
        button(t("people.accept"), settle("POST", person, "people.accepted"), "small"),
        button(t("people.decline"), settle("DELETE", person, "people.declined"), "small soft"),
      ),
    ),
  );
  place.replaceChildren(h("h2", {}, t("people.requests")), list);
}

async function showLists(place, me) {
  const kinds = ["following", "followers"];
  const body = h("div");
  const open = async (kind) => {
    for (const [at, one] of buttons.entries()) one.setAttribute("aria-pressed", String(kinds[at] === kind));
    body.replaceChildren(await listOf(me.userId, kind));
  };
  const buttons = kinds.map((kind) =>
    h(
      "button",
      { type: "button", class: "chip", onclick: doing(() => open(kind)) },
      t(`people.${kind}`),
      " ",
      h("span", {}, String(kind === "following" ? me.followingCount : me.followerCount)),
    ),
  );
  place.replaceChildren(h("div", { class: "filters", role: "group", "aria-label": t("people") }, buttons), body);
  await open("following");
}

function listOf(user, kind) {
  const mine = user === viewer;
  const load = (cursor) => get(`/users/${user}/${kind}${after(cursor)}`, { keep: mine && !cursor });
  const nobody = () => empty(t("people.empty"), mine ? t(`people.${kind}.empty`) : "");
  return pages(load, (person) => (mine && kind === "followers" ? follower(person) : row(person)), nobody);
}

export function row(person, more = "", small = undefined) {
  return h("div", { class: "q-line-item" }, who(person, small), followButton(person), more);
}

// One's own followers can be shown out, quietly.
function follower(person) {
  const line = row(
    person,
    menu(t("menu.of", { name: name(person) }), [
      [
        t("follower.remove"),
        async () => {
          if (
            !(await sure(
              t("follower.remove"),
              t("follower.remove.sure", { name: name(person) }),
              t("follower.remove.yes"),
            ))
          )
            return;
          await change("DELETE", `/me/followers/${person.userId}`);
          line.remove();
          toast(t("follower.removed"), "ok");
        },
        "danger",
      ],
    ]),
  );
  return line;
}

// Follows, asks to, or ends it, and then says which; `changed` when more on the page depends on it.
function followButton(person, changed = () => {}) {
  const { relation } = person;
  if (!relation || person.userId === viewer || relation.blocks) return "";
  const draw = () => {
    const state = relation.follows
      ? relation.followed
        ? "mutual"
        : "following"
      : relation.requested
        ? "requested"
        : relation.followed
          ? "follow-back"
          : "follow";
    made.textContent = t(state);
    made.classList.toggle("soft", relation.follows || relation.requested);
    made.setAttribute("aria-label", `${t(state)}: ${name(person)}`);
  };
  const made = button(
    "",
    async () => {
      if (relation.follows) {
        if (!(await sure(t("unfollow"), t("unfollow.sure", { name: name(person) }), t("unfollow.yes")))) return;
        await change("DELETE", `/users/${person.userId}/follow`);
        relation.follows = false;
      } else if (relation.requested) {
        await change("DELETE", `/users/${person.userId}/follow`);
        relation.requested = false;
        toast(t("request.withdrawn"), "ok");
      } else {
        const { outcome } = await change("PUT", `/users/${person.userId}/follow`);
        relation.follows = outcome === "following";
        relation.requested = outcome === "requested";
        toast(t(`follow.${outcome}`, { name: name(person) }), "ok");
      }
      draw();
      changed();
    },
    "small",
  );
  draw();
  return made;
}

export async function profile(view, again, id) {
  if (id === viewer) return location.replace("#/me");
  const person = await get(`/users/${id}`);
  const { relation } = person;
  const items = [
    relation.blocks
      ? null
      : relation.mutes
        ? [t("unmute"), () => unmute(person, again)]
        : [t("mute"), () => mute(person, again)],
    [t("report"), () => report("user", id)],
    relation.blocks
      ? [t("unblock"), () => unblock(person, again)]
      : [t("block"), () => blockFrom(person, again), "danger"],
  ];
  const body = h("div", { class: "stack" });
  const actions = relation.blocks
    ? button(t("unblock"), () => unblock(person, again), "small soft")
    : followButton(person, again);
  view.classList.add("two");
  view.replaceChildren(
    h(
      "div",
      { class: "q-side" },
      back("#/people"),
      head(person, actions, menu(t("menu.of", { name: name(person) }), items)),
    ),
    body,
  );
  if (relation.blocks) body.replaceChildren(empty(t("blocked.title"), t("blocked.about")));
  else if (person.followerCount === null) body.replaceChildren(empty(t("private"), t("private.about")));
  else await history(body, id, again);
}

export function head(person, ...actions) {
  const seen = person.followerCount !== null && person.followerCount !== undefined;
  const count = (kind, number) =>
    h("a", { href: `#/u/${person.userId}/${kind}` }, h("b", {}, String(number)), ` ${t(`count.${kind}`)}`);
  const { follows, followed } = person.relation ?? {};
  return h(
    "section",
    { class: "q-profile" },
    avatar(person, "huge"),
    h("h1", {}, name(person)),
    h(
      "p",
      { class: "muted" },
      person.appId ? `@${person.appId}` : "",
      person.username && person.username.toLowerCase() !== person.appId ? ` · ${person.username}` : "",
    ),
    h(
      "p",
      { class: "q-row start" },
      person.isVerified && h("span", { class: "q-badge" }, `✓ ${t("verified")}`),
      person.isPrivate && h("span", { class: "q-badge" }, `🔒 ${t("private.short")}`),
      followed && !follows && h("span", { class: "q-badge" }, t("follows-you")),
      person.relation?.mutes && h("span", { class: "q-badge" }, t("muted.short")),
    ),
    person.bio && h("p", { class: "q-bio" }, person.bio),
    seen &&
      h(
        "p",
        { class: "q-counts" },
        count("following", person.followingCount),
        count("followers", person.followerCount),
      ),
    h("div", { class: "actions center" }, actions),
  );
}

export async function history(place, id, again, before = []) {
  const title = h("h2", {}, t("history"));
  const mine = id === viewer;
  const load = (cursor) => get(`/users/${id}/answers${after(cursor)}`, { keep: mine && !cursor });
  const none = () => empty(t("history.empty"), mine ? t("history.empty.mine") : t("history.empty.theirs"));
  try {
    place.replaceChildren(...before, title, await pages(load, (one) => memory(one, again), none));
  } catch (error) {
    if (error.code !== "no-such-answer") throw error;
    place.replaceChildren(title, none());
  }
}

export async function list(view, again, id, kind) {
  view.replaceChildren(
    back(id === viewer ? "#/me" : `#/u/${id}`),
    h("h1", {}, t(`people.${kind}`)),
    await listOf(id, kind),
  );
}

// Where an invitation leads to.
export async function byAppId(view, again, appId) {
  const person = await get(`/users?appId=${encodeURIComponent(appId)}`);
  location.replace(person.userId === viewer ? "#/me" : `#/u/${person.userId}`);
}

export async function blockFrom(person, again) {
  if (!(await sure(t("block.title", { name: name(person) }), t("block.sure"), t("block")))) return;
  await change("PUT", `/users/${person.userId}/block`);
  toast(t("blocked"), "ok");
  again();
}

// Somebody whom one is not shown may have blocked one first: block and report are there all the same.
export function defences(id, again) {
  const block = async () => {
    if (!(await sure(t("block"), t("block.sure"), t("block")))) return;
    await change("PUT", `/users/${id}/block`);
    toast(t("blocked"), "ok");
    again();
  };
  return h(
    "div",
    { class: "stack" },
    h("p", { class: "muted" }, t("nobody.defend")),
    button(t("block"), block, "soft small"),
    button(t("report"), () => report("user", id), "soft small"),
  );
}

export async function unblock(person, again) {
  await change("DELETE", `/users/${person.userId}/block`);
  toast(t("unblocked", { name: name(person) }), "ok");
  again();
}

// Out of the timeline, without a word to anybody.
export async function mute(person, again) {
  await change("PUT", `/users/${person.userId}/mute`);
  toast(t("muted", { name: name(person) }), "ok");
  again();
}

export async function unmute(person, again) {
  await change("DELETE", `/users/${person.userId}/mute`);
  toast(t("unmuted", { name: name(person) }), "ok");
  again();
}

export function report(targetType, targetId) {
  const choices = CATEGORIES.map((one, at) =>
    h(
      "label",
      { class: "q-radio" },
      h("input", { type: "radio", name: "category", value: one, required: true, checked: at === 0 }),
      h("span", {}, t(`category.${one}`)),
    ),
  );
  const words = counted(DESCRIPTION_MAX, { id: "description", name: "description", rows: 3 });
  const made = form(
    async () => {
      await change("POST", "/reports", {
        targetType,
        targetId,
        category: made.elements.category.value,
        description: words.box.value,
      });
      box.close();
      toast(t("report.sent"), "ok");
    },
    h("fieldset", { class: "q-radios" }, h("legend", {}, t("report.why")), choices),
    h(
      "div",
      { class: "field" },
      h("label", { for: "description" }, t("report.more")),
      words.box,
      h("span", { class: "note error", "data-error": "description" }),
      words.count,
    ),
    h("button", { class: "q-button wide", type: "submit" }, t("report.send")),
  );
  const box = dialog(t("report"), h("p", { class: "muted" }, t("report.about")), made);
}
