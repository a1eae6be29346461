// Talking to the API: what comes, what is changed, and what to say when it goes wrong.
import { Problem, send, toast } from "../app.js";
import { isLeaving } from "../live.js";
import { t, viewer } from "./words.js";

const offline = document.getElementById("offline");
let ahead = 0; // of this device's clock: milliseconds that the server's is ahead
let left = false;

// Away from this page, or to it anew: once, whatever else fails meanwhile. A second going would break off the first.
export function leave(address) {
  if (left || isLeaving()) return;
  left = true;
  if (address) location.href = address;
  else location.reload();
}

// No answer at all: without a network, whatever the device believes of itself.
export class Unreachable extends Error {}

const reached = (promise) =>
  promise.catch((error) => {
    throw error instanceof TypeError ? new Unreachable() : error;
  });

export const now = () => Date.now() + ahead;

// GET. `keep` asks the worker to keep the answer for times without a network; a sign tells that it is a kept one.
export async function get(path, { keep = false } = {}) {
  const headers = { Accept: "application/json", "X-Account": viewer, ...(keep ? { "X-Keep": "1" } : {}) };
  const response = await reached(fetch(`/q/api${path}`, { headers }));
  const kept = response.headers.has("X-Kept");
  offline.hidden = !kept;
  const date = Date.parse(response.headers.get("date") ?? "");
  if (!kept && date && Math.abs(date - Date.now()) > 2000) ahead = date - Date.now();
  const body = (response.headers.get("content-type") ?? "").includes("json") ? await response.json() : null;
  if (!response.ok) throw await met(new Problem(body, response.status));
  return body;
}

// Whoever was here is not here any more: signed out from afar, suspended, or somebody else has signed in.
async function met(error) {
  if (error.status === 401 || error.code === "banned" || error.code === "other-account") await forget();
  if (error.code === "other-account") leave();
  return error;
}

// What was kept on this device: what was seen (but what the worker has just kept for `account`), and what was written
// but not sent.
export async function forget({ but: account } = {}) {
  for (const key of Object.keys(localStorage)) if (key.startsWith("q-")) localStorage.removeItem(key);
  if (!("caches" in window)) return;
  const names = await caches.keys();
  const unwanted = names.filter((name) => name.startsWith("q-data") && name !== `q-data-${account}`);
  await Promise.all(unwanted.map((name) => caches.delete(name)));
}

export const after = (cursor) => (cursor ? `?after=${encodeURIComponent(cursor)}` : "");

export async function change(method, path, body) {
  try {
    return await reached(send(method, `/q/api${path}`, body, { "X-Account": viewer }));
  } catch (error) {
    if (error.code === "csrf") leave(); // the page is older than the session
    throw await met(error);
  }
}

// What this page itself finds wrong with a field.
export class Wrong extends Error {
  constructor(field, words) {
    super(words);
    this.errors = [{ pointer: `#/${field}`, detail: words }];
  }
}

// What went wrong, in words for the person who is looking.
export function wordsOf(error) {
  if (error.status === 429) return t("error.slow");
  if (error.errors) return error.errors[0]?.detail ?? error.message;
  if (error instanceof Unreachable) return t("offline.write");
  console.warn(error);
  return t("error");
}

export function say(error) {
  toast(wordsOf(error), "error");
}

// What a button does: not twice at once, and what goes wrong is said; in a form, beside the field that it is about.
export function doing(action) {
  return async (event) => {
    event?.preventDefault?.();
    const place = event?.currentTarget;
    const button = place?.querySelector?.("[type=submit]") ?? place;
    if (button?.getAttribute?.("aria-busy") === "true") return;
    button?.setAttribute?.("aria-busy", "true");
    if (place instanceof HTMLFormElement) clearErrors(place);
    try {
      await action(event);
    } catch (error) {
      if (!(place instanceof HTMLFormElement && showError(place, error))) say(error);
    } finally {
      button?.removeAttribute?.("aria-busy");
    }
  };
}

function clearErrors(form) {
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const note of form.querySelectorAll("[data-error]")) note.replaceChildren();
}

// Beside the field of that name, or, where the problem names none, in the form's own line. False when there is neither.
function showError(form, error) {
  const name = error.errors?.[0]?.pointer?.replace("#/", "");
  const field = (name && form.elements[name]) || null;
  const note = form.querySelector(`[data-error="${field ? name : ""}"]`);
  if (!note) return false;
  note.textContent = wordsOf(error);
  field?.setAttribute("aria-invalid", "true");
  field?.focus?.();
  return true;
}

export { toast };
