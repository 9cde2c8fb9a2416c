// Geometry of links: straight, bowed apart if several join the same two nodes, a loop if both ends are the same node.
const BOW = 0.13;

function geometryOf(edges, places) {
  const key = ({ tail, head }) => (tail < head ? `${tail} ${head}` : `${head} ${tail}`);
  const total = new Map();
  for (const edge of edges) total.set(key(edge), (total.get(key(edge)) || 0) + 1);
  return edges.map((edge) => {
    if (edge.tail === edge.head) return loopAt(places[edge.tail], edge.parallel);
    const bend = BOW * (edge.parallel - (total.get(key(edge)) - 1) / 2);
    // Both directions measure the bow from the same end, so that opposite links do not overlap.
    return bowBetween(places[edge.tail], places[edge.head], edge.tail < edge.head ? bend : -bend);
  });
}

function bowBetween(from, to, bend) {
  const middle = [
    (from[0] + to[0]) / 2 + 2 * bend * (from[1] - to[1]),
    (from[1] + to[1]) / 2 + 2 * bend * (to[0] - from[0]),
  ];
  const at = (t) => [0, 1].map((c) => (1 - t) ** 2 * from[c] + 2 * t * (1 - t) * middle[c] + t * t * to[c]);
  const d = bend === 0
    ? `M${spot(from)}L${spot(to)}`
    : `M${spot(from)}Q${spot(middle)} ${spot(to)}`;
  const points = bend === 0 ? [from, to] : [0, 0.25, 0.5, 0.75, 1].map(at);
  return { d, points, at, length: Math.hypot(to[0] - from[0], to[1] - from[1]) };
}

function loopAt([x, y], number) {
  const r = 9 + 5 * number;
  const at = (t) => [x + r * Math.sin(2 * Math.PI * t), y - r + r * Math.cos(2 * Math.PI * t)];
  return { d: `M${spot([x, y])}A${r} ${r} 0 1 1 ${spot([x - 0.1, y])}Z`, points: [0, 0.25, 0.5, 0.75, 1].map(at), at, length: 6 * r };
}

function spot(point) {
  return `${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
}

// A triangle a little beyond the middle of a link, pointing along it.
function arrowOn(line, size) {
  const tip = line.at(0.6), before = line.at(0.57);
  const angle = Math.atan2(tip[1] - before[1], tip[0] - before[0]);
  const corner = (turn, far) => spot([tip[0] + far * Math.cos(angle + turn), tip[1] + far * Math.sin(angle + turn)]);
  return `M${corner(0, size)}L${corner(2.5, size)}L${corner(-2.5, size)}Z`;
}
