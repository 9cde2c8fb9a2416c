// Requests to the service that this page came from. The token stays in this tab.
const TOKEN_KEY = "semibandits-token";
const PATIENCE = 20_000;
let unsaved = null;

function tokenNow() {
  try {
    return window.sessionStorage.getItem(TOKEN_KEY) || unsaved;
  } catch {
    return unsaved; // browsers may forbid storage
  }
}

function keepToken(token) {
  unsaved = token;
  try {
    if (token === null) window.sessionStorage.removeItem(TOKEN_KEY);
    else window.sessionStorage.setItem(TOKEN_KEY, token);
  } catch { /* it is kept in memory */ }
}

// A request without an answer has no status.
class Trouble extends Error {
  constructor(message, status = null, seconds = 0) {
    super(message);
    Object.assign(this, { status, seconds });
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function read(path) {
  const headers = { Accept: "application/json" }, token = tokenNow();
  if (token) headers.Authorization = `Bearer ${token}`;
  let response, text;
  try {
    response = await fetch(path, { headers, cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    text = await response.text();
  } catch {
    throw new Trouble("The service does not answer");
  }
  const content = parsed(text);
  if (response.ok && content !== null) return content;
  const said = content && content.error && content.error.message;
  throw new Trouble(said || `The answer is no JSON and has the status ${response.status}`, response.status, Number(response.headers.get("Retry-After")) || 0);
}
