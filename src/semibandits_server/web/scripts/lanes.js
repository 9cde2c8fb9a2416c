// Lanes: the column of a table in which values are drawn, with one scale for all rows.

// Bars start at 0. Values that span more than a factor of 20 are dots on a logarithmic scale, which has no 0, if it is wanted.
function laneScale(all, logarithmic) {
  const values = all.filter(known);
  const positive = values.filter((value) => value > 0);
  const low = Math.min(...positive), high = Math.max(...positive);
  if (logarithmic && positive.length > 1 && values.every((value) => value >= 0) && high > 20 * low) {
    return { log: true, place: scale("log", [low, high], [2, 98]), ticks: thinned(logTicks([low, high])) };
  }
  const ends = [Math.min(0, ...values), Math.max(0, ...values)];
  if (ends[0] === ends[1]) ends[1] = 1;
  return { log: false, place: scale("linear", ends, [0, 98]), ticks: linearTicks(ends, 4) };
}

// At most six evenly spaced ticks: more would touch on a phone.
function thinned(ticks) {
  const every = Math.ceil(ticks.length / 6);
  return ticks.filter((_, k) => k % every === 0);
}

function laneAxis(lane, text = (tick) => roundTick(tick, true)) {
  return tag("div", { class: "lane-axis", "aria-hidden": true }, lane.ticks.map((tick) =>
    tag("span", { vars: { left: `${lane.place(tick)}%` } }, text(tick))));
}

function gridOf(lane) {
  return lane.ticks.map((tick) => tag("i", { class: "grid", vars: { left: `${lane.place(tick)}%` } }));
}

function barOf(lane, value) {
  if (!known(value)) return null;
  if (lane.log) return value > 0 && dotOf(lane, value);
  const ends = [lane.place(0), lane.place(value)];
  return tag("i", { vars: { left: `${Math.min(...ends)}%`, width: `${Math.max(0.15, Math.abs(ends[1] - ends[0]))}%` } });
}

function dotOf(lane, value) {
  return tag("i", { class: "dot", vars: { left: `${lane.place(value)}%` } });
}

// The lane cuts off what lies outside its ends.
function intervalOf(lane, lower, upper, kind = "whisker") {
  const [left, right] = [lower, upper].map((end) => Math.max(0, Math.min(100, lane.place(end))));
  return tag("i", { class: kind, vars: { left: `${left}%`, width: `${right - left}%` } });
}

// A line at a value, by default one to be reached.
function goalOf(lane, value, kind = "goal") {
  return tag("i", { class: kind, vars: { left: `${lane.place(value)}%` } });
}
