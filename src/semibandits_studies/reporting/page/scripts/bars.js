// Bars for items, a table, so that screen readers announce the names of its rows.
const MOST_BARS = 24;
function barsDrawing(figure, show) {
  const { items, layer, drawing } = show;
  const value = (i) => (known(layer.values[i]) ? layer.values[i] : -Infinity);
  // The plan does not explore items of the optimal decision; they come first, for comparison.
  const first = (i) => (layer.key === "plan" && isBest(show, i) ? 1 : 0);
  const order = items.labels.map((_, i) => i).sort((one, two) => first(two) - first(one) || value(two) - value(one) || one - two);
  const lane = laneScale(layer.values, layer.key !== "theta");
  const body = tag("tbody", {});
  const list = (count) => fill(body, order.slice(0, count).map((i) => barRow(show, i, lane)));
  list(MOST_BARS);
  const table = tag("table", { class: "bars" }, tag("caption", { class: "unseen" }, layer.label),
    tag("colgroup", {}, tag("col", { class: "what" }), tag("col", {}), tag("col", { class: "how-much" })),
    tag("thead", {}, tag("tr", {}, tag("th", { scope: "col" }, tag("span", { class: "unseen" }, "Item")),
      tag("th", { scope: "col", class: "lane" }, tag("span", { class: "unseen" }, layer.label), laneAxis(lane)),
      tag("th", { scope: "col", class: "how-much" }, layer.unit ? kept(layer.unit) : tag("span", { class: "unseen" }, "Value")))), body);
  const more = order.length > MOST_BARS && tag("button", {
    type: "button", class: "more-button", onclick: () => { list(order.length); more.remove(); },
  }, `Show all ${number(order.length)}`);
  const best = tag("span", {}, tag("span", { class: "diamond", "aria-hidden": true }, "◆"), "part of the optimal decision");
  const parts = [lane.log ? "logarithmic scale" : null, drawing.groups && drawing.group_name ? `in grey: ${drawing.group_name}` : null].filter(Boolean);
  const words = parts.join(", ");
  const key = tag("div", { class: "key" }, words && tag("span", {}, words.charAt(0).toUpperCase() + words.slice(1)), items.optimal && best);
  fill(figure, key, table, more);
}

function barRow(show, i, lane) {
  const { items, layer, drawing } = show;
  const value = layer.values[i], best = isBest(show, i);
  return tag("tr", { class: best ? "best" : null, "data-item": i },
    tag("th", { scope: "row", class: "what" }, best && tag("span", { class: "best-mark", "aria-hidden": true }, "◆ "), items.labels[i],
      best && tag("span", { class: "unseen" }, " (optimal)"), fine(drawing.groups && drawing.groups[i])),
    tag("td", { class: "lane" }, gridOf(lane), barOf(lane, value)),
    tag("td", { class: "how-much" }, known(value) ? number(value) : MISSING));
}
