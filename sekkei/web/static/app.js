// The shell's script: small conveniences on pages that work without it.
import { watch } from "./live.js";

const root = document.documentElement;

export function csrfToken() {
  return document.querySelector('meta[name="csrf-token"]')?.content ?? "";
}

// fetch() with the token, JSON in and out; throws a Problem that knows the words to show.
export class Problem extends Error {
  constructor(body, status) {
    super(body?.detail ?? String(status));
    this.status = status;
    this.code = body?.code;
    this.errors = body?.errors ?? [];
  }
}

export async function send(method, url, body, headers = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      "X-CSRF-Token": csrfToken(),
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const kind = response.headers.get("content-type") ?? "";
  const answer = kind.includes("json") ? await response.json() : null;
  if (!response.ok) throw new Problem(answer, response.status);
  return answer;
}

export function toast(text, level = "info") {
  const box = document.querySelector("[data-toasts]");
  if (!box) return;
  const item = document.createElement("div");
  item.className = `toast ${level}`;
  if (level === "error") item.setAttribute("role", "alert");
  const words = document.createElement("span");
  words.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "icon-button";
  close.textContent = "×";
  close.dataset.dismiss = "";
  item.append(words, close);
  box.append(item);
  leaveLater(item);
}

function leaveLater(item) {
  // What can be acted on stays until it is, or until somebody closes it.
  if (!item.classList.contains("error") && !item.querySelector("form")) setTimeout(() => item.remove(), 6000);
}

// What arrives by itself moves nothing from under a finger: it waits until the button that is held down is let go, and the
// click that follows has happened.
let pressed = false;
const released = [];
function release() {
  pressed = false;
  for (const go of released.splice(0)) setTimeout(go);
}
addEventListener("pointerdown", () => (pressed = true), true);
addEventListener("pointermove", ({ buttons }) => pressed && !buttons && release(), true); // let go outside the window
for (const name of ["pointerup", "pointercancel"]) addEventListener(name, release, true);
addEventListener("blur", release); // the window's, not a field's
export async function untouched() {
  while (pressed) await new Promise((go) => released.push(go));
}

function setTheme() {
  const dark =
    root.dataset.theme === "dark" ||
    (root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const chosen = dark ? "light" : "dark";
  root.dataset.theme = chosen;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `sekkei_theme=${chosen}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
}

async function copy(button) {
  const source = document.querySelector(button.dataset.copy);
  await navigator.clipboard.writeText(source.textContent.trim());
  toast(button.dataset.copied ?? "✓", "ok");
}

document.addEventListener("click", (event) => {
  const found = (selector) => event.target.closest(selector);
  if (found("[data-theme-toggle]")) setTheme();
  if (found("[data-dismiss]")) found(".toast")?.remove();
  if (found("[data-copy]")) copy(found("[data-copy]"));
  const opener = found("[data-dialog]");
  const dialog = opener && document.getElementById(opener.dataset.dialog);
  if (dialog) {
    event.preventDefault();
    dialog.showModal();
  }
  if (event.target instanceof HTMLDialogElement && outside(event)) event.target.close();
  if (found("[data-close]")) found("dialog")?.close();
  for (const menu of document.querySelectorAll("details[data-menu][open]"))
    if (!menu.contains(event.target)) menu.open = false;
  if (found("[data-back]") && history.length > 1) {
    event.preventDefault();
    history.back();
  }
});

function outside(event) {
  const box = event.target.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) {
    event.preventDefault();
    return;
  }
  // What a page's own script sends, or keeps back, is its own business.
  if (event.defaultPrevented || form.method === "dialog" || form.dataset.again !== undefined) return;
  // A second click must not send it twice; after a moment it may be sent again (a download leaves the page as it is).
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  setTimeout(() => delete form.dataset.sent, 4000);
});

// A choice that acts at once: <select data-submit>.
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

// A link to something folded up unfolds it.
function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", unfold);
unfold();

for (const item of document.querySelectorAll(".toast")) leaveLater(item);
document.querySelector('[aria-invalid="true"]')?.focus();
for (const element of document.querySelectorAll("[data-live]")) watch(element);
