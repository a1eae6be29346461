// Saved views: links to filters, kept for whoever looks.
import { send, toast } from "../app.js";
import { say, team, tell, untouched } from "./client.js";

const area = document.querySelector("[data-views]");
const list = area.querySelector("[data-views-list]");
const form = area.querySelector("[data-save-view]");
const address = `/tasks/api/teams/${team}/views`;
const base = `/tasks/teams/${team}`;

function shown(view) {
  const chip = Object.assign(document.createElement("span"), { className: "view-chip" });
  const link = Object.assign(document.createElement("a"), { textContent: view.name });
  link.href = `${view.place === "list" ? `${base}/tasks` : base}?${view.query}`;
  if (link.pathname === location.pathname && link.search === location.search) link.setAttribute("aria-current", "page");
  const gone = Object.assign(document.createElement("button"), {
    type: "button",
    textContent: "×",
    className: "icon-button",
  });
  gone.setAttribute("aria-label", say("views.delete", view));
  gone.addEventListener("click", async () => {
    chip.hidden = true;
    try {
      await send("DELETE", `${address}/${encodeURIComponent(view.id)}`);
      chip.remove();
    } catch (problem) {
      chip.hidden = false;
      tell(problem);
    }
  });
  chip.append(link, gone);
  return chip;
}

area.hidden = false; // at once: what comes later would move the board
send("GET", address)
  .then(async ({ items }) => {
    await untouched();
    list.append(...items.map(shown));
  })
  .catch(() => {});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = form.elements.namedItem("name");
  const body = { name: name.value, place: area.dataset.views, query: location.search.slice(1) };
  try {
    list.append(shown(await send("POST", address, body)));
    name.value = "";
    form.closest("details").open = false;
    toast(say("views.saved"), "ok");
  } catch (problem) {
    tell(problem);
  }
});
