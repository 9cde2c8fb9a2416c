// Estimates with intervals: one row an item, which can be sorted and filtered; of assignments also a matrix of the means.
const FIRST_ROWS = 24, MORE_ROWS = 1000, MOST_CELLS = 5000;

function estimatesSection(host, summary) {
  const { nouns, best, features, prior } = summary;
  const lead = tag("p", { class: "lead" }), count = tag("p", { class: "note" });
  const matrix = tag("div", { class: "figure", "data-kind": "heatmap", hidden: true });
  const axis = tag("div", {}), view = { text: "", only: false, lane: null, decimals: 3, items: [] };
  const meanText = (mean) => (known(mean) ? fixed(mean, view.decimals) : MISSING);
  const value = best.is_cost ? "Mean cost" : "Mean reward";
  const sample = [
    { title: capital(nouns.item), kind: "what", value: (row) => row.text, show: (row) => [row.in_best && tag("span", { class: "best-mark", "aria-hidden": true }, "◆ "), row.text,
      row.in_best && tag("span", { class: "unseen" }, " (in the best decision)"),
      narrow(counted(row.plays, "play", "plays"), row.open > 0 && `${number(row.open)} open`),
      known(row.shrunk) && tag("span", { class: "fine expected" }, `${meanText(row.shrunk)} expected`)] },
    { title: "Interval", kind: "lane", value: (row) => widthOf(row), falling: true, number: false, head: axis, show: (row) => estimateLane(view.lane, row) },
    { title: value, number: true, kind: "mean", falling: !best.is_cost, value: (row) => row.mean, show: (row) => [meanText(row.mean), fine(interval([row.lower, row.upper]))] },
    features && { title: "Expected", number: true, kind: "expected", falling: !best.is_cost, value: (row) => row.shrunk, show: (row) => [meanText(row.shrunk), known(row.shrunk_sd) && fine(`± ${number(2 * row.shrunk_sd, 2)}`)] },
    known(prior) && { title: "Prior", number: true, kind: "wide", falling: !best.is_cost, value: (row) => row.prior, show: (row) => known(row.prior) && [meanText(row.prior), fine(counted(row.prior_plays, "play", "plays"))] },
    { title: "Plays", number: true, kind: "wide", falling: true, value: (row) => row.plays, show: (row) => number(row.plays) },
    { title: "Open", number: true, kind: "wide", falling: true, value: (row) => row.open, show: (row) => number(row.open) },
  ].filter(Boolean);
  const table = sortedTable(sample, {
    label: "Estimates", kind: "bars live", cut: FIRST_ROWS, step: MORE_ROWS, key: (row) => row.text,
    stamp: () => [view.lane.ticks, view.decimals], rowKind: (row) => (row.in_best ? "best" : null),
  });
  const list = () => {
    const wanted = view.text.toLocaleLowerCase();
    const rows = view.items.filter((row) => (!view.only || row.in_best) && row.text.toLocaleLowerCase().includes(wanted));
    table.show(rows);
    put(count, rows.length === view.items.length ? "" : `${number(rows.length)} of ${counted(view.items.length, nouns.item, nouns.items)}.`);
    return rows.length;
  };
  const filter = tag("input", { type: "search", autocomplete: "off", spellcheck: false, oninput: () => { view.text = filter.value; list(); },
    onchange: () => say(`${counted(list(), nouns.item, nouns.items)} listed`) });
  // On a phone some columns are hidden.
  const order = tag("select", { id: "order", onchange: () => { const column = sample[order.value]; if (column) table.sortBy(column, Boolean(column.falling)); } },
    tag("option", { value: "" }, "best decision first"), sample.map((column, k) => tag("option", { value: k }, column.title.toLowerCase())));
  host.append(lead, matrix, tag("div", { class: "controls" }, tag("label", { class: "field" }, `Only ${nouns.items} that contain`, filter),
    toggle("Best decision only", false, (on) => { view.only = on; list(); }), tag("span", { class: "field order" }, tag("label", { for: "order" }, "Sort by"), order)), count, ...(features ? [legendOf()] : []), ...table.parts);
  return (estimates) => {
    // What is expected of all items alike, before the first outcome, is no more than the prior of the mean of all.
    const blank = estimates.items.every((item) => item.mean === null && item.shrunk === estimates.items[0].shrunk);
    const rows = estimates.items.map((item) => signed(blank ? { ...item, shrunk: null, shrunk_sd: null } : item, best.is_cost));
    view.items = rows.sort((one, two) => two.in_best - one.in_best || two.plays - one.plays);
    view.lane = estimateScale(rows);
    view.decimals = decimalsFor(extreme(Math.max, rows.flatMap(meansOf).map(Math.abs), 0), 4);
    fill(axis, laneAxis(view.lane));
    // The matrix is not redrawn under the pointer or the keyboard focus.
    const pairs = summary.family === "matchings" && !matrix.matches(":hover, :focus-within") && pairsOf(estimates.items);
    if (pairs) drawMatrix(matrix, pairs, estimates.items.map((item) => signed(item, best.is_cost)), { nouns, value, meanText });
    const unseen = rows.filter((row) => row.mean === null).length;
    const some = rows.some((row) => known(row.lower));
    put(lead, [
      `${best.is_cost ? "Mean costs" : "Mean rewards"} of ${counted(rows.length, nouns.item, nouns.items)} as they are estimated now.`,
      some && ` Each interval holds in all rounds at once with probability at least ${percent(1 - estimates.error)}.`,
      unseen > 0 && (features || known(prior) ? ` ${counted(unseen, "has", "have")} no outcome yet.` : ` Nothing is known of ${number(unseen)} yet.`),
    ].filter(Boolean).join(""));
    list();
  };
}

// Names of the rows and columns, and the place of each item; null if there are too many, or two have the same names.
function pairsOf(items) {
  if (items.length > MOST_CELLS || !items.every(({ item }) => Array.isArray(item) && item.length === 2)) return null;
  const pairs = items.map(({ item }) => item.map(String)), sides = [Array.from(new Set(pairs.map(([row]) => row))), columnsOf(pairs)];
  if (sides[0].length * sides[1].length > MOST_CELLS) return null;
  const isNamed = (side) => new Set(items.map(({ item }) => JSON.stringify(item[side]))).size === sides[side].length;
  if (!isNamed(0) || !isNamed(1)) return null;
  const places = sides.map((names) => new Map(names.map((name, k) => [name, k])));
  const cells = pairs.map(([row, column], k) => ({ item: k, row: places[0].get(row), column: places[1].get(column) }));
  return new Set(cells.map(({ row, column }) => `${row} ${column}`)).size < cells.length ? null : { rows: sides[0], columns: sides[1], cells };
}

// Columns in the order of the pairs; a new column is inserted next to its neighbour in the row.
function columnsOf(pairs) {
  const names = [];
  const placeOf = (k, row) => (pairs[k] && pairs[k][0] === row ? names.indexOf(pairs[k][1]) : -1);
  pairs.forEach(([row, column], k) => {
    if (names.includes(column)) return;
    const before = placeOf(k - 1, row), after = placeOf(k + 1, row);
    names.splice(before >= 0 ? before + 1 : after >= 0 ? after : names.length, 0, column);
  });
  return names;
}

function drawMatrix(figure, drawing, rows, { nouns, value, meanText }) {
  // Pairs without outcomes show their expected mean, or their prior mean.
  const before = (row) => [row.shrunk, row.prior].find(known) ?? null;
  const layer = { key: "theta", label: value, unit: "", values: rows.map((row) => row.mean ?? before(row)) };
  const isGuess = rows.some((row) => row.mean === null && before(row) !== null);
  const items = { labels: rows.map((row) => row.text), optimal: rows.map((row) => row.in_best) };
  const words = (k) => {
    const { mean, lower, upper, plays, open, in_best: inBest, shrunk, prior } = rows[k];
    const ends = interval([lower, upper]);
    return [known(mean) ? `${value} ${meanText(mean)}${ends ? `, ${ends}` : ""}` : "no outcome yet", known(shrunk) && `${meanText(shrunk)} expected`, known(prior) && `${meanText(prior)} before the first round`,
      `${counted(plays, "play", "plays")}${open ? `, ${number(open)} open` : ""}`, inBest && `part of the best ${nouns.decision}`].filter(Boolean);
  };
  cellsDrawing(figure, { drawing, layer, items, scale: layerScale(layer, items), words, best: `best ${nouns.decision}`,
    rest: isGuess && tag("span", {}, "pairs without outcomes: expected mean") });
  figure.hidden = false;
}

// An item in the unit of the page: for costs, minus the reward.
function signed(item, isCost) {
  const turned = (value) => (known(value) ? (isCost ? -value : value) : null);
  const ends = [turned(item.lower), turned(item.upper)];
  return { ...item, mean: turned(item.mean), shrunk: turned(item.shrunk), prior: turned(item.prior), lower: ends[isCost ? 1 : 0], upper: ends[isCost ? 0 : 1] };
}

const widthOf = (row) => (known(row.lower) && known(row.upper) ? row.upper - row.lower : null);

// Its own mean, and with features the expected one.
const meansOf = (row) => [row.mean, row.shrunk].filter(known);

// The scale covers all means and as much of the intervals as leaves the means apart; the rest is cut off.
function estimateScale(rows) {
  const means = rows.flatMap(meansOf);
  if (!means.length) return { place: scale("linear", [0, 1], [1, 97]), ticks: [], cut: [0, 1] };
  const low = extreme(Math.min, means), high = extreme(Math.max, means);
  const room = (high - low) / 10 || Math.abs(high) / 2 || 1;
  const least = Math.max(low - room, extreme(Math.min, rows.map((row) => row.lower).filter(known), low));
  const most = Math.min(high + room, extreme(Math.max, rows.map((row) => row.upper).filter(known), high));
  const step = niceStep(most - least || 1, 6);
  const ends = [Math.floor(least / step + 1e-9) * step, Math.ceil(most / step - 1e-9) * step];
  return { place: scale("linear", ends, [1, 97]), ticks: linearTicks(ends, 6), cut: ends };
}

// Smallest or largest of many numbers, which may be too many for the arguments of one call.
function extreme(pick, values, start = values[0]) {
  return values.reduce((one, two) => pick(one, two), start);
}

function estimateLane(lane, row) {
  if (row.mean === null && row.shrunk === null) return [gridOf(lane), tag("span", { class: "fine" }, "no outcome yet")];
  return [gridOf(lane), known(row.lower) && known(row.upper) && intervalOf(lane, row.lower, row.upper), known(row.mean) && dotOf(lane, row.mean), ...expectedOf(lane, row)];
}

// What the features let expect; its spread only where the item has no interval of its own.
function expectedOf(lane, { mean, shrunk, shrunk_sd: sd }) {
  if (!known(shrunk)) return [];
  return [mean === null && known(sd) && intervalOf(lane, shrunk - 2 * sd, shrunk + 2 * sd, "spread expected"), goalOf(lane, shrunk, "goal expected")];
}

function legendOf() {
  const lane = { place: (value) => value };
  const entry = (text, ...marks) => tag("span", {}, tag("span", { class: "lane" }, marks), text);
  return tag("p", { class: "note legend live" },
    entry("mean of its own outcomes, and interval", intervalOf(lane, 5, 95), dotOf(lane, 50)),
    entry("expected, from the outcomes of all", goalOf(lane, 50, "goal expected")),
    entry("± 2 standard deviations, if it has no outcome", ...expectedOf(lane, { mean: null, shrunk: 50, shrunk_sd: 22 })));
}
