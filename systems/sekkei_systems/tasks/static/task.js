// A task that is open: new comments appear, a change by somebody else is announced, and nothing typed is lost.
import { csrfToken } from "../app.js";
import { fragment, surely, tell, untouched } from "./client.js";
import { keepDraft } from "./drafts.js";

const form = document.querySelector("[data-task-form]");
const notice = document.querySelector("[data-changed]");
const task = form.dataset.task;
const mine = (listener) => (event) => event.detail.task === task && listener(event.detail);

const restored = document.querySelector("[data-restored]");
const draft = keepDraft(form, task, { restore: !form.dataset.refilled, notice: restored });
restored.querySelector("button").addEventListener("click", () => {
  draft.drop();
  location.reload();
});

form.addEventListener(
  "live:task",
  mine((detail) => detail.version > Number(form.dataset.version) && announce()),
);
form.addEventListener("live:gone", mine(announce));
async function announce() {
  await untouched();
  notice.hidden = false;
}

// Of several answers the one that was asked for last counts: an older one may come after it.
const asked = new WeakMap();
let composing; // by an input method, which loses what it holds when its field goes
async function refresh(address, element) {
  const turn = {};
  asked.set(element, turn);
  const found = await fragment(address);
  await untouched();
  await composing;
  if (found && asked.get(element) === turn) replace(element, found);
}
// What is being written there stays, and so does the focus.
function replace(element, found) {
  const same = (field) => element.querySelector(`[aria-label="${CSS.escape(field.getAttribute("aria-label"))}"]`);
  const written = [...element.querySelectorAll("input[aria-label]")].filter((field) => field.value);
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(found);
  for (const field of written) if (same(field)) same(field).value = field.value;
  if (focused?.hasAttribute("aria-label")) same(focused)?.focus();
}
const refreshComments = () =>
  surely("comments", () => refresh(form.dataset.comments, document.querySelector("[data-comments-list]")));
const refreshHistory = () =>
  surely("history", () => refresh(form.dataset.activity, document.querySelector("[data-activity-list]")));
form.addEventListener("live:comment", mine(refreshComments));
form.addEventListener("live:history", mine(refreshHistory));

// A comment is sent without leaving the page: whatever stands in the form above stays there.
const comment = document.querySelector("[data-comment-form]");
const text = document.getElementById("comment");
const said = keepDraft(comment, `${task}:comment`);
let sending = false;
comment.addEventListener("submit", async (event) => {
  if (event.defaultPrevented) return;
  event.preventDefault();
  if (sending) return;
  sending = true;
  try {
    const body = new URLSearchParams(new FormData(comment));
    const headers = { "X-CSRF-Token": csrfToken(), Accept: "text/html" };
    const response = await fetch(comment.action, { method: "POST", body, headers, redirect: "manual" });
    if (response.type !== "opaqueredirect") return comment.submit();
    text.value = "";
    said.drop();
    await refreshComments();
  } catch (problem) {
    tell(problem);
  } finally {
    sending = false;
  }
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) comment.requestSubmit();
});

// Calling somebody: their name goes where the cursor is.
const names = document.querySelector("[data-mentions]");
names.hidden = !names.querySelector("[data-mention]");
names.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-mention]");
  if (!button) return;
  text.setRangeText(button.dataset.mention, text.selectionStart, text.selectionEnd, "end");
  text.focus();
  said.save();
});

// The plan: ticks and lines go without leaving the page, and those of others arrive.
const plan = document.querySelector("[data-plan]");
const refreshPlan = () => refresh(plan.dataset.plan, plan);
plan.addEventListener("compositionstart", () => {
  composing = new Promise((go) => plan.addEventListener("compositionend", go, { once: true }));
});
form.addEventListener(
  "live:plan",
  mine(() => surely("plan", refreshPlan)),
);
// One after the other, so that a refusal belongs to what was refused.
let planned = Promise.resolve();
plan.addEventListener("submit", (event) => {
  if (event.target.hasAttribute("data-whole")) return; // what changes all of the page
  event.preventDefault();
  const sent = event.target;
  const body = new URLSearchParams(new FormData(sent, event.submitter));
  for (const field of sent.querySelectorAll("input:not([type=hidden])")) field.value = "";
  planned = planned.then(() => change(sent.getAttribute("action"), body)).catch(tell);
});
async function change(address, body) {
  const headers = { "X-CSRF-Token": csrfToken(), Accept: "text/html" };
  const response = await fetch(address, { method: "POST", body, headers, redirect: "manual" });
  if (response.type !== "opaqueredirect") throw new Error(String(response.status));
  await refreshPlan();
  await refused();
}
// A refusal is a message of the next page; asking for the page shows it here.
async function refused() {
  const found = await fragment(location.href).catch(() => null);
  for (const toast of found?.querySelectorAll(".toast.error") ?? [])
    document.querySelector("[data-toasts]").append(toast);
}
