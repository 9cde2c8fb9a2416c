// Tables of policies, the plan and the items.
const MOST_ROWS = 12;

function policiesTable(data) {
  const simulation = data.simulation;
  if (!simulation || !(simulation.policies || []).length) return;
  const rows = simulation.policies.map((policy, k) => ({ ...policy, k }));
  const any = (pick) => rows.some((row) => known(pick(row)));
  const calls = (row, kind) => (row.calls ? row.calls[kind] : null);
  const unit = data.unit ? `, ${data.unit}` : "";
  const column = (title, value, show) => any(value) && { title, number: true, value, show };
  const columns = [
    { title: "Policy", kind: "name", value: (row) => row.name,
      show: (row) => tag("span", { class: "named" }, sampleOf(row.k), tag("span", {}, row.name, fine(row.parameters))) },
    column(`Regret${unit}`, (row) => row.regret, (row) => [number(row.regret), fine(interval(row.regret_interval))]),
    column(`Ratio to ${BOUND_NAME}`, (row) => row.regret_ratio, (row) => ratio(row.regret_ratio)),
    column(`Slope${unit} per ln\u00a0T`, (row) => row.slope, (row) => [number(row.slope), fine(interval(row.slope_interval))]),
    column("Ratio to C(θ)", (row) => row.slope_ratio, (row) => ratio(row.slope_ratio)),
    ...[["linear", "Linear calls"], ["index", "Index calls"], ["plans", "Plans"], ["undecided", "Undecided"]].map(([kind, title]) =>
      any((row) => calls(row, kind) || NaN) && column(title, (row) => calls(row, kind), (row) => number(calls(row, kind)))),
    column("Seconds", (row) => row.seconds, (row) => number(row.seconds, 3)),
  ].filter(Boolean);
  section("policies").append(...sortableTable(columns, rows, { label: "Policies", kind: "policies stacked" }),
    tag("p", { class: "note" }, [
      any((row) => row.slope) && "Slope: that of the mean regret against ln\u00a0T over the last factor of ten in T. ",
      rows.some((row) => interval(row.regret_interval)) && "Small figures: 95\u00a0% confidence intervals. ",
      "Calls of the linear and the index oracle, plans and seconds: means per replication.",
    ]));
}

function planTable(data) {
  const plan = data.plan;
  if (!plan) return;
  const rows = plan.rows || [];
  const host = section("plan-table");
  if (!rows.length) {
    host.append(tag("p", {}, "Nothing needs to be explored: the plan is empty."));
    return;
  }
  const widest = Math.max(...rows.map((row) => row.share || 0), 1e-12);
  const columns = [
    { title: plan.words ? `Decision: ${plan.words}` : "Decision", kind: "decision", value: (row) => row.text, show: (row) => row.text },
    { title: `Cost of a play${data.unit ? `, ${data.unit}` : ""}`, number: true, value: (row) => row.gap, show: (row) => number(row.gap) },
    { title: "Plays per ln\u00a0T", number: true, falling: true, value: (row) => row.rate, show: (row) => number(row.rate) },
    { title: "Share of C(θ)", kind: "share", number: false, falling: true, value: (row) => row.share, show: (row) => shareBar(row.share, widest) },
  ];
  host.append(...sortableTable(columns, rows, { label: "The plan", kind: "plan stacked", cut: MOST_ROWS }));
  if (plan.more) host.append(tag("p", { class: "note" }, `And ${counted(plan.more, "more decision", "more decisions")}, each played less often.`));
}

function itemsTable(data) {
  const { labels, theta, variance, optimal } = data.items;
  const rows = labels.map((label, i) => ({ label, i }));
  const column = (title, values) => values && { title, number: true, falling: true, value: (row) => values[row.i], show: (row) => number(values[row.i]) };
  const columns = [
    { title: "Item", kind: "name", value: (row) => row.label, show: (row) => row.label },
    optimal && { title: "Optimal", value: (row) => (optimal[row.i] ? 0 : 1), show: (row) => optimal[row.i] && tag("span", { class: "best-mark" }, "◆ yes") },
    column("Mean reward θ", theta),
    column("Variance", variance),
    ...(data.layers || []).filter((layer) => layer.key !== "theta").map((layer) => column(withUnit(layer.label, layer.unit && `(${layer.unit})`), layer.values)),
  ].filter(Boolean);
  return sortableTable(columns, rows, { label: "All items", kind: "items", tall: true });
}
