// Scales from numbers to positions, and the ticks of axes.
function scale(kind, domain, range) {
  const turn = kind === "log" ? Math.log : (value) => value;
  const [low, high] = domain.map(turn);
  const span = high - low || 1;
  return (value) => range[0] + ((turn(value) - low) / span) * (range[1] - range[0]);
}

function niceStep(span, wanted) {
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999);
}

function linearTicks([low, high], wanted) {
  if (!(high > low)) return [low];
  const step = niceStep(high - low, wanted);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

// Powers of ten, and 2 and 5 times these if there are fewer than three.
function logTicks([low, high]) {
  const ticks = (factors) => {
    const found = [];
    for (let k = Math.floor(Math.log10(low)) - 1; k <= Math.ceil(Math.log10(high)); k += 1) {
      for (const factor of factors) {
        const value = Number((factor * 10 ** k).toPrecision(12));
        if (value >= low * (1 - 1e-12) && value <= high * (1 + 1e-12)) found.push(value);
      }
    }
    return found;
  };
  const powers = ticks([1]);
  if (powers.length >= 3) return powers;
  const finer = ticks([1, 2, 5]);
  return finer.length >= 2 ? finer : [low, high];
}

// The heights nearest to the wanted ones that are some distance apart (pools of neighbours that would touch).
function spreadOut(wished, distance, low, high) {
  const pools = [];
  wished.forEach((wish, k) => {
    pools.push({ sum: wish - k * distance, count: 1 });
    while (pools.length > 1) {
      const last = pools[pools.length - 1], before = pools[pools.length - 2];
      if (before.sum / before.count <= last.sum / last.count) break;
      before.sum += last.sum;
      before.count += last.count;
      pools.pop();
    }
  });
  const top = Math.max(low, high - (wished.length - 1) * distance);
  const levels = pools.flatMap((pool) => Array(pool.count).fill(pool.sum / pool.count));
  return levels.map((level, k) => Math.min(top, Math.max(low, level)) + k * distance);
}

// Values of a layer as nine steps of colour and a share of the width. Items of the optimal decision are played in nearly
// every round and would dominate the scale, so they are outside it and have their own colour.
const STEPS = 9;
function layerScale(layer, items) {
  const rewards = layer.key === "theta";
  const values = layer.values || [];
  const inside = (i) => known(values[i]) && (rewards || (!(items.optimal && items.optimal[i]) && values[i] > 0));
  const used = values.filter((_, i) => inside(i));
  const low = used.length ? Math.min(...used) : 0;
  const high = used.length ? Math.max(...used) : 1;
  const log = !rewards && low > 0 && high > 20 * low;
  const start = log || rewards ? low : 0;
  const place = scale(log ? "log" : "linear", [start, high], [0, 1]);
  const share = (i) => (!inside(i) ? null : high > start ? place(values[i]) : 1);
  const step = (i) => {
    const part = share(i);
    return part === null ? null : Math.min(STEPS - 1, Math.floor(part * STEPS));
  };
  return { rewards, log, low: start, high, any: used.length > 0, share, step };
}
