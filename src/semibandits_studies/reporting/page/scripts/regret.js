// The regret section: the chart with its controls. Everything shown follows from `view`.
const PAPER_WIDTH = 760;

function regretSection(data) {
  const simulation = data.simulation;
  if (!simulation || !(simulation.policies || []).length || !(simulation.checkpoints || []).length) return;
  const bound = data.bound && known(boundConstant(data.bound)) ? data.bound : null;
  const banded = simulation.policies.some((policy) => policy.lower && policy.upper);
  const view = {
    hidden: new Set(), bands: banded, bound: bound !== null, x: "log", y: startingAxis(simulation, bound), at: simulation.checkpoints.length - 1, steered: false,
  };
  section("regret-lead").textContent = leadOf(simulation, data.unit);
  const plot = tag("div", {
    class: "plot", role: "slider", tabindex: 0, "aria-label": "Regret by round: arrow keys move along the rounds",
    "aria-valuemin": 0, "aria-valuemax": simulation.checkpoints.length - 1, "aria-orientation": "horizontal",
  });
  const readout = regretReadout(simulation, bound, view, data.unit, () => refresh());
  let drawn = null, width = 0;
  const printing = window.matchMedia("print");

  const refresh = () => {
    if (!width) return;
    // Printed pages show every curve.
    const shown = printing.matches ? { ...view, hidden: new Set(), bands: banded, bound: bound !== null } : view;
    drawn = drawRegret(simulation, bound, shown, data.unit, printing.matches ? PAPER_WIDTH : width, printing.matches);
    plot.replaceChildren(drawn.picture);
    if (view.steered && !printing.matches) drawn.picture.append(crosshair(simulation, bound, shown, drawn.frame));
    readout.update();
    plot.setAttribute("aria-valuenow", view.at);
    plot.setAttribute("aria-valuetext", `round ${number(simulation.checkpoints[view.at])}`);
  };
  const move = (at, aloud) => {
    view.steered = true;
    view.at = Math.max(0, Math.min(simulation.checkpoints.length - 1, at));
    refresh();
    if (aloud) say(readout.text());
  };
  steerBy(plot, simulation, () => drawn, move, view);
  section("regret-figure").append(
    regretControls(view, bound, banded, refresh),
    tag("figure", { class: "chart" }, plot, readout.table),
    tag("p", { class: "note" }, footnote(simulation, bound)));
  whenSized(plot, (now) => { width = now; refresh(); });
  printing.addEventListener("change", refresh);
}

function leadOf(simulation, unit) {
  const many = simulation.replications > 1;
  const played = many ? `the mean of ${number(simulation.replications)} replications` : "one replication";
  const rewards = simulation.rewards ? ` of ${simulation.rewards}` : "";
  return `Regret is the loss of a policy${unit ? `, in ${unit},` : ""} against always playing the best decision: lower is better. ` +
    `The chart shows ${played} of ${counted(simulation.horizon, "round", "rounds")}${rewards}` +
    `${many ? ", with pointwise 95 % confidence bands." : "; one replication has no confidence band."}`;
}

function footnote(simulation, bound) {
  if (!bound) return "No lower bound on the regret is known here.";
  if (bound.applies === false) {
    return `The dashed line is ${BOUND_NAME} for independent Gaussian rewards with the same means and the stated variances. ` +
      `${bound.exception} Curves may cross it.`;
  }
  return `The dashed line ${BOUND_NAME} bounds how fast the regret of any uniformly good policy grows in the long run. ` +
    "It does not bound the regret at a single round: on the logarithmic axis, compare slopes, not heights.";
}

function regretControls(view, bound, banded, refresh) {
  const axis = [["log", "logarithmic"], ["linear", "linear"]];
  return tag("div", { class: "controls" },
    choices("Rounds", axis, view.x, (key) => { view.x = key; refresh(); }),
    choices("Regret", [axis[1], axis[0]], view.y, (key) => { view.y = key; refresh(); }),
    banded && toggle("95 % bands", view.bands, (on) => { view.bands = on; refresh(); }, { "data-toggle": "bands" }));
}

function crosshair(simulation, bound, view, frame) {
  const round = simulation.checkpoints[view.at], x = frame.x(round);
  const dot = (kind, height) => known(height) && (view.y !== "log" || height > 0) &&
    shape("circle", { class: kind, cx: x, cy: frame.y(height), r: 4.5 });
  return shape("g", { class: "cross" },
    shape("line", { x1: x, x2: x, y1: frame.box.top - 6, y2: frame.box.bottom }),
    view.bound && bound && dot("isbound", boundAt(bound, round)),
    simulation.policies.map((policy, k) => !view.hidden.has(k) && dot(look(k).kind, (policy.mean || [])[view.at])));
}

// Pointer, touch and keyboard select a checkpoint.
function steerBy(plot, simulation, drawn, move, view) {
  const nearest = (event) => {
    const { frame } = drawn();
    const edge = plot.getBoundingClientRect();
    const x = ((event.clientX - edge.left) * frame.box.width) / edge.width;
    let best = 0;
    simulation.checkpoints.forEach((round, k) => {
      if (Math.abs(frame.x(round) - x) < Math.abs(frame.x(simulation.checkpoints[best]) - x)) best = k;
    });
    if (best !== view.at || !view.steered) move(best, false);
  };
  plot.addEventListener("pointermove", nearest);
  plot.addEventListener("pointerdown", nearest);
  plot.addEventListener("keydown", (event) => {
    const last = simulation.checkpoints.length - 1;
    const target = {
      ArrowLeft: view.at - 1, ArrowDown: view.at - 1, ArrowRight: view.at + 1, ArrowUp: view.at + 1,
      PageDown: view.at - 10, PageUp: view.at + 10, Home: 0, End: last,
    }[event.key];
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(target, true);
  });
}
