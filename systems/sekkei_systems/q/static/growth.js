// Finding people: friends of friends, links that invite, addresses that both agreed to.
import { back, button, dialog, empty, form, h, who } from "./parts.js";
import { row } from "./people.js";
import { change, get, say, toast } from "./requests.js";
import { longDate, name, t } from "./words.js";

const ADDRESSES_MAX = 50;

export async function suggestions(place) {
  const found = await get("/me/suggestions", { keep: true }).catch(() => []);
  if (!found.length) return;
  place.replaceChildren(
    h("h2", {}, t("suggestions")),
    h(
      "div",
      { class: "q-list" },
      found.map((one) => row(one.person, "", t("suggestions.through", { n: one.through }))),
    ),
  );
}

// A new link each time: who has it can take it, and it can be taken back.
export async function inviting() {
  const made = await change("POST", "/me/invites");
  const send = async () => {
    if (navigator.share) return navigator.share({ title: "Q.", text: t("invite.text"), url: made.url }).catch(() => {});
    await navigator.clipboard.writeText(made.url);
    return toast(t("people.copied"), "ok");
  };
  dialog(
    t("invite.make"),
    h("p", { class: "muted" }, t("invite.made")),
    h("input", { class: "q-link", readonly: true, value: made.url, "aria-label": t("invite.make") }),
    button(navigator.share ? t("people.send") : t("people.copy"), send, "wide"),
  );
}

export async function links(place) {
  const found = await get("/me/invites").catch(() => []);
  if (!found.length) return;
  const line = (one) => {
    const made = h(
      "div",
      { class: "q-line-item" },
      h("span", {}, t("invite.left", { date: longDate(new Date(one.expiresAt)), n: one.usesLeft })),
      button(
        t("invite.end"),
        async () => {
          await change("DELETE", `/me/invites/${one.inviteId}`);
          made.remove();
        },
        "small soft",
      ),
    );
    return made;
  };
  place.replaceChildren(h("h3", {}, t("invite.links")), h("div", { class: "q-list" }, found.map(line)));
}

// Where a link leads.
export async function invited(view, again, token) {
  let person;
  try {
    person = await get(`/invites/${token}`);
  } catch (error) {
    if (error.status !== 404) throw error;
    return view.replaceChildren(
      back("#/people"),
      empty(t("invite.over"), "", h("a", { class: "q-button soft", href: "#/people" }, t("tab.people"))),
    );
  }
  const take = async () => {
    try {
      const { outcome } = await change("POST", `/invites/${token}`);
      toast(t(`follow.${outcome}`, { name: name(person) }), "ok");
    } catch (error) {
      say(error);
    }
    location.replace(`#/u/${person.userId}`);
  };
  return view.replaceChildren(
    back("#/people"),
    h(
      "section",
      { class: "q-panel stack" },
      h("h1", {}, t("invite.title", { name: name(person) })),
      who(person),
      h("p", { class: "about" }, t("invite.about")),
      button(t("invite.take"), take, "wide"),
    ),
  );
}

async function hashed(address) {
  const bytes = new TextEncoder().encode(address.trim().toLowerCase());
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].map((one) => one.toString(16).padStart(2, "0")).join("");
}

// In the settings: whether one is found, and whom one finds.
export function contacts(me, again) {
  const result = h("div", { "aria-live": "polite" });
  const box = h("textarea", { id: "addresses", rows: 3, required: true, autocapitalize: "none", spellcheck: "false" });
  const find = form(
    async () => {
      const given = box.value.split(/[\s,;]+/).filter((one) => one.includes("@"));
      const hashes = await Promise.all(given.slice(0, ADDRESSES_MAX).map(hashed));
      const found = hashes.length ? await change("POST", "/me/contacts", { hashes }) : [];
      result.replaceChildren(
        ...(found.length ? found.map((person) => row(person)) : [h("p", { class: "q-nothing" }, t("contacts.none"))]),
      );
    },
    h(
      "div",
      { class: "field" },
      h("label", { for: "addresses" }, t("contacts.addresses")),
      box,
      h("span", { class: "note" }, t("contacts.about")),
    ),
    h("button", { class: "q-button soft", type: "submit" }, t("contacts.find")),
  );
  const set = (event) =>
    change("PUT", "/me/findable", { findable: event.target.checked })
      .then(() => toast(t("saved"), "ok"))
      .catch(say)
      .then(() => again());
  return [
    h(
      "label",
      { class: "q-toggle" },
      h("span", {}, t("contacts.findable"), h("small", {}, t("contacts.findable.about"))),
      h("input", { id: "findable", type: "checkbox", role: "switch", checked: me.findable, onchange: set }),
    ),
    me.findable && find,
    me.findable && result,
  ];
}
