// Tips and keys of drawings, and heat maps of pairs. These are tables, so that screen readers announce the names of rows and columns.
const isBest = (show, i) => Boolean(show.items.optimal && show.items.optimal[i]);

// One tip per figure, beside the element under the pointer or with the focus.
function tipFor(figure) {
  const tip = tag("div", { class: "tip", hidden: true, "aria-hidden": true });
  const hide = () => { tip.hidden = true; };
  figure.onpointerdown = (event) => { if (!event.target.closest("[data-item]")) hide(); };
  const showAt = (show, i, x, y) => {
    tip.replaceChildren(tag("strong", {}, show.items.labels[i]), ...show.words(i).map((words) => tag("span", {}, words)));
    tip.hidden = false;
    const room = figure.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(room, x - tip.offsetWidth / 2))}px`;
    const above = y - tip.offsetHeight - 14;
    tip.style.top = `${above > -20 ? above : y + 18}px`;
  };
  return { tip, hide, showAt };
}

// Lifting a finger also ends in pointerleave: the tip then stays until another place is touched.
function openOn(element, open, hide) {
  for (const event of ["pointerenter", "pointerdown", "focus"]) element.addEventListener(event, open);
  element.addEventListener("blur", hide);
  element.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && hide());
}

// One Tab stop for many elements: arrow keys go from one to the next.
function rove(elements, step) {
  elements.forEach((element, k) => element.setAttribute("tabindex", k === 0 ? 0 : -1));
  const go = (from, to) => {
    if (to === null || !elements[to] || to === from) return;
    elements[from].setAttribute("tabindex", -1);
    elements[to].setAttribute("tabindex", 0);
    elements[to].focus();
  };
  elements.forEach((element, k) => element.addEventListener("keydown", (event) => {
    const last = elements.length - 1;
    const to = event.key === "Home" ? 0 : event.key === "End" ? last : step(event.key, k, last);
    if (to === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(k, Math.max(0, Math.min(last, to)));
  }));
}

function keyOf(show, best, rest) {
  const { scale: values, layer, items } = show;
  const low = number(values.low, 3), high = withUnit(number(values.high, 3), layer.unit);
  const parts = [];
  if (values.any) {
    parts.push(tag("span", { class: "scale" }, tag("span", { class: "low" }, low), tag("span", { class: "ramp", "aria-hidden": true },
      Array.from({ length: STEPS }, (_, k) => tag("i", { class: `v${k}` }))), tag("span", {}, high + (values.log ? " (logarithmic)" : ""))));
  }
  if (items.optimal && items.optimal.some(Boolean)) parts.push(best);
  if (rest) parts.push(rest);
  return tag("div", { class: "key" }, parts);
}

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
  const best = tag("span", {}, tag("i", { class: "chip" }), show.best || "optimal decision");
  const host = scroller(layer.label, table);
  figure.replaceChildren(host, box.tip, keyOf(show, best, show.rest || null));
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
