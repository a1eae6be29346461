// Settings: who sees one's answers, notices, language, people kept away, the account.
import { contacts, links } from "./growth.js";
import { back, button, h, sure, who } from "./parts.js";
import { unblock, unmute } from "./people.js";
import { pushing, unsubscribe } from "./push.js";
import { change, forget, get, say, toast } from "./requests.js";
import { language, name, t } from "./words.js";

const NOTICES = ["question", "reaction", "follow", "digest"];
const QUIET = { quietFrom: "22:00", quietUntil: "07:00" };
let installing = null;

addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  installing = event;
});

export async function settings(view, again) {
  const [me, notices] = await Promise.all([get("/me", { keep: true }), get("/me/notifications", { keep: true })]);
  const invites = h("div", { class: "stack" });
  links(invites);
  view.replaceChildren(
    back("#/me"),
    h("h1", {}, t("me.settings")),
    panel(t("set.answers"), sight(me, again)),
    panel(t("set.notices"), await pushing(again), noticing(notices, again)),
    panel(t("set.display"), display()),
    panel(
      t("set.people"),
      away(t("mutes"), "/me/mutes", unmute, t("unmute")),
      away(t("blocks"), "/me/blocks", unblock, t("unblock")),
    ),
    panel(t("contacts"), contacts(me, again), invites),
    panel(t("set.account"), account(me, again)),
  );
}

function panel(title, ...content) {
  return h("section", { class: "q-panel" }, h("h2", {}, title), content);
}

// A change is kept at once; when it is refused, the page shows how it really is.
const keep = (saving, again) =>
  saving
    .then(() => toast(t("saved"), "ok"))
    .catch((error) => {
      say(error);
      again();
    });

function toggle(label, about, checked, onchange) {
  return h(
    "label",
    { class: "q-toggle" },
    h("span", {}, label, about && h("small", {}, about)),
    h("input", { type: "checkbox", role: "switch", checked, onchange: (event) => onchange(event.target.checked) }),
  );
}

function sight(me, again) {
  const save = (values) => keep(change("PATCH", "/me", values), again);
  const choice = (kind) =>
    h(
      "label",
      { class: "q-radio" },
      h("input", {
        type: "radio",
        name: "visibility",
        value: kind,
        checked: me.visibilityType === kind,
        onchange: () => save({ visibilityType: kind }),
      }),
      h("span", {}, t(`me.visibility.${kind}`)),
    );
  return [
    h("fieldset", { class: "q-radios" }, h("legend", {}, t("me.visibility")), ["mutual", "followers"].map(choice)),
    toggle(t("me.private"), t("me.private.about"), me.isPrivate, (isPrivate) => save({ isPrivate })),
    !me.answersFirstFixed &&
      toggle(t("me.first"), t("me.first.about"), me.answersFirst, (answersFirst) => save({ answersFirst })),
  ];
}

function noticing(given, again) {
  let now = given;
  const save = (values) => {
    now = { ...now, ...values };
    return keep(change("PUT", "/me/notifications", now), again);
  };
  const hour = (key, label) =>
    h(
      "div",
      { class: "field" },
      h("label", { for: key }, label),
      h("input", {
        id: key,
        type: "time",
        required: true,
        value: now[key] ?? QUIET[key],
        onchange: (event) => event.target.value && save({ [key]: event.target.value }),
      }),
    );
  const hours = h(
    "div",
    { class: "q-hours", hidden: !now.quietFrom },
    hour("quietFrom", t("quiet.from")),
    hour("quietUntil", t("quiet.until")),
  );
  return [
    NOTICES.map((kind) =>
      toggle(t(`notice.${kind}`), t(`notice.${kind}.about`), now[kind], (wanted) => save({ [kind]: wanted })),
    ),
    toggle(t("quiet"), t("quiet.about"), Boolean(now.quietFrom), (wanted) => {
      hours.hidden = !wanted;
      const times = Object.fromEntries(
        Object.keys(QUIET).map((key) => [key, wanted ? hours.querySelector(`#${key}`).value : null]),
      );
      return save(times);
    }),
    hours,
  ];
}

function display() {
  const speak = h(
    "select",
    { id: "language", onchange: (event) => speakIn(event.target.value) },
    [
      ["ja", "日本語"],
      ["en", "English"],
    ].map(([code, label]) => h("option", { value: code, lang: code, selected: code === language }, label)),
  );
  const install =
    installing &&
    button(
      t("install"),
      async () => {
        await installing.prompt();
        installing = null;
      },
      "soft wide",
    );
  return [h("div", { class: "field" }, h("label", { for: "language" }, t("set.language")), speak), install];
}

// People whom one has muted or blocked, loaded when looked at.
function away(title, path, end, label) {
  const list = h("div", { class: "q-list" });
  const show = async () => {
    const found = await get(path);
    list.replaceChildren(
      ...found.items.map((person) =>
        h(
          "div",
          { class: "q-line-item" },
          who(person),
          button(label, () => end(person, show), "small soft", { "aria-label": `${label}: ${name(person)}` }),
        ),
      ),
    );
    if (!found.items.length) list.replaceChildren(h("p", { class: "muted" }, t("people.empty")));
  };
  return h("details", { ontoggle: (event) => event.target.open && show().catch(say) }, h("summary", {}, title), list);
}

function account(me, again) {
  return [
    h(
      "dl",
      { class: "q-facts" },
      h("dt", {}, t("set.id")),
      h("dd", {}, `@${me.appId}`),
      h("dt", {}, t("set.mail")),
      h("dd", {}, me.email),
    ),
    me.isAdmin && h("a", { class: "q-button soft wide", href: "/q/admin" }, t("me.admin")),
    h("a", { class: "q-button soft wide", href: "/account" }, t("me.account")),
    h("a", { class: "q-button soft wide", href: "/account/export" }, t("me.export")),
    button(t("me.out"), signOut, "soft wide"),
    !me.isAdmin &&
      button(
        t("me.leave"),
        async () => {
          if (!(await sure(t("me.leave"), t("me.leave.sure"), t("me.leave.yes")))) return;
          await change("POST", "/me/withdrawal");
          location.hash = "#/";
          await again();
        },
        "soft wide danger",
      ),
  ];
}

// What was kept on this device goes with the session, and so do notices for whoever leaves.
async function signOut() {
  await unsubscribe().catch(() => {});
  await forget();
  const token = document.querySelector('meta[name="csrf-token"]').content;
  const leave = h(
    "form",
    { method: "post", action: "/sign-out", hidden: true },
    h("input", { name: "_csrf", value: token }),
  );
  document.body.append(leave);
  leave.submit();
}

// The page, and the notices too.
async function speakIn(chosen) {
  await change("PATCH", "/me", { language: chosen }).catch(() => {});
  location.href = `/q/?lang=${chosen}#/settings`;
}
