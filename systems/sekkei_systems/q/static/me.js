// Oneself: profile, days in a row, the week's reactions, everything one has said.
import { button, counted, dialog, field, form, h } from "./parts.js";
import { head, history } from "./people.js";
import { change, get, toast, Wrong } from "./requests.js";
import { yearAgo } from "./today.js";
import { t } from "./words.js";

const BIO_MAX = 200;
const DAYS_SHOWN = 14;
const PICTURE_SIDE = 512;

export async function mine(view, again) {
  const me = await get("/me", { keep: true });
  const [look, said, digest] = await Promise.all([
    get("/me/look-back", { keep: true }),
    get(`/users/${me.userId}/answers`, { keep: true }),
    get("/me/digest", { keep: true }),
  ]);
  const body = h("div", { class: "stack" });
  const links = h(
    "nav",
    { class: "q-links", "aria-label": t("tab.me") },
    h("a", { href: "#/questions" }, t("questions")),
    h("a", { href: "#/settings" }, t("me.settings")),
  );
  view.classList.add("two");
  view.replaceChildren(
    h(
      "div",
      { class: "q-side" },
      head(
        me,
        button(t("me.edit"), () => edit(me, again), "soft small"),
      ),
      me.flagged.length > 0 && h("p", { class: "q-badge", role: "status" }, t("flagged.profile")),
      lately(look, said.items),
      links,
    ),
    body,
  );
  await history(body, me.userId, again, [look.yearAgo && yearAgo(look.yearAgo), week(digest)].filter(Boolean));
}

// The last two weeks as dots: on time, late, or no answer.
function lately(look, said) {
  const byDay = new Map(
    said.filter(({ answer }) => !answer.isDeleted).map(({ answer }) => [answer.date, answer.isOnTime ? "on" : "late"]),
  );
  const today = new Intl.DateTimeFormat("sv", { timeZone: "Asia/Tokyo" }).format(new Date()); // 2026-11-15
  const days = [...Array(DAYS_SHOWN).keys()]
    .map((back) => new Date(Date.parse(today) - back * 86_400_000).toISOString().slice(0, 10))
    .reverse();
  const kinds = days.map((day) => byDay.get(day) ?? "none");
  const count = (kind) => kinds.filter((one) => one === kind).length;
  return h(
    "section",
    { class: "q-lately" },
    h(
      "p",
      { class: "q-row" },
      h("strong", {}, look.streak ? `🔥 ${t("streak", { n: look.streak })}` : t("streak.none")),
      h("small", {}, t("lately", { n: DAYS_SHOWN })),
    ),
    h(
      "p",
      {
        class: "q-dots",
        role: "img",
        "aria-label": t("lately.said", { on: count("on"), late: count("late"), none: count("none") }),
      },
      kinds.map((kind) => h("i", { class: kind })),
    ),
  );
}

function week(digest) {
  if (!digest.total) return null;
  const counts = Object.entries(digest.counts).map(([emoji, number]) =>
    h("span", {}, emoji, " ", h("b", {}, String(number))),
  );
  const best = digest.answers[0];
  return h(
    "section",
    { class: "q-week" },
    h("h2", {}, t("week")),
    h("p", { class: "q-tally" }, counts),
    best &&
      h(
        "a",
        { class: "q-whole", href: `#/a/${best.answer.date}/${best.answer.userId}` },
        h("small", {}, t("week.best")),
        h("p", { class: "q-text" }, best.answer.text),
      ),
  );
}

function edit(me, again) {
  const shown = h("input", {
    id: "display-name",
    name: "displayName",
    maxlength: "100",
    value: me.displayName ?? "",
    autocomplete: "nickname",
  });
  const user = h("input", {
    id: "username",
    name: "username",
    maxlength: "20",
    pattern: "[A-Za-z0-9_]{3,20}",
    title: t("me.username.form"),
    autocapitalize: "none",
    autocomplete: "off",
    spellcheck: "false",
    value: me.username ?? "",
  });
  const about = counted(BIO_MAX, { id: "bio", name: "bio", rows: 3, value: me.bio ?? "" });
  const file = h("input", {
    id: "picture",
    name: "picture",
    type: "file",
    accept: "image/png,image/jpeg,image/webp,image/gif",
  });
  const remove =
    me.pictureUrl &&
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "remove" }), t("me.picture.remove"));
  const made = form(
    async () => {
      if (user.value && user.value !== me.username) await change("PUT", "/me/username", { username: user.value });
      await change("PATCH", "/me", { displayName: shown.value, bio: about.box.value });
      if (file.files[0]) await change("PUT", "/me/picture", { content: await picture(file.files[0]) });
      else if (made.elements.remove?.checked) await change("DELETE", "/me/picture");
      box.close();
      toast(t("saved"), "ok");
      again();
    },
    field(t("me.name"), shown),
    field(t("me.username"), user, { hint: t("me.username.about") }),
    field(t("me.bio"), about.box, { more: about.count }),
    field(t("me.picture"), file, { more: remove, hint: t("me.picture.about") }),
    h("button", { class: "q-button wide", type: "submit" }, t("save")),
  );
  const box = dialog(t("me.edit"), made);
  about.update();
}

// A square of 512 points, so that little is sent and nothing but the picture; the server makes sure of both.
async function picture(file) {
  let image;
  try {
    image = await createImageBitmap(file);
  } catch {
    throw new Wrong("picture", t("me.picture.wrong"));
  }
  const side = Math.min(image.width, image.height);
  const canvas = h("canvas", { width: PICTURE_SIDE, height: PICTURE_SIDE });
  canvas
    .getContext("2d")
    .drawImage(
      image,
      (image.width - side) / 2,
      (image.height - side) / 2,
      side,
      side,
      0,
      0,
      PICTURE_SIDE,
      PICTURE_SIDE,
    );
  return canvas.toDataURL("image/jpeg", 0.85).split(",")[1];
}
