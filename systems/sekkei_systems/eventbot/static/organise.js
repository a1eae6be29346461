// When something changes in Discord, the parts of the page that show it are fetched anew; forms stay as they are.

let asking = false;
let again = false;

async function renew() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  do {
    again = false;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) break;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-fresh]")) {
      const other = fresh.getElementById(part.id);
      if (other && other.innerHTML !== part.innerHTML && !part.contains(document.activeElement))
        part.replaceChildren(...other.childNodes);
    }
  } while (again);
  asking = false;
}

document.addEventListener("live:changed", renew);
