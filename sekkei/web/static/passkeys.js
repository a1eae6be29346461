// Passkeys: <button data-passkey="add"> on the account page, <button data-passkey="use"> where one signs in.
import { send, toast } from "./app.js";

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

function decoded(options) {
  const listed = (some) => some?.map((one) => ({ ...one, id: bytes(one.id) }));
  const user = options.user && { ...options.user, id: bytes(options.user.id) };
  return {
    ...options,
    challenge: bytes(options.challenge),
    ...(user && { user }),
    ...(options.excludeCredentials && { excludeCredentials: listed(options.excludeCredentials) }),
    ...(options.allowCredentials && { allowCredentials: listed(options.allowCredentials) }),
  };
}

function encoded(credential) {
  const given = credential.response;
  const response = { clientDataJSON: text(given.clientDataJSON) };
  for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"])
    if (given[name]) response[name] = text(given[name]);
  const { id, type } = credential;
  return { id, rawId: text(credential.rawId), type, response, clientExtensionResults: {} };
}

async function add(button) {
  const name = document.getElementById("f-passkey-name").value.trim() || button.dataset.name;
  const { ceremony, options } = await send("POST", "/account/passkeys/offer", {});
  const made = await navigator.credentials.create({ publicKey: decoded(options) });
  return send("POST", "/account/passkeys", { ceremony, credential: encoded(made), name });
}

async function use(button) {
  const { ceremony, options } = await send("POST", "/sign-in/passkey/ask", {});
  const found = await navigator.credentials.get({ publicKey: decoded(options) });
  return send("POST", "/sign-in/passkey", { ceremony, credential: encoded(found), next: button.dataset.next });
}

for (const button of document.querySelectorAll("[data-passkey]")) {
  if (!globalThis.PublicKeyCredential) continue; // it stays hidden
  button.closest("[hidden]").hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const { next } = await (button.dataset.passkey === "add" ? add : use)(button);
      location.assign(next);
    } catch (error) {
      // NotAllowedError: whoever was asked said no, or said nothing.
      if (error.code === "proof-needed") location.assign(`/prove?next=${encodeURIComponent(location.pathname)}`);
      else toast(error.name === "NotAllowedError" ? button.dataset.cancelled : error.message, "error");
      button.disabled = false;
    }
  });
}
