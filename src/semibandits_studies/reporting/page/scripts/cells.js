// A heat map for pairs and bars for items. Both are tables, so that screen readers announce the names of rows and columns.
function cellsDrawing(figure, show) {
  const { drawing, layer, scale: values } = show;
  const at = new Map(drawing.cells.map((cell) => [`${cell.row} ${cell.column}`, cell.item]));
  const box = tipFor(figure);
  const body = tag("tbody", {}), targets = new Map();
  drawing.rows.forEach((name, row) => body.append(tag("tr", {}, tag("th", { scope: "row" }, name),
    drawing.columns.map((_, column) => {
      const item = at.get(`${row} ${column}`);
      if (item === undefined) return tag("td", {}, tag("span", { class: "unseen" }, "no such pair"));
      const step = values.step(item);
      const kind = `some${isBest(show, item) ? " best" : ""}${step === null ? "" : ` v${step}`}`;
      const cell = tag("td", { class: kind, "data-item": item });
      targets.set(`${row} ${column}`, cell);
      return cell;
    }))));
  const head = tag("thead", {}, tag("tr", {}, tag("td", {}), drawing.columns.map((name) =>
    tag("th", { scope: "col" }, tag("span", {}, name)))));
  const table = tag("table", { class: "cells" },
    tag("caption", { class: "unseen" }, `${layer.label}. Arrow keys go from cell to cell.`), head, body);
  fillCells(show, targets, at);
  roamCells(show, targets, at, box, figure);
  const best = tag("span", {}, tag("i", { class: "chip" }), "optimal decision");
  const host = scroller(layer.label, table);
  figure.replaceChildren(host, box.tip, keyOf(show, best, null));
  whenSized(host, (width) => fitCells(table, drawing, targets, width));
}

function fillCells(show, targets, at) {
  for (const [key, cell] of targets) {
    const item = at.get(key), value = show.layer.values[item];
    const best = isBest(show, item);
    fill(cell, tag("span", {}, compact(value)),
      best && tag("span", { class: "unseen" }, " optimal"));
  }
}

// Wide cells show their values; those of narrow cells are left to the tip and to screen readers. Many rows or columns are small.
const MANY = 30;
function fitCells(table, drawing, targets, width) {
  const longestRow = Math.max(0, ...drawing.rows.map((name) => textWidth(name, 13)));
  const names = Math.min(176, width * 0.34, longestRow + 14);
  const dense = Math.max(drawing.rows.length, drawing.columns.length) > MANY;
  const room = (width - names - 4) / Math.max(1, drawing.columns.length) - (dense ? 1 : 2);
  const widest = Math.max(0, ...Array.from(targets.values(), (cell) => textWidth(cell.firstChild.textContent, 13)));
  const fits = !dense && room >= widest + 6;
  const cell = dense ? Math.max(12, Math.min(22, room)) : Math.max(20, Math.min(112, fits ? room : Math.max(room, 22)));
  table.classList.toggle("dense", dense);
  table.style.setProperty("--names", `${names.toFixed(1)}px`);
  table.style.setProperty("--cell", `${cell.toFixed(1)}px`);
  const longest = Math.max(0, ...drawing.columns.flatMap((name) => name.split(/\s/)).map((word) => textWidth(word, 13)));
  table.classList.toggle("narrow", longest > cell - 6);
  for (const one of targets.values()) one.firstChild.className = fits ? "" : "unseen";
}

function roamCells(show, targets, at, box, figure) {
  const keys = Array.from(targets.keys()), elements = Array.from(targets.values());
  const number = new Map(keys.map((key, k) => [key, k]));
  const { rows, columns } = show.drawing;
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  rove(elements, (key, k) => {
    if (!steps[key]) return null;
    let [row, column] = keys[k].split(" ").map(Number);
    // Skip pairs that do not exist.
    do {
      row += steps[key][0];
      column += steps[key][1];
    } while (row >= 0 && column >= 0 && row < rows.length && column < columns.length && !number.has(`${row} ${column}`));
    return number.get(`${row} ${column}`) ?? k;
  });
  elements.forEach((cell, k) => {
    const open = () => {
      const place = cell.getBoundingClientRect(), edge = figure.getBoundingClientRect();
      box.showAt(show, at.get(keys[k]), place.left - edge.left + place.width / 2, place.top - edge.top);
    };
    openOn(cell, open, box.hide);
  });
}

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
