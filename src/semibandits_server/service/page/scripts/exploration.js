// Plays so far against the plan, which wants rate · ln t plays of each item by round t.
function explorationSection(host, summary) {
  const { nouns } = summary;
  const lead = tag("p", { class: "lead" }), bracket = tag("p", { class: "bracket" }), note = tag("p", { class: "note" });
  const lane = { log: false, place: scale("linear", [0, 2], [0, 97]), ticks: [0, 0.5, 1, 1.5, 2] };
  const share = (row) => row.plays / row.wanted;
  const columns = [
    { title: capital(nouns.item), kind: "what", value: (row) => row.text, show: (row) => [row.text, narrow(`${number(row.wanted, 3)} wanted`)] },
    { title: "Share of the wanted plays", kind: "lane", value: share, head: laneAxis(lane, (tick) => `${100 * tick} %`),
      show: (row) => [gridOf(lane), barOf(lane, Math.min(2, share(row))), goalOf(lane, 1), share(row) > 2 && tag("i", { class: "beyond", vars: { left: "97%" } })] },
    { title: "Plays", number: true, falling: true, value: (row) => row.plays, show: (row) => number(row.plays) },
    { title: "Wanted", number: true, kind: "wide", falling: true, value: (row) => row.wanted, show: (row) => number(row.wanted, 3) },
    { title: "Per ln\u00a0t", number: true, kind: "wide", falling: true, value: (row) => row.rate, show: (row) => number(row.rate, 3) },
  ];
  const table = sortedTable(columns, { label: "Exploration", kind: "bars live", cut: FIRST_ROWS, step: MORE_ROWS, key: (row) => row.text });
  const body = tag("div", {}, ...table.parts);
  host.append(lead, bracket, body, note);
  return (bound, now) => {
    const rows = bound.items.filter((item) => item.rate > 0 && item.wanted > 0).sort((one, two) => share(one) - share(two));
    const ready = bound.status === "ready";
    put(lead, explorationWords(bound, rows, now, nouns));
    put(bracket, ready && known(bound.lower) && known(bound.value) ? bracketText(bound) : "");
    put(note, ready && rows.length ? `The plan is solved at the estimates of round ${number(bound.at_rounds)}, and again as they change. It holds for large t: early on it may want more than there are rounds.${bound.message ? ` The solver stopped early: ${bound.message}.` : ""}` : "");
    body.hidden = !ready || !rows.length;
    table.show(rows);
  };
}

function explorationWords(bound, rows, now, nouns) {
  if (bound.status === "failed") return `There is no plan: ${bound.message || "the solver failed"}.`;
  if (bound.status !== "ready") return "The cheapest exploration that suffices is being computed at the estimates.";
  if (!rows.length) return "Nothing needs to be explored at these estimates: the plan is empty.";
  const behind = rows.filter((row) => row.plays < row.wanted).length;
  const state = behind === 0 ? "All of them have been played so often." : `${behind === rows.length ? "All of them are" : `${number(behind)} of them ${behind === 1 ? "is" : "are"}`} below it; the furthest come first.`;
  return `By round ${number(now)}, the cheapest exploration that suffices plays ${counted(rows.length, nouns.item, nouns.items)} as often as the line shows. ${state}`;
}

function bracketText(bound) {
  const tight = bound.value - bound.lower <= 5e-4 * Math.abs(bound.value);
  return tight ? `C(θ) = ${number(bound.value)} per ln\u00a0t` : `${number(bound.lower)} ≤ C(θ) ≤ ${number(bound.value)} per ln\u00a0t`;
}
