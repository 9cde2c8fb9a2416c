"""What every page must satisfy: contrast of text, and names of controls."""

# Text is compared with what lies under it: the nearest ancestor that is painted.
CONTRASTS = """() => {
  const channels = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const under = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const paint = channels(getComputedStyle(at).backgroundColor);
      if (paint.length === 3 || paint[3] > 0) return paint;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest(".unseen, script, noscript, .skip") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element), drawn = element instanceof SVGElement;
    const one = light(channels(drawn ? style.fill : style.color)), two = light(under(element));
    found.push([(Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05), element.outerHTML.slice(0, 120)]);
  }
  return found;
}"""


def watch(page, origins, *, console=False):
    """A list to which errors in a page are added, and addresses of its requests that do not begin with one of the origins."""
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: request.url.startswith(origins) or wrong.append(request.url))
    if console:
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    return wrong


def nameless_controls(page):
    """Whatever takes the focus and has no name in the tree that browsers hand to screen readers."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    assert len(nodes) > 10
    found = []
    for node in nodes:
        role, name = (str(node.get(key, {}).get("value", "")).strip() for key in ("role", "name"))
        focusable = any(p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", []))
        if focusable and not node["ignored"] and role not in ("RootWebArea", "main") and not name:
            found.append(role)
    return found
