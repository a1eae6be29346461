// The chat: what is written is signed by the simulator and then posted to the bot's own webhook, as LINE would do.
import { send, toast } from "../app.js";

const chat = document.getElementById("chat");
const form = document.getElementById("chat-form");
const words = document.getElementById("words");

function toEnd() {
  chat.scrollTop = chat.scrollHeight;
}

async function refresh() {
  const answer = await fetch(chat.dataset.part, { headers: { Accept: "text/html" } }).catch(() => null);
  if (answer?.ok) {
    chat.innerHTML = await answer.text();
    toEnd();
  }
}

async function deliver(content) {
  try {
    const signed = await send("POST", "/chiipochi/chat/sign", content);
    await fetch("/chiipochi/webhook", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Line-Signature": signed.signature },
      body: signed.body,
    });
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

chat.addEventListener("live:message", refresh);
toEnd();
