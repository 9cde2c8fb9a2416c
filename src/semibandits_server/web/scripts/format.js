// Numbers as text: thousands separators, a minus sign (−), significant digits only.
const known = (value) => typeof value === "number" && Number.isFinite(value);
const MISSING = "–";

function grouped(digits) {
  const [whole, part] = digits.split(".");
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? apart : `${apart}.${part}`;
}

function superscript(exponent) {
  const signs = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  return Array.from(String(exponent), (sign) => signs[sign]).join("");
}

function fixed(value, decimals) {
  const text = grouped(Math.abs(value).toFixed(decimals));
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
}

// Decimals that give `digits` significant digits; whole numbers stay whole from there on.
function decimalsFor(value, digits) {
  const rounded = Math.abs(Number(value.toPrecision(digits))); // 0.9996 rounds to 1.000, which has one decimal less than 0.9000
  return rounded === 0 ? 0 : Math.min(20, Math.max(0, digits - 1 - Math.floor(Math.log10(rounded))));
}

function number(value, digits = 4) {
  if (!known(value)) return MISSING;
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return fixed(value, 0);
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e15) {
    const exponent = Math.floor(Math.log10(size));
    const factor = fixed(value / 10 ** exponent, Math.min(2, digits - 1));
    return `${factor} × 10${superscript(exponent)}`;
  }
  return fixed(value, decimalsFor(value, digits));
}

// For narrow cells: 12.3k, 3.20M.
function compact(value) {
  if (!known(value) || Math.abs(value) < 1e4 || Math.abs(value) >= 1e12) return number(value, 3);
  const [factor, letter] = Math.abs(value) < 999_500 ? [1e3, "k"] : Math.abs(value) < 999.5e6 ? [1e6, "M"] : [1e9, "bn"];
  return fixed(value / factor, decimalsFor(value / factor, 3)) + letter;
}

function ratio(value) {
  return known(value) ? `${number(value, 3)} ×` : MISSING;
}

function percent(share) {
  if (!known(share)) return MISSING;
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  return `${fixed(value, value < 9.95 ? 1 : 0)} %`;
}

// Both ends with the decimals of the larger one, so that they are easy to compare.
function interval(ends, digits = 3) {
  if (!ends || !known(ends[0]) || !known(ends[1])) return null;
  const size = Math.max(Math.abs(ends[0]), Math.abs(ends[1]));
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return `${number(ends[0], digits)} to ${number(ends[1], digits)}`;
  const decimals = decimalsFor(size, digits);
  return `${fixed(ends[0], decimals)} to ${fixed(ends[1], decimals)}`;
}

function counted(count, one, several) {
  return `${number(count)} ${count === 1 ? one : several}`;
}

function withUnit(text, unit) {
  return unit ? kept(`${text} ${unit}`) : text;
}

// Keep "ln T" on one line.
function kept(text) {
  return String(text ?? "").replace(/ln T/g, "ln\u00a0T");
}

// A number on an axis, without trailing zeros.
function tickText(value) {
  const text = number(value, 6);
  return text.includes(".") && !text.includes("×") ? text.replace(/\.?0+$/, "") : text;
}

function roundTick(value, narrow) {
  if (value >= 1e6 && value % 1e5 === 0 && value < 1e15) {
    return narrow ? `${number(value / 1e6)}M` : `${number(value / 1e6)} million`;
  }
  return tickText(value);
}
