// Adding in one line: what was understood is shown while somebody types; the card stands there before the server has it.
import { send } from "../app.js";
import { key, say, team, tell, Wish } from "./client.js";

const api = `/tasks/api/teams/${team}`;
const day = (text) =>
  new Intl.DateTimeFormat(document.documentElement.lang, { month: "short", day: "numeric", weekday: "short" }).format(
    new Date(`${text}T00:00`),
  );

let names = null;
const nameOf = async (kind, id) => {
  names ??= send("GET", `${api}/palette`);
  const found = await names.catch(() => (names = null));
  return found?.[kind].find((one) => one.id === id)?.name ?? "";
};

async function inWords(found) {
  const words = [];
  if (found.start) words.push(say("begins", { day: day(found.start) }));
  if (found.end) words.push(say("due", { day: day(found.end) }));
  if (found.priority) words.push(say(`priority.${found.priority}`));
  if (found.assignee) words.push(`@${await nameOf("members", found.assignee)}`);
  for (const tag of found.tags) words.push(`#${await nameOf("tags", tag)}`);
  return words;
}

for (const form of document.querySelectorAll("[data-quick]")) {
  const field = form.elements.namedItem("text");
  const shown = form.querySelector("[data-understood]");
  const wish = new Wish();
  let waiting = 0;

  async function understand() {
    const text = field.value;
    const query = new URLSearchParams({ text });
    const found = text.trim() && (await send("GET", `${api}/understood?${query}`).catch(() => null));
    const words = found ? await inWords(found) : [];
    if (field.value !== text) return;
    shown.hidden = !words.length;
    shown.textContent = words.length ? `${found.title} — ${words.join(" · ")}` : "";
  }
  field.addEventListener("input", () => {
    if (!field.value) wish.forget();
    clearTimeout(waiting);
    waiting = setTimeout(understand, 120);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") field.blur();
  });

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    const list = form.closest(".column").querySelector("[data-list]");
    const card = Object.assign(document.createElement("li"), { className: "pending-card", textContent: text });
    list.insertBefore(card, list.querySelector(".more"));
    field.value = "";
    shown.hidden = true;
    try {
      const made = await wish.send(`${api}/quick`, { text, status: form.dataset.quick });
      card.textContent = `${made.number ? `${key}-${made.number} ` : ""}${made.title}`;
      document.dispatchEvent(new CustomEvent("tasks:added", { detail: { task: made.id, card } }));
    } catch (problem) {
      card.remove();
      if (!field.value) field.value = text;
      form.classList.add("returned");
      tell(problem);
    }
  });
  form.addEventListener("animationend", () => form.classList.remove("returned"));
}

document.addEventListener("keydown", (event) => {
  if (
    event.key !== "c" ||
    event.target.matches("input, select, textarea") ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
  )
    return;
  if (document.querySelector("dialog[open]")) return;
  event.preventDefault();
  document.querySelector("[data-quick] [name=text]")?.focus();
});
