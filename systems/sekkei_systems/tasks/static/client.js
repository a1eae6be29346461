// What the scripts of this system share: their words, and what to say when there is no connection.
import { Problem, send, toast } from "../app.js";

export { untouched } from "../app.js";

const words = JSON.parse(document.getElementById("tasks-client")?.textContent ?? "{}");
export const { me, team, key } = document.getElementById("tasks-client")?.dataset ?? {};

export function say(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

// A refusal has words of its own; a connection that is gone has ours.
export function tell(problem) {
  toast(problem instanceof Problem ? problem.message : say("offline"), "error");
}

// What is sent again because no answer came is the same wish: it keeps its key, so that the server carries it out once.
const fresh = () => crypto.randomUUID?.() ?? `${Date.now()} ${Math.random()}`; // the first only over HTTPS
export class Wish {
  #lost = null;
  async send(address, body) {
    const what = JSON.stringify([address, body]);
    const key = this.#lost?.what === what ? this.#lost.key : fresh();
    this.#lost = null;
    try {
      return await send("POST", address, body, { "Idempotency-Key": key });
    } catch (problem) {
      if (!(problem instanceof Problem && problem.status < 500)) this.#lost = { what, key };
      throw problem;
    }
  }
  forget() {
    this.#lost = null;
  }
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

// What arrives by itself has to be asked for; where that fails, it is asked for again until there is an answer: soon, then
// less and less often, and at once when the connection is back.
const owed = new Map();
const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 60_000;
let pause = AGAIN_MS;
let waiting = 0;
export async function surely(name, act) {
  owed.set(name, act);
  try {
    await act();
    if (owed.get(name) === act) owed.delete(name);
    pause = AGAIN_MS;
  } catch {
    clearTimeout(waiting);
    waiting = setTimeout(catchUp, pause);
    pause = Math.min(2 * pause, AGAIN_MS_MAX);
  }
}
function catchUp() {
  for (const [name, act] of [...owed]) surely(name, act);
}
addEventListener("online", catchUp);

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
