// One connection to the server for all tabs of a browser. It runs in a SharedWorker, or, where there is none, in the
// tab that holds a lock. Tabs and hub talk over a BroadcastChannel:
//   tab  {tab, paths, after}     I listen to these paths, and have seen everything up to `after`
//        {tab, bye}
//   hub  {ask}                   who is there?
//        {welcome}               a tab's id; what follows is for that tab too
//        {state, life, at, to}   "open", "lost" or "off"; `to` one tab, or all; `complete`: nothing up to `at` is missing
//        {event}                 {on, name, data, at}
//        {reload}                these paths; none: all

const SILENT_MS = 45_000; // the server says something every 15 s
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];
const TOGETHER_MS = 20; // tabs that open at once make one connection
const PATHS_MAX = 50;

export function hub(name) {
  const channel = new BroadcastChannel(name);
  const tabs = new Map();
  let place = null; // {life, at}: everything up to here was passed on
  let state = "lost";
  let connection = null;
  let paths = "";
  let failures = 0;
  let timer = 0;

  const say = (message) => channel.postMessage(message);

  function soon(milliseconds) {
    clearTimeout(timer);
    timer = setTimeout(connect, milliseconds);
  }

  function wanted() {
    return [...new Set([...tabs.values()].flat())].sort().slice(0, PATHS_MAX);
  }

  function joined({ tab, paths: theirs, after }) {
    if (!tabs.has(tab)) globalThis.navigator.locks?.request(`${name} ${tab}`, () => left(tab));
    tabs.set(tab, theirs);
    say({ welcome: tab });
    // Whoever has seen less gets the rest; tabs that have seen more leave it out.
    const behind = after && !(place?.life === after.life && place.at <= after.at);
    if (behind) {
      place = after;
      connection?.abort();
      connection = null;
    }
    if (behind || state !== "open" || wanted().join() !== paths) soon(TOGETHER_MS);
    else say({ state, ...place, to: tab });
  }

  function left(tab) {
    tabs.delete(tab);
    if (!tabs.size) connection?.abort();
  }

  async function connect() {
    const ours = new AbortController();
    connection?.abort();
    connection = ours;
    const on = wanted();
    paths = on.join();
    if (!on.length) return;
    const query = new URLSearchParams(on.map((path) => ["on", path]));
    if (place) query.set("after", `${place.life}-${place.at}`);
    let wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
    try {
      const answer = await fetch(`/live?${query}`, { signal: ours.signal, cache: "no-store" });
      if (answer.status === 204) {
        state = "off";
        return say({ state });
      }
      if (!answer.ok) wait = Math.max(wait, 1000 * Number(answer.headers.get("retry-after") ?? 0), 5000);
      else
        for await (const message of messages(answer, ours)) {
          if (connection !== ours) return;
          take(message);
        }
    } catch {
      // as an end: what follows tries again
    }
    if (connection !== ours || !tabs.size) return;
    state = "lost";
    say({ state });
    failures++;
    soon(wait);
  }

  function take({ event, data }) {
    if (event === "hello") {
      failures = 0;
      state = "open";
      say({ state, ...data });
      // What is behind the place comes next, so it moves only with that; in another life there is no such place.
      if (data.life === place?.life) return;
      if (place) say({ ask: true });
      place = data;
    } else if (event === "event") {
      place.at = data.at;
      say({ event: data });
    } else if (event === "at") {
      place = data;
      say({ state, ...data, complete: true });
    } else if (event === "reload") {
      for (const [tab, theirs] of tabs) tabs.set(tab, data.on.length ? theirs.filter((p) => !data.on.includes(p)) : []);
      paths = wanted().join();
      say({ reload: data.on });
    }
  }

  channel.onmessage = ({ data }) => {
    if (data.bye) left(data.tab);
    else if (data.paths) joined(data);
  };
  globalThis.addEventListener("online", () => state === "lost" && soon(0));
  say({ ask: true });
}

// The messages of a stream; a server that says nothing for long is gone.
async function* messages(answer, connection) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const silence = setTimeout(() => connection.abort(), SILENT_MS);
    const { value, done } = await reader.read().finally(() => clearTimeout(silence));
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s)));
      if (fields.event) yield { event: fields.event, data: JSON.parse(fields.data) };
    }
  }
}

if ("SharedWorkerGlobalScope" in globalThis) hub(globalThis.name);
