// The console's conveniences: recent questions kept in this browser, names put into a statement, ends of a range.

const RECENT = "sekkei-console-recent";
const RECENT_MAX = 20;

function recent() {
  try {
    const kept = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

function remember(place) {
  const asked = new URLSearchParams(location.search);
  for (const name of ["after", "lang", "count"]) asked.delete(name);
  for (const [name, value] of [...asked]) if (!value) asked.delete(name, value);
  const worth = ["key", "attr", "statement", "index", "columns"].some((name) => asked.get(name));
  if (!worth) return;
  const text = asked.get("statement") ?? [...asked].map(([name, value]) => `${name}=${value}`).join(" ");
  const one = { place, text: text.slice(0, 200), url: `${location.pathname}?${asked}` };
  const kept = [one, ...recent().filter((other) => other.url !== one.url)].slice(0, RECENT_MAX);
  localStorage.setItem(RECENT, JSON.stringify(kept));
}

for (const form of document.querySelectorAll("form[data-recent]")) {
  if (!form.querySelector('[role="alert"]')) remember(form.dataset.recent);
  const list = form.querySelector("[data-recent-list]");
  const kept = recent();
  if (!list || kept.length === 0) continue;
  for (const { place, text, url } of kept) {
    if (typeof url !== "string" || !url.startsWith("/console/")) continue;
    const link = document.createElement("a");
    link.className = "menu-item";
    link.href = url;
    link.textContent = `${place}: ${text}`;
    list.querySelector(".menu-panel").append(link);
  }
  list.hidden = false;
}

// What is empty does not belong into the address.
document.addEventListener("submit", (event) => {
  if (event.target.matches("form.ask"))
    for (const field of event.target.querySelectorAll("input, select")) {
      const row = field.closest(".filter");
      const empty = row ? !row.querySelector('[name="attr"]').value : !field.value && field.name !== "op";
      if (empty && !["key", "sort", "to"].includes(field.name)) field.disabled = true;
    }
});
addEventListener("pageshow", () => {
  for (const field of document.querySelectorAll("form.ask :disabled")) field.disabled = false;
});

// The second end is only for ranges.
function ends(select) {
  const other = select.parentElement.querySelector("[data-only]");
  if (other) other.hidden = select.value !== other.dataset.only;
}
for (const select of document.querySelectorAll('select[name="op"], select[name="is"]')) {
  ends(select);
  select.addEventListener("change", () => ends(select));
}

document.addEventListener("click", (event) => {
  const chip = event.target.closest("[data-insert]");
  const area = chip?.closest("form").querySelector("textarea");
  if (!area) return;
  area.setRangeText(chip.dataset.insert, area.selectionStart, area.selectionEnd, "end");
  area.focus();
});

// Follow a stream: ask for what came since, put it on top.
for (const button of document.querySelectorAll("[data-follow]")) {
  const list = document.querySelector(button.dataset.follow);
  let timer = 0;
  button.hidden = false;
  async function look() {
    const answer = await fetch(list.dataset.after, { headers: { Accept: "text/html" } }).catch(() => null);
    if (answer?.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const newer = page.querySelector(button.dataset.follow);
      const found = newer ? [...newer.querySelectorAll(":scope > .change")] : [];
      if (found.length) list.querySelector("[data-none]")?.remove();
      list.prepend(...found.map((one) => document.adoptNode(one)));
      if (newer && found.length) list.dataset.after = newer.dataset.after;
    }
    timer = setTimeout(look, 2000);
  }
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    clearTimeout(timer);
    if (on) look();
  });
}
