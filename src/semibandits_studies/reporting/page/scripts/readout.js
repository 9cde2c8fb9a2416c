// The legend is a table with a button for each curve and its values at the chosen round.
function regretReadout(simulation, bound, view, unit, refresh) {
  const head = tag("strong", {});
  const banded = simulation.policies.some((policy) => policy.lower && policy.upper);
  const rows = simulation.policies.map((policy, k) => {
    const cells = [tag("td", { class: "number" })];
    const row = tag("tr", { "data-policy": k });
    row.append(tag("th", { scope: "row" }, seriesButton(policy.name, sampleOf(k), (on) => {
      if (on) view.hidden.delete(k);
      else view.hidden.add(k);
      row.classList.toggle("off", !on);
      refresh();
    })), ...cells);
    return { row, cells };
  });
  const table = tag("table", { class: "readout" },
    tag("caption", {}, "At round ", head),
    tag("thead", {}, tag("tr", {}, tag("th", { scope: "col" }, "Policy"),
      tag("th", { scope: "col", class: "number" }, withUnit("Regret", unit && `(${unit})`), banded && tag("span", { class: "fine" }, "95 % interval")))),
    tag("tbody", {}, rows.map(({ row }) => row)));
  let boundCell = null;
  if (bound) {
    boundCell = tag("td", { class: "number" });
    const row = tag("tr", { "data-bound": true });
    row.append(tag("th", { scope: "row" }, seriesButton(boundName(bound), sampleOfBound(), (on) => {
      view.bound = on;
      row.classList.toggle("off", !on);
      refresh();
    }, { "data-toggle": "bound" })), boundCell);
    table.tBodies[0].append(row);
  }
  const update = () => {
    const round = simulation.checkpoints[view.at];
    head.textContent = number(round);
    rows.forEach(({ cells }, k) => {
      const policy = simulation.policies[k];
      const ends = policy.lower && policy.upper && interval([policy.lower[view.at], policy.upper[view.at]]);
      fill(cells[0], number((policy.mean || [])[view.at]), fine(ends));
    });
    if (boundCell) boundCell.textContent = number(boundAt(bound, round));
  };
  const text = () => {
    const values = simulation.policies.map((policy, k) => !view.hidden.has(k) && `${policy.name} ${withUnit(number((policy.mean || [])[view.at]), unit)}`);
    if (bound && view.bound) values.push(`${boundName(bound)} ${number(boundAt(bound, simulation.checkpoints[view.at]))}`);
    return `Round ${number(simulation.checkpoints[view.at])}: ${values.filter(Boolean).join("; ")}`;
  };
  return { table, update, text };
}

function seriesButton(name, sample, change, attributes = {}) {
  const button = toggle([], true, change, { ...attributes, class: "series" });
  button.append(sample, tag("span", {}, name));
  return button;
}
