// Texts, numbers and times in the language of the page.
const texts = JSON.parse(document.getElementById("q-texts").textContent);
export const language = document.documentElement.lang;
export const viewer = document.body.dataset.user;

export function t(key, values = {}) {
  const found = texts[key] ?? key;
  const text = typeof found === "string" ? found : found[language !== "ja" && values.n === 1 ? "one" : "other"];
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export const name = (person) => person.displayName || person.username || person.appId || "?";

const times = new Intl.DateTimeFormat(language, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZone: "Asia/Tokyo",
});
export const clock = (moment) => times.format(new Date(moment));

export function dayName(date, { year = true } = {}) {
  const options = {
    month: year ? "short" : "long",
    day: "numeric",
    weekday: "short",
    timeZone: "UTC",
    ...(year ? { year: "numeric" } : {}),
  };
  return new Intl.DateTimeFormat(language, options).format(new Date(`${date}T00:00:00Z`));
}

export const longDate = (moment) =>
  new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "Asia/Tokyo" }).format(moment);

export const duration = (minutes) =>
  minutes < 120 ? t("minutes", { n: minutes }) : t("hours", { n: Math.floor(minutes / 60) });

// As the server counts: what a reader sees as one character is one.
const segmenter = new Intl.Segmenter(language, { granularity: "grapheme" });
export const characters = (text) => [...segmenter.segment(text.normalize("NFC").trim())].length;
