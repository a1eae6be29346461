// What every view uses: texts, elements, requests, small pieces of the page.
import { Problem, send, toast } from "../app.js";

const texts = JSON.parse(document.getElementById("q-texts").textContent);
export const EMOJI = ["❤️", "🔥", "😂", "🤔", "👀"];
export const viewer = document.body.dataset.user;
export const language = document.documentElement.lang;

export function t(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// h("p", { class: "x", onclick: f }, "text", element): text is always text, never markup.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

const offline = document.getElementById("offline");

// GET, with a sign when what comes is what was kept from before.
export async function get(path) {
  const response = await fetch(`/q/api${path}`, { headers: { Accept: "application/json" } });
  offline.hidden = response.headers.get("X-Kept") === null;
  const body = (response.headers.get("content-type") ?? "").includes("json") ? await response.json() : null;
  if (!response.ok) throw new Problem(body, response.status);
  return body;
}

export async function change(method, path, body) {
  try {
    return await send(method, `/q/api${path}`, body);
  } catch (error) {
    if (error.code === "csrf") location.reload(); // the page is older than the session
    throw error;
  }
}

// What a button does: not twice at once, and what goes wrong is said.
export function doing(action) {
  return async (event) => {
    event?.preventDefault?.();
    const button = event?.currentTarget?.querySelector?.("[type=submit]") ?? event?.currentTarget;
    if (button?.disabled) return;
    if (button) button.disabled = true;
    try {
      await action(event);
    } catch (error) {
      say(error);
    } finally {
      if (button) button.disabled = false;
    }
  };
}

export function say(error) {
  if (error instanceof Problem) toast(error.errors[0]?.detail ?? error.message, "error");
  else {
    console.warn(error);
    toast(t("q.error"), "error");
  }
}

export const name = (person) => person.displayName || person.username || person.appId || "?";

function hue(text) {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + character.codePointAt(0)) % 360;
  return sum;
}

export function avatar(person, size = "") {
  const label = name(person);
  if (person.pictureUrl) return h("img", { class: `avatar ${size}`, src: person.pictureUrl, alt: "", loading: "lazy" });
  return h("span", { class: `avatar ${size}`, style: `--hue: ${hue(person.userId)}`, "aria-hidden": "true" }, [...label][0].toUpperCase());
}

export function clock(moment) {
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", timeZone: "Asia/Tokyo" }).format(new Date(moment));
}

export function dayName(date, long = false) {
  const options = { month: long ? "long" : "short", day: "numeric", weekday: "short", timeZone: "UTC", ...(long ? {} : { year: "numeric" }) };
  return new Intl.DateTimeFormat(language, options).format(new Date(`${date}T00:00:00Z`));
}

const segmenter = new Intl.Segmenter(language, { granularity: "grapheme" });
export const characters = (text) => [...segmenter.segment(text.normalize("NFC").trim())].length;

// A text box with its count, as the server counts.
export function counted(most, attributes) {
  const count = h("span", { class: "q-count", id: `${attributes.id}-count` }, `0 / ${most}`);
  const box = h("textarea", { ...attributes, "aria-describedby": count.id });
  const update = () => {
    const length = characters(box.value);
    count.textContent = `${length} / ${most}`;
    count.classList.toggle("over", length > most);
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight + 2}px`;
    box.dispatchEvent(new CustomEvent("counted", { detail: { length, good: length > 0 && length <= most } }));
  };
  box.addEventListener("input", update);
  return { box, count, update };
}

export function empty(title, text, ...actions) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), text && h("p", {}, text), actions.length > 0 && h("div", { class: "actions" }, actions));
}

export function dialog(title, ...content) {
  const box = h("dialog", { class: "dialog q-dialog", "aria-label": title },
    h("div", { class: "dialog-head" }, h("h2", {}, title), h("button", { class: "icon-button", type: "button", "data-close": true, "aria-label": t("q.cancel") }, "×")),
    h("div", { class: "dialog-body stack" }, content));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

export function menu(items) {
  const list = items.filter(Boolean).map(([label, act, kind]) => h("button", { class: `menu-item ${kind ?? ""}`, type: "button", onclick: act }, label));
  const details = h("details", { class: "menu", "data-menu": true },
    h("summary", { class: "q-more", "aria-label": t("q.menu") }, "⋯"), h("div", { class: "menu-panel menu-end" }, list));
  details.addEventListener("click", (event) => event.target.closest(".menu-item") && (details.open = false));
  return details;
}

// A list that goes on: `load(cursor)` gives { items, cursor }.
export async function pages(load, show, whenEmpty) {
  const list = h("div", { class: "q-list" });
  const more = h("button", { class: "q-button soft wide", type: "button" }, t("q.more"));
  let cursor;
  const next = async () => {
    const page = await load(cursor);
    list.append(...page.items.map(show).filter(Boolean));
    cursor = page.cursor;
    more.hidden = !cursor;
    if (!list.children.length && !cursor) list.append(whenEmpty());
  };
  more.addEventListener("click", doing(next));
  await next();
  return h("div", { class: "stack" }, list, more);
}

export { toast };
