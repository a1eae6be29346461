// A timetable or a lesson that is open shows what others do: places taken and given back, lessons that change.
import { untouched } from "../app.js";

const list = document.querySelector("[data-live]");
let waiting = false;
let asked = 0;
let shown = 0; // which of the answers that were asked for

async function refresh() {
  if (waiting) return;
  waiting = true;
  // Several changes in one moment are one look.
  await new Promise((done) => setTimeout(done, 150));
  waiting = false;
  const ours = ++asked;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-live]");
  await untouched();
  if (!fresh || ours < shown) return; // a later answer came first
  shown = ours;
  keep(fresh);
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  list.replaceChildren(...fresh.childNodes);
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

// What somebody has begun to fill in stays as it is, in the place of its fresh copy; with it stays the cursor.
function keep(fresh) {
  for (const form of list.querySelectorAll("form[data-begun]")) {
    const same = [...fresh.querySelectorAll("form")].find((one) => one.action === form.action);
    same?.replaceWith(form);
  }
}

function begin(event) {
  event.target.form?.setAttribute("data-begun", "");
}

list?.addEventListener("focusin", begin);
list?.addEventListener("input", begin);
list?.addEventListener("live:changed", refresh);
document.querySelector(".daybar [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
