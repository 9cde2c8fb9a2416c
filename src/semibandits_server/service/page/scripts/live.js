// Which learner is shown, when it is read, and the entry point.
const PERIOD = 3, SLOWEST = 60, LIST_PERIOD = 30, REST_PERIOD = 15; // seconds
const OLDEST_SHOWN = 20;

const state = { name: null, board: null, names: [], paused: false, failures: 0, timer: 0, busy: false, listedAt: -Infinity, updated: null, compiling: false, compilationAt: -Infinity };
const nowSeconds = () => performance.now() / 1000;
const clock = (date) => date.toLocaleTimeString("en-GB");

// The sections of one learner; `take` shows what was read.
function boardOf(summary) {
  const sections = ["estimates", "exploration", "waiting", "drift", "about"].map((id) => section(id));
  for (const one of sections) fill(one, one.firstElementChild);
  const cards = cardsOf();
  fill(section("answers"), section("answers-title"), ...cards.elements);
  const [estimates, exploration, waiting, drift, about] = sections;
  const parts = {
    estimates: estimatesSection(estimates, summary), exploration: explorationSection(exploration, summary),
    waiting: waitingSection(waiting, summary), drift: driftSection(drift), about: aboutSection(about),
  };
  let read = null;
  const take = (now, rest, sure) => {
    read = rest || read;
    cards.show(now, read.bound, sure);
    parts.waiting(now, read.open, read.estimates);
    parts.drift(now);
    parts.about(now);
    if (!rest) return;
    parts.estimates(rest.estimates);
    parts.exploration(rest.bound, now.rounds);
  };
  return { name: summary.name, isCost: summary.best.is_cost, calls: -1, restAt: -Infinity, sure: { calls: -1, at: -Infinity, wait: 0 }, take };
}

async function readLearners() {
  if (nowSeconds() - state.listedAt < LIST_PERIOD && state.names.length) return;
  const { learners } = await read("/v1/learners");
  state.listedAt = nowSeconds();
  const names = learners.map((learner) => learner.name);
  if (names.join("\n") !== state.names.join("\n")) {
    state.names = names;
    fill(section("learner"), names.map((name) => tag("option", { value: name }, name)));
  }
  if (!names.includes(state.name)) state.name = names[0] ?? null;
  section("learner").value = state.name;
  section("chooser").hidden = names.length < 2;
}

// A remark while kernels are compiled. It is no part of what is shown of the learner, so that an error only leaves it out.
async function readCompilation() {
  if (!state.compiling && nowSeconds() - state.compilationAt < LIST_PERIOD) return;
  const { status, kernels } = await read("/v1/compilation").catch(() => ({ status: "unknown" }));
  state.compilationAt = nowSeconds();
  state.compiling = status === "compiling" || status === "waiting";
  put(section("compilation"), state.compiling ? `Compiling kernels in the background, ${number(kernels)} so far` : "");
}

async function readLearner() {
  const name = state.name, base = `/v1/learners/${encodeURIComponent(name)}`;
  const summary = await read(base);
  if (state.name !== name) return;
  if (!state.board || state.board.name !== name || state.board.isCost !== summary.best.is_cost) state.board = boardOf(summary);
  const board = state.board, now = nowSeconds();
  let rest = null;
  if (summary.calls !== board.calls || now - board.restAt > (board.solving ? PERIOD : REST_PERIOD) - 0.5) {
    const [estimates, bound, open] = await Promise.all([
      read(`${base}/estimates`), read(`${base}/bound`).catch(noBound), read(`${base}/rounds?limit=${OLDEST_SHOWN}`),
    ]);
    if (state.board !== board || state.name !== name) return;
    rest = { estimates, bound, open };
    Object.assign(board, { calls: summary.calls, restAt: now, solving: bound.status === "solving" });
  }
  await readConfidence(board, base, summary);
  if (state.board !== board || state.name !== name) return;
  put(section("title"), summary.name);
  document.title = `${summary.name}: learner`;
  put(section("subtitle"), subtitleOf(summary));
  board.take(summary, rest, board.sure);
}

// How sure the best decision is. On large sets it takes the service a while: it is read after calls only, every 15 seconds at most, and in a twentieth of the time.
async function readConfidence(board, base, { calls, half_life: halfLife, best }) {
  const at = nowSeconds();
  if (halfLife !== null || calls === board.sure.calls || at - board.sure.at < board.sure.wait) return;
  const { confidence } = await read(`${base}/confidence`).catch((trouble) => ({ ...noBound(trouble), confidence: null }));
  board.sure = { calls, at, wait: Math.max(REST_PERIOD - 0.5, 20 * (nowSeconds() - at)), text: best.text, confidence };
}

function subtitleOf({ nouns, items, largest_decision: m, policy }) {
  return `${capital(nouns.decisions)} of at most ${number(m)} of ${counted(items, nouns.item, nouns.items)}, chosen by ${policy.split("(")[0]}`;
}

// A bound that cannot be computed is no reason to show nothing else.
function noBound(trouble) {
  if (trouble.status === null || trouble.status === 401 || trouble.status === 429 || trouble.status >= 500) throw trouble;
  return { status: "failed", at_rounds: 0, value: null, lower: null, gap: null, items: [], message: trouble.message };
}

function showOnly(id) {
  for (const one of ["token-form", "message", "board"]) section(one).hidden = one !== id;
  section("sections").hidden = id !== "board";
  section("pause").hidden = id === "token-form";
}

function showMessage(title, ...text) {
  put(section("message-title"), title);
  fill(section("message-text"), ...text);
  showOnly("message");
}

function setState(kind, text) {
  section("state").dataset.state = kind;
  put(section("state-text"), text);
}

async function cycle() {
  if (state.busy) return;
  window.clearTimeout(state.timer);
  Object.assign(state, { busy: true, timer: 0 });
  let wait = PERIOD;
  try {
    await readLearners();
    await readCompilation();
    if (state.name === null) {
      showMessage("No learner yet", tag("p", { class: "lead" }, "The database of this service is empty. This page shows the first learner as soon as there is one. To create one, see:"),
        tag("pre", { tabindex: 0, "aria-label": "Command" }, tag("code", {}, "semibandits learner create --help")));
    } else {
      await readLearner();
      if (section("board").hidden && state.board) showOnly("board");
    }
    if (state.failures > 1) say("Connected again");
    state.failures = 0;
    state.updated = new Date();
    section("now").hidden = true;
    setState("live", `${state.paused ? "Paused" : "Live"}, as of ${clock(state.updated)}`);
  } catch (error) {
    wait = failed(error);
  } finally {
    state.busy = false;
  }
  plan(wait);
}

// What to show after a request failed; the seconds until the next one, or null if it waits for the reader.
function failed(error) {
  if (!(error instanceof Trouble)) {
    setState("lost", "The service answered something that this page cannot show: reload it");
    throw error;
  }
  if (error.status === 401) {
    askForToken(tokenNow() === null ? "" : "The service does not know this token.");
    return null;
  }
  if (error.status === 404 && state.name !== null) return withoutLearner(error);
  state.failures += 1;
  const wait = Math.max(error.seconds, Math.min(SLOWEST, PERIOD * 2 ** (state.failures - 1)));
  const lost = error.status === null;
  if (state.failures === 2) say(lost ? "Connection lost" : error.message);
  const since = state.updated ? `, as of ${clock(state.updated)}` : "";
  setState("lost", `${lost ? "Connection lost" : "The service reports an error"}${since}. Next attempt in ${number(Math.round(wait))} s`);
  if (section("board").hidden) showMessage(lost ? "The service does not answer" : "The service reports an error", tag("p", { class: "lead" }, lost ? "Is it running? This page tries again by itself." : `${capital(error.message)}.`));
  section("now").hidden = false;
  return wait;
}

// The learner is gone, or was never there: show another one, unless the list contains it.
function withoutLearner(error) {
  const listed = nowSeconds() - state.listedAt < PERIOD;
  Object.assign(state, { board: null, listedAt: -Infinity });
  if (listed) {
    setState("lost", "Not shown");
    showMessage("This learner cannot be shown", tag("p", { class: "lead" }, `${capital(error.message)}.`));
    return SLOWEST;
  }
  state.name = null;
  return 0;
}

function plan(wait) {
  window.clearTimeout(state.timer);
  state.timer = 0;
  if (wait === null || state.paused || document.visibilityState === "hidden") return;
  state.timer = window.setTimeout(cycle, 1000 * wait);
}

function askForToken(trouble) {
  keepToken(null);
  showOnly("token-form");
  setState("waiting", "Not connected");
  section("now").hidden = true;
  put(section("token-error"), trouble);
  section("token").setAttribute("aria-invalid", trouble !== "");
  section("token").focus();
}

function takeToken(event) {
  event.preventDefault();
  const token = section("token").value.trim();
  section("token").value = "";
  if (!/^[!-~]+$/.test(token)) {
    askForToken("A token consists of letters, digits and signs, without spaces.");
    return;
  }
  keepToken(token);
  setState("waiting", "Connecting …");
  cycle();
}

function choose() {
  Object.assign(state, { name: section("learner").value, board: null, failures: 0 });
  const address = new URL(window.location.href);
  address.searchParams.set("learner", state.name);
  window.history.replaceState(null, "", address);
  setState("waiting", "Loading …");
  state.busy = false;
  cycle();
}

function pauseOrGoOn() {
  state.paused = !state.paused;
  section("pause").setAttribute("aria-pressed", state.paused);
  window.clearTimeout(state.timer);
  if (!state.paused) cycle();
  else if (state.updated) setState("paused", `Paused, as of ${clock(state.updated)}`);
}

function start() {
  state.name = new URL(window.location.href).searchParams.get("learner");
  section("token-form").addEventListener("submit", takeToken);
  section("learner").addEventListener("change", choose);
  section("pause").addEventListener("click", pauseOrGoOn);
  section("now").addEventListener("click", cycle);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !state.paused && section("token-form").hidden) cycle();
    else window.clearTimeout(state.timer);
  });
  showMessage("Loading …", tag("p", { class: "lead" }, "Reading the learners of this service."));
  cycle();
}

start();
