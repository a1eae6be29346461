// Oneself: joining, profile, settings, proposals, leaving.
import { change, counted, dialog, doing, empty, get, h, name, say, t, toast } from "./parts.js";
import { head, history, unblock } from "./people.js";

export function join(view, again) {
  const birth = h("input", { id: "birth", type: "date", required: true, max: new Date().toISOString().slice(0, 10), min: "1900-01-01" });
  const shown = h("input", { id: "name", maxlength: "100", autocomplete: "nickname" });
  view.replaceChildren(h("form", { class: "q-welcome stack", "data-again": true, onsubmit: doing(async () => {
    await change("POST", "/me", { birthDate: birth.value, displayName: shown.value });
    again();
  }) }, h("h1", {}, t("q.join.title")), h("p", { class: "about" }, t("q.join.about")),
  h("div", { class: "field" }, h("label", { for: "name" }, t("q.me.name")), shown),
  h("div", { class: "field" }, h("label", { for: "birth" }, t("q.join.birth")), birth, h("p", { class: "note" }, t("q.join.birth.about"))),
  h("button", { class: "q-button wide", type: "submit" }, t("q.join.next"))));
}

export function chooseId(view, again) {
  const field = h("input", { id: "app-id", required: true, minlength: "3", maxlength: "15", pattern: "[a-z0-9_]+", autocapitalize: "none", autocomplete: "off", spellcheck: "false" });
  view.replaceChildren(h("form", { class: "q-welcome stack", "data-again": true, onsubmit: doing(async () => {
    await change("PUT", "/me/app-id", { appId: field.value });
    again();
  }) }, h("h1", {}, t("q.join.id.title")), h("p", { class: "about" }, t("q.join.id.about")),
  h("div", { class: "field" }, h("label", { for: "app-id" }, t("q.join.id")), field),
  h("button", { class: "q-button wide", type: "submit" }, t("q.join.id.set"))));
}

export function leaving(view, again, me) {
  const until = new Date(Date.parse(me.deletingAt) + 7 * 86_400_000);
  const date = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long" }).format(until);
  view.replaceChildren(empty(t("q.leaving.title"), t("q.leaving", { date }), h("button", { class: "q-button", type: "button", onclick: doing(async () => {
    await change("DELETE", "/me/withdrawal");
    again();
  }) }, t("q.leaving.stay"))));
}

export async function mine(view, again) {
  const me = await get("/me");
  const body = h("section", { class: "stack" });
  view.replaceChildren(
    head(me, h("button", { class: "q-button soft small", type: "button", onclick: () => edit(me, again) }, t("q.me.edit"))),
    proposal(), settings(me, again), body);
  await history(body, me.userId);
}

function edit(me, again) {
  const shown = h("input", { id: "display-name", maxlength: "100", value: me.displayName ?? "" });
  const user = h("input", { id: "username", maxlength: "20", pattern: "[A-Za-z0-9_]{3,20}", autocapitalize: "none", value: me.username ?? "" });
  const about = counted(200, { id: "bio", rows: 3 });
  about.box.value = me.bio ?? "";
  const file = h("input", { id: "picture", type: "file", accept: "image/*" });
  const box = dialog(t("q.me.edit"), h("form", { class: "stack", "data-again": true, onsubmit: doing(async () => {
    if (user.value && user.value !== me.username) await change("PUT", "/me/username", { username: user.value });
    await change("PATCH", "/me", { displayName: shown.value, bio: about.box.value });
    if (file.files[0]) await change("PUT", "/me/picture", { content: await picture(file.files[0]) });
    box.close();
    toast(t("q.saved"), "ok");
    again();
  }) }, field(t("q.me.name"), shown), field(t("q.me.username"), user), field(t("q.me.bio"), about.box, about.count), field(t("q.me.picture"), file),
  h("button", { class: "q-button wide", type: "submit" }, t("q.save"))));
  about.update();
}

function field(label, input, ...more) {
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, more);
}

// A square of 512 points, so that what is sent is small and shows nothing but the picture.
async function picture(file) {
  const image = await createImageBitmap(file);
  const side = Math.min(image.width, image.height);
  const canvas = h("canvas", { width: 512, height: 512 });
  canvas.getContext("2d").drawImage(image, (image.width - side) / 2, (image.height - side) / 2, side, side, 0, 0, 512, 512);
  return canvas.toDataURL("image/jpeg", 0.85).split(",")[1];
}

function proposal() {
  const { box, count, update } = counted(80, { id: "proposal", rows: 1, placeholder: t("q.me.propose.placeholder") });
  return h("details", { class: "q-panel" }, h("summary", {}, t("q.me.propose")), h("form", { class: "stack", "data-again": true, onsubmit: doing(async () => {
    await change("POST", "/questions", { text: box.value });
    box.value = "";
    update();
    toast(t("q.me.propose.sent"), "ok");
  }) }, h("p", { class: "muted" }, t("q.me.propose.about")), h("label", { class: "visually-hidden", for: "proposal" }, t("q.me.propose")), box,
  h("div", { class: "q-row" }, count, h("button", { class: "q-button small", type: "submit" }, t("q.me.propose.send")))));
}

function settings(me, again) {
  const save = (values) => change("PATCH", "/me", values).then(() => toast(t("q.saved"), "ok")).catch((error) => {
    say(error);
    again();
  });
  const visibility = h("select", { id: "visibility", onchange: (event) => save({ visibilityType: event.target.value }) },
    ["mutual", "followers"].map((one) => h("option", { value: one, selected: me.visibilityType === one }, t(`q.me.visibility.${one}`))));
  const toggle = (key, label, about) => h("label", { class: "q-toggle" }, h("span", {}, label, h("small", {}, about)),
    h("input", { type: "checkbox", role: "switch", checked: me[key], onchange: (event) => save({ [key]: event.target.checked }) }));
  const blocked = h("div", { class: "q-list" });
  return h("details", { class: "q-panel" }, h("summary", {}, t("q.me.settings")), h("div", { class: "stack" },
    field(t("q.me.visibility"), visibility),
    toggle("isPrivate", t("q.me.private"), t("q.me.private.about")),
    toggle("answersFirst", t("q.me.first"), t("q.me.first.about")),
    h("details", { ontoggle: (event) => event.target.open && showBlocks(blocked, again).catch(say) }, h("summary", {}, t("q.blocks")), blocked),
    me.isAdmin && h("a", { class: "q-button soft wide", href: "/q/admin" }, t("q.me.admin")),
    h("a", { class: "q-button soft wide", href: "/account" }, t("q.me.account")),
    !me.isAdmin && h("button", { class: "q-button soft wide danger", type: "button", onclick: doing(async () => {
      if (!confirm(t("q.me.leave.sure"))) return;
      await change("POST", "/me/withdrawal");
      again();
    }) }, t("q.me.leave"))));
}

async function showBlocks(place, again) {
  const found = await get("/me/blocks");
  place.replaceChildren(...found.items.map((person) => h("div", { class: "q-line-item" }, h("strong", {}, name(person)),
    h("button", { class: "q-button small soft", type: "button", onclick: doing(() => unblock(person.userId, again)) }, t("q.unblock")))));
  if (!found.items.length) place.replaceChildren(h("p", { class: "muted" }, t("q.people.empty")));
}
