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
      const shown = { data, drawing, items, layer, scale: layerScale(layer, items), words: (i) => wordsOf(shown, i) };
      draw(figure, shown);
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

const alongList = (key, k) => ({ ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1 }[key] ?? null);
