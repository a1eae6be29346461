// What somebody has typed stays until it is saved: over a reload, a comment, a lost connection, a closed window.
import { toast } from "../app.js";
import { say } from "./client.js";

const named = (form) => [...form.elements].filter((field) => field.name && field.type !== "hidden");

// What is in a field, and what was there when the page came.
function value(form, name) {
  const fields = named(form).filter((field) => field.name === name);
  if (fields[0].type !== "checkbox") return fields[0].value;
  return fields.filter((field) => field.checked).map((field) => field.value);
}

function original(form, name) {
  const fields = named(form).filter((field) => field.name === name);
  if (fields[0].type === "checkbox") return fields.filter((field) => field.defaultChecked).map((field) => field.value);
  if (fields[0] instanceof HTMLSelectElement)
    return ([...fields[0].options].find((one) => one.defaultSelected) ?? fields[0].options[0]).value;
  return fields[0].defaultValue;
}

function fill(form, name, text) {
  for (const field of named(form).filter((one) => one.name === name)) {
    if (field.type === "checkbox") field.checked = text.includes(field.value);
    else field.value = text;
  }
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// Keeps the changed fields of a form under a key; `seen` is the version that they were typed over.
export function keepDraft(form, key, { restore = true, notice = null } = {}) {
  const place = `tasks-draft:${key}`;
  const names = () => [...new Set(named(form).map((field) => field.name))].filter((name) => name !== "keep");
  const seen = form.elements.namedItem("seen");

  const drop = () => localStorage.removeItem(place);
  const save = () => {
    const changed = names().filter((name) => !same(value(form, name), original(form, name)));
    const fields = Object.fromEntries(changed.map((name) => [name, value(form, name)]));
    if (changed.length) localStorage.setItem(place, JSON.stringify({ fields, seen: seen?.value }));
    else drop();
  };

  const kept = JSON.parse(localStorage.getItem(place) ?? "null");
  if (kept) {
    const left = Object.entries(kept.fields).filter(
      ([name, text]) => names().includes(name) && !same(value(form, name), text),
    );
    if (!left.length) drop();
    else if (restore) {
      for (const [name, text] of left) fill(form, name, text);
      if (seen && kept.seen) seen.value = kept.seen;
      if (notice) notice.hidden = false;
    }
  }
  form.addEventListener("input", save);
  form.addEventListener("change", save);
  form.addEventListener("submit", (event) => {
    if (navigator.onLine) return;
    event.preventDefault();
    toast(say("offline.kept"), "warning");
  });
  return { drop, save };
}
