// The decision set: a choice of layers, and the drawing of the chosen layer.
function decisionsSection(data) {
  const items = data.items || {};
  const host = section("drawing");
  if (!host || !(items.labels || []).length) return;
  const layers = (data.layers || []).filter((layer) => layer && layer.values);
  const drawing = layers.length ? data.drawing || { kind: "bars", groups: null } : null;
  if (drawing) {
    const draw = { network: networkDrawing, heatmap: cellsDrawing, bars: barsDrawing }[drawing.kind] || barsDrawing;
    const figure = tag("div", { class: "figure", "data-kind": drawing.kind });
    const title = tag("p", { class: "on-paper" });
    const text = tag("p", { class: "text" });
    const show = (key) => {
      const layer = layers.find((one) => one.key === key) || layers[0];
      title.textContent = layer.label || "";
      text.textContent = kept(layer.text);
      figure.dataset.layer = layer.key;
      draw(figure, { data, drawing, items, layer, scale: layerScale(layer, items) });
    };
    if (layers.length > 1) {
      host.append(tag("div", { class: "controls" },
        choices("Show", layers.map((layer) => [layer.key, layer.label]), layers[0].key, show, "layers")));
    }
    host.append(title, text, figure);
    show(layers[0].key);
  }
  if (items.note) host.append(tag("p", { class: "note" }, items.note));
  const what = items.note ? `These ${number(items.labels.length)}` : `All ${counted(items.labels.length, "item", "items")}`;
  const details = tag("details", {}, tag("summary", {}, `${what} as a table`));
  // Hundreds of rows take time, so they are built when the table is opened.
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(...itemsTable(data));
  });
  host.append(details);
}

function valueText(show, i) {
  const value = show.layer.values[i];
  return known(value) ? withUnit(number(value), show.layer.unit) : "no value";
}

// Description of an item, for the tip and for screen readers.
function wordsOf(show, i) {
  const { items, layer } = show;
  const words = [`${layer.label}: ${valueText(show, i)}`];
  if (layer.key !== "theta" && items.theta && known(items.theta[i])) {
    words.push(withUnit(`Mean reward: ${number(items.theta[i])}`, show.data.unit));
  }
  if (items.optimal && items.optimal[i]) words.push("Part of the optimal decision");
  else if (items.suboptimal && !items.suboptimal[i]) words.push("Part of no decision");
  return words;
}

function spoken(show, i) {
  return [show.items.labels[i], ...wordsOf(show, i)].join(". ");
}

// One tip per figure, beside the element under the pointer or with the focus.
function tipFor(figure) {
  const tip = tag("div", { class: "tip", hidden: true, "aria-hidden": true });
  const hide = () => { tip.hidden = true; };
  figure.onpointerdown = (event) => { if (!event.target.closest("[data-item]")) hide(); };
  const showAt = (show, i, x, y) => {
    tip.replaceChildren(tag("strong", {}, show.items.labels[i]), ...wordsOf(show, i).map((words) => tag("span", {}, words)));
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

const alongList = (key, k) => ({ ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1 }[key] ?? null);

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
