// What the scripts of this system share: their words, and what to say when there is no connection.
import { Problem, toast } from "../app.js";

const words = JSON.parse(document.getElementById("tasks-client")?.textContent ?? "{}");
export const { me, team, key } = document.getElementById("tasks-client")?.dataset ?? {};

export function say(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

// A refusal has words of its own; a connection that is gone has ours.
export function tell(problem) {
  toast(problem instanceof Problem ? problem.message : say("offline"), "error");
}

// A message with one thing to do about it; `takeBack` does what the last one offers.
let last = null;
export function takeBack() {
  if (last?.isConnected) last.click();
}
export function offer(text, label, act) {
  toast(text, "ok");
  const item = document.querySelector("[data-toasts]").lastElementChild;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = label;
  button.addEventListener("click", () => {
    item.remove();
    act();
  });
  item.querySelector("[data-dismiss]").before(button);
  last = button;
}

export async function fragment(address) {
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (response.status === 204 || response.status === 404) return null;
  if (!response.ok) throw new Error(String(response.status));
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  return holder.content;
}

// The bell: a note for whoever looks at this page counts at once.
document.addEventListener("live:note", ({ detail }) => {
  if (detail.user !== me) return;
  for (const bell of document.querySelectorAll("[data-unread]")) {
    bell.textContent = String(Number(bell.textContent || 0) + 1);
    bell.hidden = false;
  }
});

addEventListener("offline", () => toast(say("offline"), "warning"));
addEventListener("online", () => toast(say("online"), "ok"));
