// What happens on the server, as it happens: <div data-live="/tasks/teams/t1/live"> gets a `live:NAME` event for
// everything; listen("/q/live", (name, data) => …) does without an element. All tabs share one connection: live-hub.js.
import { hub } from "./live-hub.js";

const LOST_AFTER_MS = 2000;
const BACK_SHOWN_MS = 4000;
const RELOADED_MS = 30_000;
const LEAVING_MS = 5000;
const HUB = new URL("./live-hub.js", import.meta.url).href;
const NAME = `sekkei-live ${HUB}`; // tabs of another version of the scripts have a hub of their own
const tab = globalThis.crypto?.randomUUID?.() ?? String(Math.random());
const listeners = [];
let channel = null;
let seen = null; // {life, at}
let welcome = false; // whether the hub knows what we have seen; before, what it says to all is not for us

export function watch(element) {
  const names = (element.dataset.liveEvents ?? "").split(" ").filter(Boolean);
  const pass = (name, detail) => {
    if (names.includes(name)) element.dispatchEvent(new CustomEvent(`live:${name}`, { detail, bubbles: true }));
  };
  listen(element.dataset.live, pass, (state) => (element.dataset.liveState = state));
}

export function listen(url, heard, stateChanged = () => {}) {
  const { pathname, searchParams } = new URL(url, location.href);
  const after = searchParams.get("after")?.match(/^(.+)-(\d+)$/);
  // Of several, what the earliest has not seen is missing.
  if (after && !(seen?.at <= Number(after[2]))) seen = { life: after[1], at: Number(after[2]) };
  listeners.push({ path: pathname, heard, stateChanged });
  if (!channel) join();
  else tell();
}

function join() {
  open(NAME);
  share();
  // The hub waits for this lock: it learns of our end even if we cannot say good-bye.
  if (navigator.locks) hold(`${NAME} ${tab}`, tell);
  else tell();
  addEventListener("pagehide", () => channel.postMessage({ tab, bye: true }));
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}

// Holds a lock as long as the page is there.
function hold(name, begin) {
  navigator.locks.request(name, () => {
    begin();
    return new Promise(() => {});
  });
}

function open(name) {
  channel?.close();
  channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => {
    if (data.ask) tell();
    else if (data.welcome === tab) welcome = true;
    else if (!welcome) return;
    else if (data.state && (data.to ?? tab) === tab) become(data);
    else if (data.event) hear(data.event);
    else if (data.reload && (!data.reload.length || listeners.some(({ path }) => data.reload.includes(path)))) reload();
  };
}

function share() {
  try {
    const policy = globalThis.trustedTypes?.createPolicy("live", { createScriptURL: (url) => url });
    const worker = new SharedWorker(policy ? policy.createScriptURL(HUB) : HUB, { type: "module", name: NAME });
    worker.onerror = elect;
  } catch {
    elect();
  }
}

// The tab that gets the lock has the connection, as long as it is open; then the next one does.
function elect() {
  if (navigator.locks) hold(NAME, () => hub(NAME));
  else {
    open(`${NAME} ${tab}`); // no secure origin: each for itself
    hub(`${NAME} ${tab}`);
  }
}

function tell() {
  welcome = false;
  channel.postMessage({ tab, paths: listeners.map(({ path }) => path), after: seen });
}

function become({ state, life, at, complete }) {
  if (state === "open") {
    const anew = seen && life !== seen.life; // the server was started again
    if (!seen || anew) seen = { life, at };
    if (anew) reload();
    if (complete) seen.at = Math.max(seen.at, at);
  }
  for (const { stateChanged } of listeners) stateChanged(state);
  sign(state);
}

function hear({ on, name, data, at }) {
  if (!seen || at <= seen.at) return;
  seen.at = at;
  for (const { path, heard } of listeners) if (on.includes(path)) heard(name, data);
}

// A page that is on its way elsewhere, such as out of the session that has just ended, must not be called back.
let leftAt = 0;
addEventListener("beforeunload", () => (leftAt = Date.now()));
export const isLeaving = () => Date.now() - leftAt < LEAVING_MS;

function reload() {
  if (isLeaving()) {
    setTimeout(reload, LEAVING_MS);
    return;
  }
  // Never again and again: where every answer comes from another process, none knows what the others said.
  const last = Number(sessionStorage.getItem("sekkei-reloaded") ?? 0);
  if (Date.now() - last < RELOADED_MS) return;
  sessionStorage.setItem("sekkei-reloaded", String(Date.now()));
  location.reload();
}

// Whoever looks at a page can see whether it is still live.
const box = document.querySelector("[data-live-sign]");
let showing = 0;

function sign(state) {
  if (!box || state === box.dataset.state) return;
  clearTimeout(showing);
  const wasShown = !box.hidden;
  box.dataset.state = state;
  if (state === "lost") showing = setTimeout(show, LOST_AFTER_MS, box.dataset.lost);
  else if (wasShown && state === "open") {
    show(box.dataset.back);
    showing = setTimeout(() => (box.hidden = true), BACK_SHOWN_MS);
  } else box.hidden = true;
}

function show(words) {
  box.hidden = false;
  box.textContent = words;
}
