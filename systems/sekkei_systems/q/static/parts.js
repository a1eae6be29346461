// The pieces that every view is made of. Text is always text, never markup.
import { doing } from "./requests.js";
import { characters, name, t, viewer } from "./words.js";

// h("p", { class: "x", onclick: f }, "text", element)
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export function button(label, onclick, kind = "", more = {}) {
  return h("button", { class: `q-button ${kind}`, type: "button", onclick: doing(onclick), ...more }, label);
}

function hue(text) {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + character.codePointAt(0)) % 360;
  return sum;
}

export function avatar(person, size = "") {
  if (person.pictureUrl) {
    const side = size === "huge" ? 88 : 38;
    return h("img", {
      class: `avatar ${size}`,
      src: person.pictureUrl,
      alt: "",
      width: side,
      height: side,
      loading: "lazy",
      decoding: "async",
    });
  }
  const letter = h("span", { class: `avatar ${size}`, "aria-hidden": "true" }, [...name(person)][0].toUpperCase());
  letter.style.setProperty("--hue", hue(person.userId));
  return letter;
}

export const linkTo = (person) => (person.userId === viewer ? "#/me" : `#/u/${person.userId}`);

// Somebody's picture and name, leading to them; `small` is the line below the name.
export function who(person, small = person.appId ? `@${person.appId}` : "", ...more) {
  return h(
    "a",
    { class: "q-person", href: linkTo(person) },
    avatar(person),
    h(
      "span",
      {},
      h("strong", {}, name(person), person.isVerified && h("i", { class: "q-verified", title: t("verified") }, " ✓")),
      h("small", {}, small),
    ),
    more,
  );
}

// A label, an input, and the place for what is wrong with it.
export function field(label, input, { hint, more } = {}) {
  const note = h(
    "p",
    { class: "note", id: `${input.id}-note`, "aria-live": "polite" },
    h("span", { class: "note error", "data-error": input.name }),
    hint && h("span", {}, hint),
  );
  input.setAttribute("aria-describedby", [input.getAttribute("aria-describedby"), note.id].filter(Boolean).join(" "));
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, more, note);
}

export function form(onsubmit, ...content) {
  return h(
    "form",
    { class: "stack", "data-again": true, onsubmit: doing(onsubmit) },
    content,
    h("p", { class: "note error", "data-error": "", role: "alert" }),
  );
}

// A text box with its count; close to the end, the count is also said.
export function counted(most, attributes) {
  const count = h("span", { class: "q-count", id: `${attributes.id}-count` });
  const spoken = h("span", { class: "visually-hidden", role: "status" });
  const box = h("textarea", { ...attributes, "aria-describedby": count.id });
  const update = () => {
    const length = characters(box.value);
    count.textContent = `${length} / ${most}`;
    count.classList.toggle("over", length > most);
    if (length > most - 10)
      spoken.textContent =
        length > most ? t("count.over", { n: length - most }) : t("count.left", { n: most - length });
    if (box.isConnected) {
      box.style.height = "auto";
      box.style.height = `${box.scrollHeight + 2}px`;
    }
    box.dispatchEvent(new CustomEvent("counted", { detail: { length, good: length > 0 && length <= most } }));
  };
  box.addEventListener("input", update);
  count.textContent = `${characters(box.value)} / ${most}`;
  return { box, count: h("span", {}, count, spoken), update };
}

export function empty(title, text, ...actions) {
  return h(
    "div",
    { class: "empty" },
    h("p", { class: "empty-title" }, title),
    text && h("p", {}, text),
    actions.length > 0 && h("div", { class: "actions" }, actions),
  );
}

let dialogs = 0;

export function dialog(title, ...content) {
  const id = `dialog-${++dialogs}`;
  const box = h(
    "dialog",
    { class: "dialog q-dialog", "aria-labelledby": id },
    h(
      "div",
      { class: "dialog-head" },
      h("h2", { id }, title),
      h("button", { class: "icon-button", type: "button", "data-close": true, "aria-label": t("close") }, "×"),
    ),
    h("div", { class: "dialog-body stack" }, content),
  );
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

// Asks before something that is hard to take back; true when the answer is yes.
export function sure(title, text, label, kind = "danger") {
  return new Promise((answer) => {
    const box = dialog(
      title,
      h("p", {}, text),
      h(
        "div",
        { class: "q-choice" },
        h("button", { class: "q-button soft", type: "button", onclick: () => box.close() }, t("cancel")),
        h("button", { class: `q-button ${kind}`, type: "button", onclick: () => box.close("yes") }, label),
      ),
    );
    box.querySelector(".q-choice button").focus();
    box.addEventListener("close", () => answer(box.returnValue === "yes"));
  });
}

export function menu(label, items) {
  const list = items
    .filter(Boolean)
    .map(([text, act, kind]) =>
      h("button", { class: `menu-item ${kind ?? ""}`, type: "button", onclick: doing(act) }, text),
    );
  const details = h(
    "details",
    { class: "menu", "data-menu": true },
    h("summary", { class: "q-more", "aria-label": label }, "⋯"),
    h("div", { class: "menu-panel menu-end" }, list),
  );
  // Before the item acts, so that a dialog that it opens gives the focus back to something that can be seen.
  details.addEventListener(
    "click",
    (event) => {
      if (!event.target.closest(".menu-item")) return;
      details.open = false;
      details.querySelector("summary").focus();
    },
    true,
  );
  return details;
}

// A list that goes on: `load(cursor)` gives { items, cursor }.
export async function pages(load, show, whenEmpty) {
  const list = h("div", { class: "q-list" });
  let cursor;
  const next = async () => {
    const page = await load(cursor);
    const shown = page.items.map(show).filter(Boolean);
    list.append(...shown);
    cursor = page.cursor;
    more.hidden = !cursor;
    if (!list.children.length && !cursor) list.append(whenEmpty());
    return shown[0];
  };
  const more = button(t("more"), async () => (await next())?.querySelector("a, button")?.focus(), "soft wide");
  await next();
  return h("div", { class: "stack" }, list, more);
}

export const back = (href) => h("a", { class: "back", href }, `← ${t("back")}`);
