// Before one can go on: joining, choosing an ID, or coming back from leaving.
import { button, empty, field, form, h } from "./parts.js";
import { change, Wrong } from "./requests.js";
import { longDate, t } from "./words.js";

const GRACE_DAYS = 7;
const AGE_MIN = 13;

function welcome(step, title, about, made) {
  document.body.classList.add("q-joining");
  return h(
    "div",
    { class: "q-welcome stack" },
    h("p", { class: "q-step" }, t("q.join.step", { n: step })),
    h("h1", {}, title),
    h("p", { class: "about" }, about),
    made,
  );
}

export function join(view, again) {
  const latest = new Date();
  latest.setFullYear(latest.getFullYear() - AGE_MIN);
  const shown = h("input", {
    id: "name",
    name: "displayName",
    maxlength: "100",
    autocomplete: "nickname",
    value: document.body.dataset.name ?? "",
  });
  const birth = h("input", {
    id: "birth",
    name: "birthDate",
    type: "date",
    required: true,
    max: latest.toISOString().slice(0, 10),
    min: "1900-01-01",
    autocomplete: "bday",
  });
  view.replaceChildren(
    welcome(
      1,
      t("q.join.title"),
      t("q.join.about"),
      form(
        async () => {
          await change("POST", "/me", { birthDate: birth.value, displayName: shown.value });
          await again("app-id");
        },
        field(t("q.me.name"), shown, { hint: t("q.join.name.about") }),
        field(t("q.join.birth"), birth, { hint: t("q.join.birth.about") }),
        h("button", { class: "q-button wide", type: "submit" }, t("q.join.next")),
      ),
    ),
  );
}

export function chooseId(view, again) {
  const id = h("input", {
    id: "app-id",
    name: "appId",
    required: true,
    minlength: "3",
    maxlength: "15",
    pattern: "[a-z0-9_]{3,15}",
    title: t("q.join.id.form"),
    autocapitalize: "none",
    autocomplete: "off",
    spellcheck: "false",
  });
  const preview = h("output", { class: "q-id", for: "app-id" }, "@");
  id.addEventListener("input", () => {
    const small = id.value.toLowerCase().replace(/^@/, "");
    if (small !== id.value) id.value = small;
    preview.textContent = `@${small}`;
  });
  view.replaceChildren(
    welcome(
      2,
      t("q.join.id.title"),
      t("q.join.id.about"),
      form(
        async () => {
          try {
            await change("PUT", "/me/app-id", { appId: id.value });
          } catch (error) {
            throw error.code === "taken" ? new Wrong("appId", t("q.join.id.taken", { id: id.value })) : error;
          }
          await again();
        },
        preview,
        field(t("q.join.id"), id, { hint: t("q.join.id.form") }),
        h("button", { class: "q-button wide", type: "submit" }, t("q.join.id.set")),
      ),
    ),
  );
}

export function leaving(view, again, me) {
  document.body.classList.add("q-joining");
  const date = longDate(Date.parse(me.deletingAt) + GRACE_DAYS * 86_400_000);
  view.replaceChildren(
    empty(
      t("q.leaving.title"),
      t("q.leaving", { date }),
      button(t("q.leaving.stay"), async () => {
        await change("DELETE", "/me/withdrawal");
        await again();
      }),
      h("a", { class: "q-button soft", href: "/account" }, t("q.me.account")),
    ),
  );
}
