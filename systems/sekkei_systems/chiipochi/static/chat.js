// The chat: what is written is signed by the simulator and then posted to the bot's own webhook, as LINE would do.
import { send, toast, untouched } from "../app.js";

const chat = document.getElementById("chat");
const form = document.getElementById("chat-form");
const words = document.getElementById("words");
const spoken = () => chat.querySelector("[data-spoken]")?.dataset.spoken;

function toEnd() {
  chat.scrollTop = chat.scrollHeight;
}

let asked = 0;
let shown = 0; // which of the answers that were asked for
async function refresh() {
  const ours = ++asked;
  const answer = await fetch(chat.dataset.part, { headers: { Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const rows = await answer.text();
  await untouched();
  if (ours < shown) return; // a later answer came first
  shown = ours;
  const before = spoken();
  chat.innerHTML = rows;
  toEnd();
  if (before !== spoken()) location.reload(); // the menu speaks the other language too
}

// Dots while the last word is the user's; the next refresh takes them away, or time does.
function typing() {
  const dots = chat.querySelector("template[data-typing]");
  const last = [...chat.querySelectorAll(".line-row")].at(-1);
  if (!dots || !last?.classList.contains("user")) return;
  chat.append(dots.content.cloneNode(true));
  toEnd();
  const shown = chat.lastElementChild;
  setTimeout(() => shown.remove(), 20000);
}

async function deliver(content) {
  try {
    const signed = await send("POST", "/chiipochi/chat/sign", content);
    const answer = await fetch("/chiipochi/webhook", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Line-Signature": signed.signature },
      body: signed.body,
    });
    if (!answer.ok) throw new Error(chat.dataset.failed);
  } catch (problem) {
    toast(problem.message || chat.dataset.failed, "error");
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = words.value.trim();
  if (!text) return;
  words.value = "";
  deliver({ text });
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-say], [data-postback], [data-follow]");
  if (!button) return;
  const menu = button.closest("details");
  if (menu) menu.open = false;
  if (button.dataset.say) deliver({ text: button.dataset.say });
  else if (button.dataset.postback) deliver({ data: button.dataset.postback, shown: button.dataset.shown });
  else deliver({});
});

// One's own message is shown at once, and the bot is seen to think about it.
chat.addEventListener("live:message", async () => {
  await refresh();
  typing();
});
chat.addEventListener("live:loading", typing);
toEnd();
