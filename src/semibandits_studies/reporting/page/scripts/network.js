// A network: width and colour of a link show its value; the optimal decision is a double line in its own colour.
const DENSE = 220;

function networkDrawing(figure, show) {
  const board = tag("div", { role: "group", "aria-label": `Network: ${show.layer.label}. Arrow keys go from link to link, the highest value first.` });
  const box = tipFor(figure);
  const best = tag("span", {}, tag("i", { class: "chip" }), "optimal decision");
  const rest = tag("span", {}, tag("i", { class: "chip rest" }), show.scale.rewards ? "no value" : "not played");
  const some = show.drawing.edges.some((edge) => show.scale.share(edge.item) === null && !isBest(show, edge.item));
  figure.replaceChildren(board, box.tip, keyOf(show, best, some && rest));
  whenSized(board, (width) => {
    board.replaceChildren(networkPicture(show, width, box));
  });
}

// Maps the unit square of the payload to the page. Maps keep their proportions; other drawings may stretch on a tall phone.
function boardOf(drawing, width) {
  const pad = width < 480 ? 18 : 64;
  const aspect = Math.min(8, Math.max(0.2, known(drawing.aspect) ? drawing.aspect : 1.4));
  let w = width - 2 * pad, h = w / aspect;
  const highest = Math.max(360, Math.min(700, width * 1.25));
  if (!drawing.geographic) h = Math.max(h, Math.min(320, width));
  if (h > highest) {
    if (drawing.geographic) w *= highest / h;
    h = highest;
  }
  const left = (width - w) / 2;
  return { w, h, height: Math.round(h + 2 * pad), place: ({ x, y }) => [left + x * w, pad + y * h] };
}

function networkPicture(show, width, box) {
  const { drawing } = show;
  const board = boardOf(drawing, width);
  const places = drawing.nodes.map(board.place);
  const lines = geometryOf(drawing.edges, places);
  const thin = drawing.edges.length > DENSE ? Math.max(0.45, Math.sqrt(DENSE / drawing.edges.length)) : 1;
  const look = { thin: width < 480 ? thin * 0.8 : thin, dense: thin < 1 };
  const picture = shape("svg", { viewBox: `0 0 ${width} ${board.height}`, width, height: board.height });
  if ((drawing.borders || []).length) picture.append(landOf(drawing.borders, board));
  if ((drawing.backdrop || []).length) picture.append(backdropOf(drawing.backdrop, board));
  picture.append(linksOf(show, lines, look), nodesOf(show, places, look),
    namesOf(show, places, lines, width, board.height, look), targetsOf(show, lines, width, box));
  return picture;
}

// Borders and streets may extend beyond the square of the nodes; the picture cuts them off.
function landOf(borders, board) {
  const line = (ring) => ring.map(([x, y], k) => `${k ? "L" : "M"}${spot(board.place({ x, y }))}`).join("");
  return shape("path", { class: "land", d: borders.map(line).join("") });
}

// Links that are not shown themselves: one path, for orientation.
function backdropOf(lines, board) {
  const line = ([x, y, u, v]) => `M${spot(board.place({ x, y }))}L${spot(board.place({ x: u, y: v }))}`;
  return shape("path", { class: "backdrop", d: lines.map(line).join("") });
}

function linksOf(show, lines, look) {
  const { drawing, scale: values } = show;
  const rest = shape("g"), best = shape("g"), valued = shape("g");
  const order = drawing.edges.map((edge, k) => ({ k, i: edge.item, share: values.share(edge.item) }))
    .sort((one, two) => (one.share ?? -1) - (two.share ?? -1));
  for (const { k, i, share } of order) {
    const { d, length } = lines[k];
    const pointed = drawing.directed && length > 16;
    const put = (group, kind, stroke) => group.append(shape("path", { class: `link ${kind}`, d, "stroke-width": stroke.toFixed(2) }));
    const step = share === null ? null : `v${values.step(i)}`;
    if (isBest(show, i)) {
      put(best, "best", 7.5 * look.thin);
      put(best, step || "core", 3 * look.thin);
      if (pointed) best.append(shape("path", { class: "arrow best", d: arrowOn(lines[k], 7.5 * look.thin) }));
    } else if (step !== null) {
      // Among hundreds of links, those of small value are faint, so that the others are visible.
      const stroke = look.dense ? (0.5 + 5 * share ** 2) * look.thin : (1.4 + 4.4 * share) * look.thin;
      put(valued, step, stroke);
      if (look.dense) valued.lastChild.setAttribute("stroke-opacity", (0.3 + 0.7 * share).toFixed(2));
      if (pointed && (!look.dense || share > 0.5)) valued.append(shape("path", { class: `arrow ${step}`, d: arrowOn(lines[k], 3.4 + 1.1 * stroke) }));
    } else {
      put(rest, "rest", 1.2 * look.thin);
      if (pointed && !look.dense) rest.append(shape("path", { class: "arrow rest", d: arrowOn(lines[k], 4) }));
    }
  }
  return shape("g", { "aria-hidden": true }, rest, look.dense ? [valued, best] : [best, valued]);
}

function nodesOf(show, places, look) {
  const group = shape("g", { "aria-hidden": true });
  const streets = (show.drawing.backdrop || []).length > 0; // crossings need no dots
  show.drawing.nodes.forEach((node, v) => {
    if (streets && !node.end) return;
    const r = node.end ? 6.5 : look.dense ? 2 : 3.3;
    group.append(shape("circle", { class: node.end ? "node end" : "node", cx: places[v][0].toFixed(1), cy: places[v][1].toFixed(1), r },
      node.end && shape("title", {}, `${node.name}: ${node.end}`)));
  });
  return group;
}

function namesOf(show, places, lines, width, height, look) {
  const { drawing, scale: values } = show;
  const rank = drawing.nodes.map((node) => (node.end ? 100 : 0));
  const pieces = [];
  drawing.edges.forEach((edge, k) => {
    const best = isBest(show, edge.item), share = values.share(edge.item);
    for (const v of [edge.tail, edge.head]) rank[v] += best ? 3 : share === null ? 0.02 : share;
    const cost = best ? 3 : share === null ? 0.1 : 0.5 + share;
    lines[k].points.slice(1).forEach((point, j) => pieces.push({ line: [...lines[k].points[j], ...point], cost }));
  });
  const nodes = drawing.nodes.map((node, v) => ({
    x: places[v][0], y: places[v][1], radius: node.end ? 6.5 : look.dense ? 2 : 3.3, name: node.name, needed: Boolean(node.end),
    size: node.end ? 13.5 : 11.5, weight: node.end ? 700 : 400, rank: rank[v],
  }));
  return shape("g", { "aria-hidden": true }, placeNames(nodes, pieces, width, height).map((name) =>
    shape("text", { class: nodes[name.v].needed ? "place end" : "place", x: name.x.toFixed(1), y: name.y.toFixed(1) }, name.text)));
}

// Wide invisible lines over the links receive the pointer, touches and the focus.
function targetsOf(show, lines, width, box) {
  const { drawing, layer } = show;
  const value = (edge) => layer.values[edge.item] ?? -Infinity;
  const order = drawing.edges.map((_, k) => k).sort((one, two) => value(drawing.edges[two]) - value(drawing.edges[one]));
  const targets = order.map((k) => {
    const { item } = drawing.edges[k];
    const [x, y] = lines[k].at(0.5);
    const target = shape("path", { class: "hit", d: lines[k].d, "stroke-width": 14, role: "img", "aria-label": spoken(show, item), "data-item": item });
    const open = () => box.showAt(show, item, x, y);
    openOn(target, open, box.hide);
    return target;
  });
  rove(targets, alongList);
  // Links of high value come last in the picture, so that they are on top where links cross.
  return shape("g", {}, targets.slice().reverse());
}
