// Building blocks. Text becomes a text node or an attribute only, so that no data can become markup.
const SVG = "http://www.w3.org/2000/svg";

function furnish(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  node.append(...present(children));
  return node;
}

function present(children) {
  return children.flat(2).filter((child) => child !== null && child !== undefined && child !== false);
}

function fill(node, ...children) {
  node.replaceChildren(...present(children));
}

function tag(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

function shape(name, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, name), attributes, children);
}

function section(id) {
  return document.getElementById(id);
}

function say(text) {
  section("status").textContent = text;
}

// One of several options: radio buttons, which support arrow keys and a group name.
let groups = 0;
function choices(title, options, chosen, change, extra = "") {
  const name = `choice-${groups++}`;
  return tag("fieldset", { class: extra }, tag("legend", {}, title), options.map(([key, label]) =>
    tag("label", { class: "choice" },
      tag("input", { type: "radio", name, value: key, checked: key === chosen, onchange: () => change(key) }),
      tag("span", {}, label))));
}

const fine = (text) => (text ? tag("span", { class: "fine" }, text) : null);

function toggle(label, pressed, change, attributes = {}) {
  const button = tag("button", {
    type: "button", class: "switch", "aria-pressed": pressed, ...attributes,
    onclick: () => {
      const now = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", now);
      change(now);
    },
  }, label);
  return button;
}

// A region that scrolls sideways must be focusable, so that the keyboard can reach its hidden part.
function scroller(label, child, kind = "scroll") {
  return tag("div", { class: kind, role: "region", "aria-label": label, tabindex: 0 }, child);
}

const pen = document.createElement("canvas").getContext("2d");
function textWidth(text, size, weight = 400) {
  if (!pen) return 0.62 * size * text.length;
  pen.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

function shortened(text, size, room, weight = 400) {
  if (textWidth(text, size, weight) <= room) return text;
  const letters = Array.from(text);
  let low = 0, high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(letters.slice(0, middle).join("") + "…", size, weight) <= room) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join("").trimEnd() + "…";
}

// Calls `draw` with the width of the host, now and whenever it changes.
function whenSized(host, draw) {
  let last = 0;
  const redraw = () => {
    const width = Math.floor(host.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      draw(width);
    }
  };
  redraw();
  if ("ResizeObserver" in window) new ResizeObserver(redraw).observe(host);
  else window.addEventListener("resize", redraw);
}
