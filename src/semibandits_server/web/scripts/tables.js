// Tables that are sorted by the buttons in their heads.
//
// A column is { title, head, value: row => number or text to sort by, show: row => children, number: bool, kind, falling }.
// Options are label, kind, caption, tall, cut: rows shown at first, step: how many a button adds (all by default), sorted: a
// column, and key: row => text, for tables whose rows change while they are shown: a row that is equal stays as it is.
const kindOf = (column) => [column.number && "number", column.kind].filter(Boolean).join(" ") || null;

function sortedTable(columns, options = {}) {
  const body = tag("tbody", { role: "rowgroup" });
  // On a phone the styles turn rows into blocks, which removes the semantics of a table; the roles restore it.
  const heads = columns.map((column) => tag("th", { scope: "col", role: "columnheader", class: kindOf(column) },
    column.value ? tag("button", { type: "button", class: "sort", onclick: () => turn(column) }, column.title) : column.title, column.head));
  let rows = [], sorted = null, falling = false, most = options.cut || Infinity;
  const made = new Map();
  const more = tag("button", { type: "button", class: "more-button", hidden: true, onclick: () => { most += options.step || Infinity; list(); } });
  const rowOf = (row) => tag("tr", { role: "row", class: options.rowKind ? options.rowKind(row) : null }, columns.map((column, k) => tag(k === 0 ? "th" : "td", {
    scope: k === 0 ? "row" : null, role: k === 0 ? "rowheader" : "cell", class: kindOf(column),
    "data-title": k === 0 ? null : column.title,
  }, column.show(row))));
  const keptRow = (row) => {
    const key = options.key(row), text = JSON.stringify([row, options.stamp ? options.stamp() : null]);
    const before = made.get(key);
    if (before && before.text === text) return before.element;
    const element = rowOf(row);
    made.set(key, { text, element });
    return element;
  };
  const list = () => {
    const order = sorted ? rows.slice().sort((one, two) => compared(sorted.value(one), sorted.value(two), falling)) : rows;
    fill(body, order.slice(0, most).map(options.key ? keptRow : rowOf));
    const left = order.length - most;
    more.hidden = !(left > 0);
    if (left > 0) more.textContent = left <= (options.step || Infinity) ? `Show all ${number(order.length)}` : `Show ${number(options.step)} more of ${number(order.length)}`;
  };
  const sortBy = (column, downwards) => {
    [sorted, falling] = [column, downwards];
    heads.forEach((head, k) => {
      if (columns[k] === column) head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    list();
  };
  const turn = (column) => sortBy(column, sorted === column ? !falling : Boolean(column.number && column.falling));
  const table = tag("table", { class: options.kind, role: "table", "aria-label": options.label }, options.caption && tag("caption", {}, options.caption),
    tag("thead", { role: "rowgroup" }, tag("tr", { role: "row" }, heads)), body);
  const show = (given) => {
    rows = given;
    list();
  };
  return { parts: [scroller(options.label, table, options.tall ? "scroll tall" : "scroll"), more], show, sortBy };
}

function sortableTable(columns, rows, options = {}) {
  const { parts, show } = sortedTable(columns, options);
  show(rows);
  return parts;
}

// Unknown values come last in both directions.
function compared(one, two, falling) {
  const missing = (value) => value === null || value === undefined || Number.isNaN(value);
  if (missing(one) || missing(two)) return missing(one) - missing(two);
  const order = typeof one === "string" ? one.localeCompare(two, "en", { numeric: true }) : one - two;
  return falling ? -order : order;
}

function shareBar(share, widest) {
  return tag("span", { class: "share-row" },
    tag("span", {}, tag("span", { class: "bar", vars: { width: `${(100 * (share || 0)) / widest}%` } })),
    tag("span", { class: "number" }, percent(share)));
}
