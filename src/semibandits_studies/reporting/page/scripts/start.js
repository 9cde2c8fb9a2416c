// Copy buttons, and the entry point.
function copyButtons() {
  for (const figure of document.querySelectorAll("figure.code")) {
    const code = figure.querySelector("code");
    const button = tag("button", { type: "button", "aria-label": `Copy: ${figure.querySelector("figcaption").textContent}` }, "Copy");
    button.addEventListener("click", async () => {
      if (await copied(code)) {
        button.textContent = "Copied";
        say("Copied");
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      }
    });
    figure.querySelector("figcaption").append(button);
  }
}

// A page opened from a disk may have no clipboard: use the older command, or leave the text selected for Ctrl+C.
async function copied(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    const selection = window.getSelection(), range = document.createRange();
    range.selectNodeContents(code);
    selection.removeAllRanges();
    selection.addRange(range);
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    }
  }
}

function start() {
  const data = JSON.parse(section("data").textContent);
  for (const empty of document.querySelectorAll(".scripted")) empty.hidden = false;
  data.unit = data.unit || "";
  data.items = data.items || {};
  for (const part of [regretSection, policiesTable, decisionsSection, planTable]) part(data);
  copyButtons();
}

start();
