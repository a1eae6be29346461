// A file that is being taken in: how far it is, until it has ended.
import { fragment, surely, untouched } from "./client.js";

const area = document.querySelector("[data-import]");
let waiting = 0;
async function renew() {
  const found = (await fragment(location.href))?.querySelector("[data-import-state]");
  await untouched();
  if (found) area.querySelector("[data-import-state]").replaceChildren(...found.childNodes);
}
area.addEventListener("live:import", ({ detail }) => {
  if (detail.import !== area.dataset.import) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => surely("import", renew), 100);
});
