// Before one can go on: joining, choosing an ID, or coming back from leaving.
import { button, empty, field, form, h } from "./parts.js";
import { change, get, Wrong } from "./requests.js";
import { longDate, t } from "./words.js";

const GRACE_DAYS = 7;
const AGE_MIN = 13;

function welcome(step, title, about, made) {
  document.body.classList.add("q-joining");
  return h(
    "div",
    { class: "q-welcome stack" },
    h("p", { class: "q-step" }, t("join.step", { n: step })),
    h("h1", {}, title),
    h("p", { class: "about" }, about),
    made,
  );
}

// What one agrees to, with links to read it; null where nobody is asked.
function consent(found) {
  if (!found.version) return null;
  const link = (href, label) => h("a", { href, target: "_blank", rel: "noopener" }, label);
  return h(
    "label",
    { class: "check q-consent" },
    h("input", { type: "checkbox", name: "terms", required: true }),
    h("span", {}, link(found.termsUrl, t("terms")), " · ", link(found.privacyUrl, t("privacy")), " ", t("terms.agree")),
  );
}

// The terms have changed: nothing else goes on before.
export async function agree(view, again) {
  const found = await get("/terms");
  view.replaceChildren(
    h("h1", {}, t("terms.new")),
    h("p", { class: "about" }, t("terms.new.about")),
    form(
      async () => {
        await change("PUT", "/me/terms", { version: found.version });
        await again();
      },
      consent(found),
      h("button", { class: "q-button wide", type: "submit" }, t("join.next")),
    ),
    h("a", { class: "q-button soft", href: "/account" }, t("me.account")),
  );
  document.body.classList.add("q-joining");
}

export async function join(view, again) {
  const found = await get("/terms");
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
      t("join.title"),
      t("join.about"),
      form(
        async () => {
          await change("POST", "/me", {
            birthDate: birth.value,
            displayName: shown.value,
            terms: found.version,
          });
          await again("app-id");
        },
        field(t("me.name"), shown, { hint: t("join.name.about") }),
        field(t("join.birth"), birth, { hint: t("join.birth.about") }),
        consent(found),
        h("button", { class: "q-button wide", type: "submit" }, t("join.next")),
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
    title: t("join.id.form"),
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
      t("join.id.title"),
      t("join.id.about"),
      form(
        async () => {
          try {
            await change("PUT", "/me/app-id", { appId: id.value });
          } catch (error) {
            throw error.code === "taken" ? new Wrong("appId", t("join.id.taken", { id: id.value })) : error;
          }
          await again();
        },
        preview,
        field(t("join.id"), id, { hint: t("join.id.form") }),
        h("button", { class: "q-button wide", type: "submit" }, t("join.id.set")),
      ),
    ),
  );
}

export function leaving(view, again, me) {
  document.body.classList.add("q-joining");
  const date = longDate(Date.parse(me.deletingAt) + GRACE_DAYS * 86_400_000);
  view.replaceChildren(
    empty(
      t("leaving.title"),
      t("leaving", { date }),
      button(t("leaving.stay"), async () => {
        await change("DELETE", "/me/withdrawal");
        await again();
      }),
      h("a", { class: "q-button soft", href: "/account" }, t("me.account")),
    ),
  );
}
