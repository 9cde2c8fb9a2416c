// Looks of curves: colours (in the styles), dashes and markers, in the same order as in the figures.
const DASHES = [null, "10 3", "9 3 2 3", "2 3.2"];
const MARKS = [
  "M-3.6 0A3.6 3.6 0 1 0 3.6 0A3.6 3.6 0 1 0-3.6 0Z",
  "M-3.2-3.2H3.2V3.2H-3.2Z",
  "M0-4.2L4 3.2H-4Z",
  "M0-4.5L4.5 0L0 4.5L-4.5 0Z",
  "M0 4.2L4-3.2H-4Z",
  "M-1.5-4.2H1.5V-1.5H4.2V1.5H1.5V4.2H-1.5V1.5H-4.2V-1.5H-1.5Z",
  "M-3.9-2L-2-3.9L0-1.9L2-3.9L3.9-2L1.9 0L3.9 2L2 3.9L0 1.9L-2 3.9L-3.9 2L-1.9 0Z",
  "M-4.2 0L3.2-4V4Z",
  "M0-4.3L4.1-1.3L2.5 3.5H-2.5L-4.1-1.3Z",
  "M4.2 0L-3.2-4V4Z",
];
const look = (k) => ({ kind: `is${k % 10}`, dash: DASHES[k % 4], mark: MARKS[k % 10] });

function sampleOf(k) {
  const { kind, dash, mark } = look(k);
  return shape("svg", { class: `sample ${kind}`, viewBox: "0 0 30 14", "aria-hidden": true },
    shape("path", { class: "curve", d: "M1 7H29", "stroke-dasharray": dash }),
    shape("path", { class: "mark", d: mark, transform: "translate(15 7)" }));
}

function sampleOfBound() {
  return shape("svg", { class: "sample isbound", viewBox: "0 0 30 14", "aria-hidden": true },
    shape("path", { class: "bound-line", d: "M1 7H29" }));
}
