// Words of the page, and the cards at its top.
function duration(seconds) {
  if (!known(seconds)) return null;
  const [size, unit] = seconds < 90 ? [1, "s"] : seconds < 5400 ? [60, "min"] : seconds < 172_800 ? [3600, "h"] : [86_400, "days"];
  return `${number(Math.round(seconds / size))} ${unit}`;
}

const rounds = (count) => counted(count, "round", "rounds");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// What the hidden columns of a row would show, on a phone.
const narrow = (...parts) => tag("span", { class: "fine narrow" }, parts.filter(Boolean).join(", "));

// Changes the text of an element only if it differs, so that what a reader has selected stays selected.
function put(element, words) {
  const text = words.replace(/ %/g, "\u00a0%");
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === "";
}

// Items of the learner are estimated in rewards; costs are shown as such.
const shownValue = (summary, value) => (known(value) && summary.best.is_cost ? -value : value);

function cardOf(key, label) {
  const headline = tag("p", { class: "headline short" }), more = tag("p", { class: "more" });
  const element = tag("article", { class: "answer", "data-key": key }, tag("h3", {}, label), headline, more);
  const show = (title, text) => {
    const longest = Math.max(0, ...title.split(/\s/).map((word) => word.length));
    headline.className = `headline ${title.length > 90 ? "very-long" : title.length > 34 || longest > 13 ? "long" : "short"}`;
    put(headline, title);
    put(more, text);
  };
  return { element, show };
}

const RATE_SECONDS = 300;
function cardsOf() {
  const cards = {
    rounds: cardOf("rounds", "How far it is"), best: cardOf("best", "What is best so far"), open: cardOf("open", "What is open"),
    plan: cardOf("plan", "How much is explored"),
  };
  const seen = [];
  // Rounds a minute over what this page has seen of the last five minutes.
  const pace = (summary) => {
    const now = performance.now() / 1000;
    seen.push([now, summary.rounds]);
    while (seen.length > 2 && seen[1][0] < now - RATE_SECONDS) seen.shift();
    const [since, before] = seen[0];
    return now - since < 20 ? "" : ` At present some ${number((60 * (summary.rounds - before)) / (now - since), 2)} a minute.`;
  };
  const show = (summary, bound, sure) => {
    const { best, open } = summary;
    cards.rounds.show(rounds(summary.rounds), `Created on ${dateText(summary.created)}.${pace(summary)}`);
    const untold = best.value === 0, { items, item } = summary.nouns;
    const without = best.unknown ? `, without ${counted(best.unknown, item, items)} of which nothing is known` : "";
    cards.best.show(summary.rounds ? briefly(best) : "Nothing yet", summary.rounds === 0 ? "No round was asked for." : untold ? "No outcome has arrived."
      : `Its mean ${best.is_cost ? "cost" : "reward"} is estimated at ${number(shownValue(summary, best.value))}${without}.${sureWords(sure, best)}`);
    const oldest = [known(open.oldest_age) && `${rounds(open.oldest_age)} ago`, duration(open.oldest_seconds)].filter(Boolean);
    cards.open.show(open.count ? rounds(open.count) : "No round", open.count ? `${open.count === 1 ? "Its outcome has" : "Their outcomes have"} not arrived. The oldest: ${oldest.join(", ")}${oldest.length > 1 ? "" : ""}.`
      : "All outcomes have arrived.");
    cards.plan.show(...planWords(bound));
  };
  return { elements: Object.values(cards).map((card) => card.element), show };
}

// A long decision is shortened; the table of estimates marks all of its items.
const MOST_LISTED = 12;
function briefly({ text, items }) {
  const parts = text.split(", ");
  return items.length <= MOST_LISTED || parts.length < items.length ? text : `${parts.slice(0, MOST_LISTED - 4).join(", ")} and ${number(items.length - MOST_LISTED + 4)} more`;
}

// Rounded down, and only about the decision that it was computed for.
function sureWords({ text, confidence }, best) {
  if (text !== best.text || !known(confidence) || confidence < 0.001) return "";
  return ` ${confidence >= 0.999 ? "More than 99.9" : fixed(Math.floor(1000 * confidence) / 10, 1)} % sure that it is the best one.`;
}

function planWords(bound) {
  if (!bound || bound.status === "solving") return ["…", "The plan is being computed at the estimates."];
  const share = exploredShare(bound);
  if (bound.status === "failed" || share === null) return [MISSING, "No plan yet: see below."];
  return [`${percent(share)} of the plan`, `C(θ), the regret that learning costs at least per ln\u00a0t, is ${number(bound.value, 3)} at the estimates.`];
}

// Plays of the plan that were made; more than wanted of one item does not make up for another.
function exploredShare(bound) {
  const wanted = bound.items.reduce((sum, item) => sum + item.wanted, 0);
  if (!bound.items.length) return null;
  return wanted > 0 ? bound.items.reduce((sum, item) => sum + Math.min(item.plays, item.wanted), 0) / wanted : 1;
}

function dateText(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}
