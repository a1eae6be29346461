// A small chat client: it shows what the local Discord has, and sends presses, forms and commands as the chosen person.
// The shell's script is at the root of the static files, so this import works under any version in the address.
import { send, toast, untouched } from "../app.js";

const config = JSON.parse(document.getElementById("sim-config").textContent);
const words = JSON.parse(document.getElementById("sim-words").textContent);
const root = document.getElementById("sim");
const list = document.getElementById("sim-messages");
const menu = document.getElementById("sim-menu");
const text = document.getElementById("sim-text");
const slash = document.getElementById("sim-slash");
const modal = document.getElementById("sim-modal");
const people = new Map(config.people.map((one) => [one.id, one]));
const channels = new Map(config.channels.map((one) => [one.id, one.name]));
const roles = new Map(config.roles.map((one) => [one.id, one.name]));
let threads = {};
let now = Date.now() / 1000;
let zone = "Asia/Tokyo"; // of the server; every answer says it again
const language = document.documentElement.lang || "ja";

const chosen = new URLSearchParams(location.hash.slice(1));
let channel = channels.has(chosen.get("channel")) ? chosen.get("channel") : config.channels[0].id;
let person = people.has(chosen.get("person")) ? chosen.get("person") : config.people[0].id;

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Text as Discord writes it: mentions, times, bold, links. Everything becomes nodes, nothing becomes HTML.

const PIECES =
  /<@&(\d+)>|<@(\d+)>|<#(\d+)>|<t:(\d+):([A-Za-z])>|\*\*((?:\\.|[^*\\])+)\*\*|`([^`]+)`|\[((?:\\.|[^\]\\])+)\]\(<?(https?:[^)>\s]+)>?\)|\\([^\w\s])/g;

function formatted(source) {
  const found = document.createDocumentFragment();
  let at = 0;
  for (const match of source.matchAll(PIECES)) {
    found.append(source.slice(at, match.index));
    found.append(piece(match));
    at = match.index + match[0].length;
  }
  found.append(source.slice(at));
  return found;
}

function piece([, role, user, place, unix, style, bold, code, label, url, escaped]) {
  if (escaped) return document.createTextNode(escaped);
  if (role) return make("span", "sim-mention", `@${roles.get(role) ?? role}`);
  if (user) return make("span", "sim-mention", `@${people.get(user)?.name ?? user}`);
  if (place) return make("span", "sim-mention", `#${channels.get(place) ?? threads[place]?.name ?? place}`);
  if (unix) return make("span", "sim-time", moment(Number(unix), style));
  if (bold) return make("strong", "", formatted(bold));
  if (code) return make("code", "", code);
  return anchor(label, url);
}

function anchor(label, url) {
  const link = make("a", "", formatted(label));
  const inside = url.match(/^https:\/\/discord\.com\/channels\/\d+\/(\d+)\/(\d+)$/);
  if (inside) {
    link.href = `#message-${inside[2]}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      jump(inside[1], inside[2]);
    });
  } else {
    link.href = url;
  }
  return link;
}

function moment(unix, style) {
  const date = new Date(unix * 1000);
  if (style === "R") return relative(unix - now);
  if (style === "t") return date.toLocaleTimeString(language, { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  const long = { timeZone: zone, year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit" };
  return date.toLocaleString(language, style === "F" ? { ...long, weekday: "long" } : long);
}

function relative(seconds) {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, size] of [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ]) {
    if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit);
  }
  return format.format(Math.round(seconds), "second");
}

// Messages

function show(state) {
  now = state.now;
  threads = state.threads;
  zone = state.zone;
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const focused = document.activeElement?.dataset?.key;
  renew(state.messages.length ? state.messages.map(shown) : [make("p", "sim-empty", words.empty)]);
  if (focused) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  if (atEnd || show.first !== channel) list.scrollTop = list.scrollHeight;
  show.first = channel;
  showBehind(state);
}

// What looks as before stays where it is: somebody may be about to press it.
function renew(fresh) {
  const before = [...list.children];
  const wanted = fresh.map((item) => before.find((old) => old.isEqualNode(item)) ?? item);
  for (const old of before) if (!wanted.includes(old)) old.remove();
  for (const [at, item] of wanted.entries())
    if (item !== list.children[at]) list.insertBefore(item, list.children[at] ?? null);
}

function shown(message) {
  const bot = message.author === "bot";
  const name = bot ? words.bot : (people.get(message.author)?.name ?? message.author);
  const avatar = make("div", bot ? "sim-avatar" : "sim-avatar person", bot ? "イ" : name.slice(0, 1));
  avatar.setAttribute("aria-hidden", "true");
  if (!bot) avatar.style.setProperty("--hue", String((Number(message.author.slice(-3)) * 67) % 360));
  const when = make(
    "span",
    "sim-when",
    new Date(message.at * 1000).toLocaleString(language, {
      timeZone: zone,
      month: "numeric",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
    }),
  );
  const who = make("div", "sim-who", make("strong", "", name), bot ? make("span", "sim-app", words.app) : null, when);
  const inside = make("div", "", who);
  const body = message.body;
  if (message.thinking) inside.append(make("div", "sim-thinking", words.thinking));
  if (body.content)
    inside.append(
      make(
        "div",
        "sim-content",
        formatted(body.content),
        message.edited ? make("span", "sim-edited", ` ${words.edited}`) : null,
      ),
    );
  for (const embed of body.embeds ?? []) inside.append(embedded(embed));
  for (const row of body.components ?? [])
    inside.append(make("div", "sim-row", ...row.components.map((one) => component(one, message))));
  if (message.private) inside.append(make("div", "sim-private-note", `👁 ${words.private}`));
  const item = make("article", message.private ? "sim-message private" : "sim-message", avatar, inside);
  item.id = `message-${message.id}`;
  return item;
}

function embedded(embed) {
  const box = make("div", "sim-embed");
  box.style.setProperty("--bar", `#${(embed.color ?? 0x747f8d).toString(16).padStart(6, "0")}`);
  if (embed.author?.name) box.append(make("div", "sim-embed-author", embed.author.name));
  if (embed.title) box.append(make("div", "sim-embed-title", formatted(embed.title)));
  if (embed.description) box.append(make("div", "sim-embed-text", formatted(embed.description)));
  const fields = (embed.fields ?? []).map((field) =>
    make(
      "div",
      field.inline ? "sim-field inline" : "sim-field",
      make("div", "sim-field-name", formatted(field.name)),
      make("div", "sim-field-value", formatted(field.value)),
    ),
  );
  if (fields.length) box.append(make("div", "sim-fields", ...fields));
  if (embed.footer?.text) box.append(make("div", "sim-embed-foot", embed.footer.text));
  return box;
}

function component(one, message) {
  return one.type === 2 ? button(one, message) : selection(one, message);
}

// A menu: one choice is sent at once, several when the menu is left.
function selection(one, message) {
  const options = one.type === 5 ? config.people.map((who) => ({ label: who.name, value: who.id })) : one.options;
  const many = (one.max_values ?? 1) > 1;
  const menu = make("select", "sim-select");
  menu.setAttribute("aria-label", one.placeholder ?? "");
  menu.multiple = many;
  if (many) menu.size = Math.min(options.length, 8);
  else if (!options.some((option) => option.default)) menu.append(new Option(one.placeholder ?? words.choose, ""));
  for (const option of options) {
    const name = option.emoji?.id || !option.emoji ? option.label : `${option.emoji.name} ${option.label}`;
    menu.append(new Option(name, option.value, option.default ?? false, option.default ?? false));
  }
  menu.dataset.key = `${message.id}/${one.custom_id}`;
  const send = () => {
    const chosen = [...menu.selectedOptions].map((option) => option.value).filter(Boolean);
    act({ kind: "press", message: message.id, custom_id: one.custom_id, chosen });
  };
  if (!many) {
    menu.addEventListener("change", send);
    return menu;
  }
  const done = make("button", "sim-button s1", words.submit);
  done.type = "button";
  done.addEventListener("click", send);
  return make("div", "sim-choose", menu, done);
}

function button(component, message) {
  if (component.style === 5) {
    const link = anchor(component.label, component.url);
    link.className = "sim-button";
    return link;
  }
  const picture = component.emoji && !component.emoji.id ? `${component.emoji.name} ` : "";
  const made = make("button", `sim-button s${component.style}`, picture + component.label);
  made.type = "button";
  made.disabled = component.disabled ?? false;
  made.dataset.key = `${message.id}/${component.custom_id}`;
  made.addEventListener("click", async () => {
    made.classList.add("busy");
    await act({ kind: "press", message: message.id, custom_id: component.custom_id });
    made.classList.remove("busy");
  });
  return made;
}

async function jump(place, id) {
  if (place !== channel && channels.has(place)) choose(place, person);
  await refresh();
  document.getElementById(`message-${id}`)?.scrollIntoView({ block: "center", behavior: "smooth" });
}

function showBehind(state) {
  const form = { timeZone: zone, dateStyle: "medium", timeStyle: "medium" };
  document.getElementById("sim-clock").textContent = new Date(state.now * 1000).toLocaleString(language, form);
  const waiting = state.faults.map((one) => `${one.kind} × ${one.count}`).join(", ");
  document.getElementById("sim-pending").textContent = waiting ? `${words.pending}: ${waiting}` : "";
  const calls = state.log.map((one) =>
    make(
      "li",
      "",
      make("b", one.status >= 400 ? "bad" : "", String(one.status)),
      one.method,
      make(
        "span",
        "path",
        one.path.replace(/\d{8,}/g, (id) => `…${id.slice(-3)}`),
      ),
    ),
  );
  document.getElementById("sim-log").replaceChildren(...(calls.length ? calls : [make("li", "", words["log-empty"])]));
}

// Acting

async function act(what) {
  try {
    const outcome = await send("POST", "/eventbot/simulator/act", { person, channel, ...what });
    if (!outcome.ok) toast(`${words.failed}: ${outcome.reason}`, "error");
    else if (outcome.modal) openForm(outcome.modal, what.message ?? null);
    await refresh();
    if (outcome.message && outcome.private) list.scrollTop = list.scrollHeight;
    return outcome;
  } catch (problem) {
    toast(problem.message, "error");
    return null;
  }
}

function openForm(form, message) {
  const fields = form.components.map((label) => {
    const inner = label.component;
    const id = `field-${inner.custom_id}`;
    const title = make("label", inner.required ? "must" : "", label.label);
    title.htmlFor = id;
    let input;
    if (inner.type === 3) {
      input = make(
        "select",
        "",
        ...inner.options.map((one) => new Option(one.label, one.value, false, one.default ?? false)),
      );
    } else {
      input = make(inner.style === 2 ? "textarea" : "input");
      input.value = inner.value ?? "";
      input.maxLength = inner.max_length ?? 4000;
      input.required = inner.required ?? false;
      if (inner.style === 2) input.rows = 4;
    }
    input.id = id;
    input.name = inner.custom_id;
    return make("div", "", title, label.description ? make("div", "hint", label.description) : null, input);
  });
  dialog(form.title, fields, words.submit, (values) =>
    act({ kind: "submit", custom_id: form.custom_id, values, message }),
  );
}

function dialog(title, fields, go, done) {
  const heading = make("h2", "", title);
  heading.id = "sim-modal-title";
  const cancel = make("button", "back", words.cancel);
  cancel.type = "button";
  cancel.addEventListener("click", () => modal.close());
  const form = make("form", "", heading, ...fields, make("div", "foot", cancel, make("button", "go", go)));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(form));
    modal.close();
    done(values);
  });
  modal.replaceChildren(form);
  modal.showModal();
  form.querySelector("input, textarea, select")?.focus();
}

// Commands

function openMenu(filter = "") {
  const wanted = filter.replace(/^\//, "").toLowerCase();
  const found = config.commands.filter((one) => one.shown.toLowerCase().includes(wanted) || one.words.includes(wanted));
  menu.replaceChildren(
    ...found.map((command) => {
      const item = make("button", "sim-command", make("strong", "", command.shown), make("span", "", command.about));
      item.type = "button";
      item.addEventListener("click", () => run(command));
      return item;
    }),
  );
  menu.firstElementChild?.classList.add("on");
  menu.hidden = found.length === 0;
  slash.setAttribute("aria-expanded", String(!menu.hidden));
}

function closeMenu() {
  menu.hidden = true;
  slash.setAttribute("aria-expanded", "false");
}

async function run(command) {
  closeMenu();
  text.value = "";
  if (!command.options.length) {
    await act({ kind: "command", words: command.words });
    return;
  }
  const fields = (await Promise.all(command.options.map((option) => optionField(command, option)))).filter(Boolean);
  if (!fields.length) {
    await act({ kind: "command", words: command.words });
    return;
  }
  dialog(command.shown, fields, words.run, (values) => {
    const options = {};
    for (const option of command.options) {
      const value = values[option.name];
      if (value === undefined || value === "") continue;
      options[option.name] = option.type === 4 ? Number(value) : option.type === 5 ? value === "true" : value;
    }
    act({ kind: "command", words: command.words, options });
  });
}

async function optionField(command, option) {
  const title = make("label", option.required ? "must" : "", option.label);
  title.htmlFor = `option-${option.name}`;
  let choices = option.choices.map((one) => [one.value, one.name]);
  if (option.type === 7) choices = config.channels.map((one) => [one.id, `#${one.name}`]);
  if (option.type === 8) choices = config.roles.map((one) => [one.id, `@${one.name}`]);
  if (option.type === 5)
    choices = [
      ["true", words.yes],
      ["false", words.no],
    ];
  if (option.autocomplete) {
    const answer = await send("POST", "/eventbot/simulator/act", {
      person,
      channel,
      kind: "complete",
      words: command.words,
      options: { [option.name]: "" },
    });
    choices = answer.choices.map((one) => [one.value, one.name]);
    if (!choices.length && !option.required) return null; // nothing to choose from, so nothing to ask
  }
  let input;
  if (option.autocomplete || choices.length) {
    input = make(
      "select",
      "",
      new Option(option.required ? words.choose : "—", ""),
      ...choices.map(([value, name]) => new Option(name, value)),
    );
  } else {
    input = make("input");
    input.type = option.type === 4 ? "number" : "text";
  }
  input.id = `option-${option.name}`;
  input.name = option.name;
  input.required = option.required;
  return make("div", "", title, make("div", "hint", option.about), input);
}

document.getElementById("sim-compose").addEventListener("submit", async (event) => {
  event.preventDefault();
  const value = text.value.trim();
  if (!value) return;
  if (value.startsWith("/")) {
    menu.querySelector(".sim-command")?.click();
    return;
  }
  text.value = "";
  await act({ kind: "say", words: value });
});
text.addEventListener("input", () => (text.value.startsWith("/") ? openMenu(text.value) : closeMenu()));
slash.addEventListener("click", () => (menu.hidden ? openMenu() : closeMenu()));
addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeMenu();
  if (event.key === "/" && !event.target.closest("input, textarea, select, dialog")) {
    event.preventDefault();
    text.value = "/";
    text.focus();
    openMenu("/");
  }
});
document.addEventListener("click", (event) => {
  if (!menu.hidden && !event.target.closest("#sim-menu, #sim-compose")) closeMenu();
});

// Who and where

function choose(nextChannel, nextPerson) {
  channel = nextChannel;
  person = nextPerson;
  history.replaceState(null, "", `#channel=${channel}&person=${person}`);
  document.getElementById("sim-channel-name").textContent = channels.get(channel);
  for (const one of root.querySelectorAll("[data-channel]"))
    one.setAttribute("aria-current", String(one.dataset.channel === channel));
  for (const one of root.querySelectorAll("[data-person]"))
    one.setAttribute("aria-pressed", String(one.dataset.person === person));
}

for (const one of root.querySelectorAll("[data-channel]"))
  one.addEventListener("click", () => {
    choose(one.dataset.channel, person);
    refresh();
  });
for (const one of root.querySelectorAll("[data-person]"))
  one.addEventListener("click", () => {
    choose(channel, one.dataset.person);
    refresh();
  });
for (const one of root.querySelectorAll("[data-fault]")) {
  one.addEventListener("click", async () => {
    await send("POST", "/eventbot/simulator/fault", { kind: one.dataset.fault });
    refresh();
  });
}
for (const one of root.querySelectorAll("[data-advance]")) {
  one.addEventListener("click", async () => {
    await send("POST", "/eventbot/simulator/clock", { seconds: Number(one.dataset.advance) });
    refresh();
  });
}

// One request at a time; whatever comes meanwhile makes one more.
let asking = null;
let again = false;

async function refresh() {
  if (asking) {
    again = true;
    return asking;
  }
  asking = (async () => {
    do {
      again = false;
      try {
        const state = await send("GET", `/eventbot/simulator/state?channel=${channel}&person=${person}`);
        await untouched();
        show(state);
      } catch (problem) {
        toast(problem.message, "error");
      }
    } while (again);
    asking = null;
  })();
  await asking;
}

root.addEventListener("live:changed", refresh);
choose(channel, person);
if (matchMedia("(max-width: 1080px)").matches) document.getElementById("sim-details").open = false;
refresh();
