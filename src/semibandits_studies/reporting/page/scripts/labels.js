// Names of nodes: in order of importance, each takes its best free position; names without a free position are left out.
const PLACES = [[1, 0], [-1, 0], [0, -1], [0, 1], [0.8, -0.8], [0.8, 0.8], [-0.8, -0.8], [-0.8, 0.8]];

function touches(one, two) {
  return one.x < two.x + two.w && two.x < one.x + one.w && one.y < two.y + two.h && two.y < one.y + one.h;
}

function boxAt(node, [dx, dy], w, h) {
  const gap = node.radius + 4;
  const side = (direction) => (Math.abs(direction) < 0.5 ? 0 : Math.sign(direction));
  const cx = node.x + dx * gap + (side(dx) * w) / 2;
  const cy = node.y + dy * gap + (side(dy) * h) / 2;
  return { x: cx - w / 2, y: cy - h / 2, w, h };
}

// Length of a segment inside a box: the part of a link that a name covers (Liang and Barsky's clipping).
function covered([x1, y1, x2, y2], box) {
  let enter = 0, leave = 1;
  for (const [start, step, low, high] of [[x1, x2 - x1, box.x, box.x + box.w], [y1, y2 - y1, box.y, box.y + box.h]]) {
    if (step === 0) {
      if (start < low || start > high) return 0;
    } else {
      const one = (low - start) / step, two = (high - start) / step;
      enter = Math.max(enter, Math.min(one, two));
      leave = Math.min(leave, Math.max(one, two));
    }
  }
  return Math.max(0, leave - enter) * Math.hypot(x2 - x1, y2 - y1);
}

// nodes: { x, y, radius, name, size, weight, needed, rank }; pieces: segments of links with the cost of covering them.
function placeNames(nodes, pieces, width, height) {
  const taken = [], placed = [];
  const dots = nodes.map((node) => ({ x: node.x - node.radius, y: node.y - node.radius, w: 2 * node.radius, h: 2 * node.radius }));
  const order = nodes.map((_, v) => v).filter((v) => nodes[v].name).sort((one, two) => nodes[two].rank - nodes[one].rank);
  for (const v of order) {
    const node = nodes[v];
    const text = shortened(node.name, node.size, 150, node.weight);
    const w = textWidth(text, node.size, node.weight) + 2, h = node.size * 1.15;
    let best = null;
    PLACES.forEach((place, k) => {
      const box = boxAt(node, place, w, h);
      if (node.needed) {
        box.x = Math.max(0, Math.min(width - w, box.x));
        box.y = Math.max(0, Math.min(height - h, box.y));
      }
      const outside = box.x < 0 || box.y < 0 || box.x + box.w > width || box.y + box.h > height;
      const blocked = taken.some((other) => touches(box, other));
      if (!node.needed && (outside || blocked)) return;
      let cost = 0.12 * k + (outside ? 40 : 0) + (blocked ? 20 : 0);
      dots.forEach((dot, u) => { if (touches(box, dot)) cost += u === v ? 12 : 2.5; });
      for (const piece of pieces) cost += (piece.cost * covered(piece.line, box)) / h;
      if (best === null || cost < best.cost) best = { box, cost };
    });
    // A name across several links is harder to read than no name.
    if (best === null || (!node.needed && best.cost > 7)) continue;
    taken.push(best.box);
    placed.push({ v, text, x: best.box.x + 1, y: best.box.y + h * 0.8 });
  }
  return placed;
}
