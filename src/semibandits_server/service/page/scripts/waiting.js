// Open rounds by age, drift, and what is fixed about the learner.
function waitingSection(host, summary) {
  const lead = tag("p", { class: "lead" }), axis = tag("div", {});
  let lane = laneScale([0], false), texts = new Map();
  const ages = sortedTable([
    { title: "Asked for", kind: "what", show: (band) => `${number(band.from)} to ${number(band.to)} rounds ago` },
    { title: "", kind: "lane", head: axis, show: (band) => [gridOf(lane), band.count > 0 && barOf(lane, band.count)] },
    { title: "Rounds", number: true, show: (band) => number(band.count) },
  ], { label: "Open rounds by age", kind: "bars ages", key: (band) => String(band.from), stamp: () => lane.ticks });
  const oldest = sortedTable([
    { title: "Round", show: (row) => number(row.round) },
    { title: capital(summary.nouns.decision), kind: "decision", show: (row) => row.items.map((item) => texts.get(JSON.stringify(item)) || JSON.stringify(item)).join(", ") },
    { title: "Rounds ago", number: true, show: (row) => number(row.age) },
    { title: "Time ago", number: true, show: (row) => duration(row.seconds) || MISSING },
  ], { label: "The oldest open rounds", kind: "oldest stacked" });
  const details = tag("details", {}, tag("summary", {}, "The oldest open rounds"), ...oldest.parts);
  const body = tag("div", {}, ...ages.parts, details);
  host.append(lead, body);
  return (now, open, estimates) => {
    texts = new Map(estimates.items.map((item) => [JSON.stringify(item.item), item.text]));
    const bands = now.open.by_age.filter((band) => band.count > 0 || now.open.count > 0);
    lane = laneScale(bands.map((band) => band.count), false);
    lane.ticks = lane.ticks.filter((tick) => Number.isInteger(tick));
    fill(axis, laneAxis(lane));
    put(lead, now.open.count === 0 ? "No round is open: every round that was asked for was told or forgotten."
      : `${capital(rounds(now.open.count))} ${now.open.count === 1 ? "was" : "were"} asked for and neither told nor forgotten. Open rounds count as plays until then; rounds whose outcome is lost must be forgotten, for instance by age.`);
    body.hidden = now.open.count === 0;
    ages.show(bands);
    oldest.show(open.rounds);
  };
}

function driftSection(host) {
  const lead = tag("p", { class: "lead" });
  const evenly = (row, value) => (known(value) ? fixed(value, decimalsFor(Math.max(Math.abs(row.before ?? 0), Math.abs(row.after ?? 0)), 4)) : MISSING);
  const table = sortedTable([
    { title: "Item", kind: "what", value: (row) => row.text, show: (row) => row.text },
    { title: "Before", number: true, value: (row) => row.before, show: (row) => evenly(row, row.before) },
    { title: "After", number: true, value: (row) => row.after, show: (row) => evenly(row, row.after) },
    { title: "Found in round", number: true, value: (row) => row.round, show: (row) => number(row.round) },
  ], { label: "Drift", kind: "drifts stacked", cut: FIRST_ROWS, step: MORE_ROWS });
  const body = tag("div", {}, ...table.parts);
  host.append(lead, body);
  return (summary) => {
    const { error, found } = summary.drift;
    put(lead, driftWords(summary, error, found.length));
    lead.className = found.length ? "lead caution" : "lead";
    body.hidden = !found.length;
    table.show(found.map((row) => {
      const turned = (value) => shownValue(summary, value);
      return { ...row, before: turned(row.before), after: turned(row.after) };
    }).sort((one, two) => two.round - one.round));
  };
}

function driftWords(summary, error, count) {
  const { nouns } = summary;
  if (count) return `The mean of ${counted(count, nouns.item, nouns.items)} has changed while the learner ran, so that older outcomes mislead.`;
  if (error === null) return "Whether means change is not checked for this learner.";
  return `No mean has changed as far as the check can tell. It gives a false alarm for an item with probability at most ${percent(error)}, over all rounds.`;
}

function aboutSection(host) {
  const list = tag("dl", { class: "facts" });
  host.append(list);
  return (summary) => fill(list, [
    ["Decision set", summary.decision_set],
    ["Policy", summary.policy],
    ["Law of the rewards", summary.law],
    ["Features", summary.features],
    ["Outcomes", known(summary.half_life) ? `An outcome counts half after ${rounds(summary.half_life)}` : "All count alike, however old"],
    ["Calls that changed it", number(summary.calls)],
  ].filter(([, text]) => text).map(([label, text]) => tag("div", {}, tag("dt", {}, label), tag("dd", {}, text))));
}
