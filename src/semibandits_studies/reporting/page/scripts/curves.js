// The regret chart: axes, bands, curves, the bound, and names at the ends of the lines.
const BOUND_NAME = "C(θ)\u00a0ln\u00a0T";
const boundConstant = (bound) => (known(bound.value) ? bound.value : bound.lower);
const boundAt = (bound, round) => boundConstant(bound) * Math.log(round);

// Domains of the axes: everything shown, and 0 on a linear axis of regret.
function extent(simulation, bound, view) {
  const shown = simulation.policies.filter((_, k) => !view.hidden.has(k));
  const rounds = simulation.checkpoints;
  const heights = [];
  const add = (list) => list && heights.push(...list.filter(known));
  for (const policy of shown) {
    add(policy.mean);
    if (view.bands) { add(policy.lower); add(policy.upper); }
  }
  if (view.bound && bound) add(rounds.map((round) => boundAt(bound, round)));
  const used = view.y === "log" ? heights.filter((height) => height > 0) : [0, ...heights];
  let low = used.length ? Math.min(...used) : 1, high = used.length ? Math.max(...used) : 1;
  // A band may end close to 0, which would take up most of a logarithmic axis.
  if (view.y === "log") low = Math.max(low, high / 1e5);
  if (!(high > low)) high = low + (Math.abs(low) || 1);
  const first = rounds[0], last = rounds[rounds.length - 1];
  const left = view.x === "log" ? first : 0;
  return { x: [left, last > left ? last : left + 1], y: [low, high] };
}

function framing(simulation, bound, view, width, paper) {
  const domain = extent(simulation, bound, view);
  const named = width >= 560;
  const height = Math.round(paper ? width / 2 : Math.max(300, Math.min(500, width * (named ? 0.62 : 0.85))));
  const names = simulation.policies.filter((_, k) => !view.hidden.has(k)).map((policy) => policy.name);
  const longest = Math.max(...[BOUND_NAME, ...names].map((name) => textWidth(name, 12.5)));
  const ends = named ? Math.min(longest, width * 0.22) + 24 : 12;
  const ticks = view.y === "log" ? logTicks(domain.y) : linearTicks(domain.y, height / 75);
  if (view.y !== "log" && ticks.length > 1) {
    const step = ticks[1] - ticks[0];
    if (domain.y[1] > ticks[ticks.length - 1] + step * 0.05) ticks.push(ticks[ticks.length - 1] + step);
    domain.y[1] = Math.max(domain.y[1], ticks[ticks.length - 1]);
  }
  const labels = ticks.map(tickText);
  const left = Math.ceil(Math.max(...labels.map((text) => textWidth(text, 12)))) + 12;
  const box = { left, right: width - ends, top: 34, bottom: height - 42, width, height, named };
  return {
    box, domain, ticks, labels,
    x: scale(view.x, domain.x, [box.left, box.right]),
    y: scale(view.y, domain.y, [box.bottom, box.top]),
  };
}

function axes(frame, view, unit, many) {
  const { box, domain, ticks, labels, x, y } = frame;
  const group = shape("g", { class: "axis" });
  ticks.forEach((tick, k) => group.append(
    shape("line", { x1: box.left, x2: box.right, y1: y(tick), y2: y(tick), class: tick === 0 ? "base" : null }),
    shape("text", { x: box.left - 8, y: y(tick) + 4, "text-anchor": "end" }, labels[k])));
  if (!ticks.includes(0)) group.append(shape("line", { x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom, class: "base" }));
  const name = `${many ? "Mean cumulative" : "Cumulative"} regret${view.y === "log" ? " (logarithmic)" : ""}${unit ? `, ${unit}` : ""}`;
  group.append(shape("text", { x: 0, y: 14, class: "title" }, shortened(name, 13, box.width)));
  let free = -Infinity;
  const narrow = box.width < 480;
  for (const tick of view.x === "log" ? logTicks(domain.x) : linearTicks(domain.x, box.width / 110)) {
    const text = roundTick(tick, narrow), half = textWidth(text, 12) / 2;
    const at = Math.min(x(tick), box.width - half);
    group.append(shape("line", { x1: x(tick), x2: x(tick), y1: box.bottom, y2: box.bottom + 5, class: "base" }));
    if (at - half < free) continue;
    free = at + half + 10;
    group.append(shape("text", { x: at, y: box.bottom + 19, "text-anchor": "middle" }, text));
  }
  group.append(shape("text", { x: (box.left + box.right) / 2, y: box.height - 4, "text-anchor": "middle" },
    view.x === "log" ? "Round T, logarithmic axis" : "Round T"));
  return group;
}

// A linear axis shows little if lines end at very different heights, for example if C(θ) ln T is many times the regret.
const FAR_APART = 15;
function startingAxis(simulation, bound) {
  const last = simulation.checkpoints.length - 1;
  const ends = simulation.policies.map((policy) => (policy.mean || [])[last]);
  if (bound) ends.push(boundAt(bound, simulation.checkpoints[last]));
  const positive = ends.filter((end) => end > 0);
  return positive.length > 1 && Math.max(...positive) > FAR_APART * Math.min(...positive) ? "log" : "linear";
}

// The points of a curve that the axes can show: a logarithmic axis has only positive values.
function visible(rounds, heights, view) {
  const points = [];
  rounds.forEach((round, k) => {
    if (known(heights[k]) && (view.y !== "log" || heights[k] > 0)) points.push([round, heights[k], k]);
  });
  return points;
}

// The part of a curve above the lower end of a logarithmic axis, clipped at the crossing.
function above(points, floor, view) {
  if (view.y !== "log") return points;
  const kept = [];
  points.forEach(([round, height], k) => {
    const [before, low] = points[k - 1] || [round, height];
    if ((low < floor) !== (height < floor)) {
      const share = Math.log(floor / low) / Math.log(height / low);
      kept.push([view.x === "log" ? before * (round / before) ** share : before + share * (round - before), floor]);
    }
    if (height >= floor) kept.push([round, height]);
  });
  return kept;
}

function lineThrough(points, frame) {
  return points.map(([round, height], k) => `${k ? "L" : "M"}${frame.x(round).toFixed(1)} ${frame.y(height).toFixed(1)}`).join("");
}

function bandBetween(rounds, lower, upper, frame) {
  const floor = frame.domain.y[0];
  const place = (height) => frame.y(Math.max(height, floor)).toFixed(1);
  const there = rounds.map((_, k) => k).filter((k) => known(lower[k]) && known(upper[k]));
  if (there.length < 2) return null;
  const over = there.map((k) => `${frame.x(rounds[k]).toFixed(1)} ${place(upper[k])}`);
  const under = there.reverse().map((k) => `${frame.x(rounds[k]).toFixed(1)} ${place(lower[k])}`);
  return `M${over.join("L")}L${under.join("L")}Z`;
}

const MARKS_A_LINE = 7;
function curveOf(simulation, k, frame, view) {
  const policy = simulation.policies[k], rounds = simulation.checkpoints;
  const { kind, dash, mark } = look(k);
  const points = above(visible(rounds, policy.mean || [], view), frame.domain.y[0], view);
  const group = shape("g", { class: `policy ${kind}`, "data-policy": k });
  if (view.bands && policy.lower && policy.upper) {
    const band = bandBetween(rounds, policy.lower, policy.upper, frame);
    if (band) group.append(shape("path", { class: "band", d: band }));
  }
  if (points.length > 1) group.append(shape("path", { class: "curve", d: lineThrough(points, frame), "stroke-dasharray": dash }));
  // Markers of different lines have different positions along the axis; each line has one at its end.
  const step = Math.max(1, Math.floor(points.length / MARKS_A_LINE));
  const shift = Math.floor((k * step) / simulation.policies.length);
  points.forEach(([round, height], j) => {
    if (j !== points.length - 1 && (j < shift || (j - shift) % step)) return;
    if (j !== points.length - 1 && frame.x(rounds[rounds.length - 1]) - frame.x(round) < 9) return;
    group.append(shape("path", { class: "mark", d: mark, transform: `translate(${frame.x(round).toFixed(1)} ${frame.y(height).toFixed(1)})` }));
  });
  return group;
}

function boundLine(simulation, bound, frame, view) {
  const rounds = simulation.checkpoints;
  const first = Math.max(rounds[0], 1), last = rounds[rounds.length - 1];
  // On a linear axis of rounds the logarithm is curved and needs more points than there are checkpoints.
  const dense = Array.from({ length: 121 }, (_, k) => first * (last / first) ** (k / 120));
  const group = shape("g", { class: "isbound", "data-bound": bound.applies === false ? "other" : "applies" });
  const floor = frame.domain.y[0];
  if (known(bound.value) && bound.value > bound.lower * 1.01) {
    const ends = [bound.lower, bound.value].map((c) => dense.map((round) => Math.max(floor, c * Math.log(round))));
    group.append(shape("path", { class: "bound-band", d: bandBetween(dense, ends[0], ends[1], frame) }));
  }
  const points = visible(dense, dense.map((round) => boundAt(bound, round)), view).filter(([, height]) => height >= floor);
  group.append(shape("path", { class: "bound-line", d: lineThrough(points, frame) }));
  return group;
}

function boundName(bound) {
  return bound.applies === false ? `${BOUND_NAME}, no bound here` : BOUND_NAME;
}

function endNames(simulation, bound, frame, view) {
  const last = simulation.checkpoints.length - 1, horizon = simulation.checkpoints[last];
  const ends = simulation.policies.map((policy, k) => ({ text: policy.name, height: (policy.mean || [])[last], kind: look(k).kind }))
    .filter((_, k) => !view.hidden.has(k));
  if (view.bound && bound) ends.push({ text: BOUND_NAME, height: boundAt(bound, horizon), kind: "isbound" });
  const sorted = ends.filter((end) => known(end.height) && (view.y !== "log" || end.height > 0))
    .map((end) => ({ ...end, y: frame.y(end.height) })).sort((one, two) => one.y - two.y);
  const places = spreadOut(sorted.map((end) => end.y), 17, frame.box.top, frame.box.bottom);
  const x = frame.box.right;
  return shape("g", { class: "end" }, sorted.map((end, k) => shape("g", { class: end.kind },
    shape("path", { d: `M${x + 6} ${end.y.toFixed(1)}L${x + 16} ${places[k].toFixed(1)}` }),
    shape("text", { x: x + 20, y: places[k] + 4 }, shortened(end.text, 12.5, frame.box.width - x - 20)))));
}

function drawRegret(simulation, bound, view, unit, width, paper = false) {
  const frame = framing(simulation, bound, view, width, paper);
  const { box } = frame;
  const picture = shape("svg", { viewBox: `0 0 ${width} ${box.height}`, width, height: box.height, "aria-hidden": true });
  picture.append(axes(frame, view, unit, simulation.replications > 1));
  if (view.bound && bound) picture.append(boundLine(simulation, bound, frame, view));
  simulation.policies.forEach((_, k) => {
    if (!view.hidden.has(k)) picture.append(curveOf(simulation, k, frame, view));
  });
  if (box.named) picture.append(endNames(simulation, bound, frame, view));
  return { frame, picture };
}
