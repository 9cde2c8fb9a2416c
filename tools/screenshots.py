"""Pictures for the README and docs, written to docs/figures: reports, the live page, figures, and commands in a terminal.

Usage: python tools/screenshots.py

It needs Chromium, as the tests of the report do. Nothing is loaded over a network.
"""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from images import write_small_png
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

import semibandits as sb

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures"
STUDY = ROOT / "examples" / "germany50.toml"
SHORTLIST = ROOT / "examples" / "articles.toml"
CITY = "la-serena-routing"
LIVE = "germany50-routing"
LIVE_ROUNDS = 20_000
LIVE_OPEN = 12
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--font-render-hinting=none",
)  # fmt: skip

LAPTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
TALL = {"width": 1280, "height": 1150}
PAPER = {"width": 794, "height": 1123}
MARGIN = 40
MOST_BYTES = 200_000
COLUMNS = 104
TERMINALS = {"terminal-bound": (["bound", "germany50-routing"], 34), "terminal-datasets": (["datasets"], None)}
"""Name of the picture, arguments of `semibandits`, and number of lines shown; the last lines fade out."""

TERMINAL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #fff; }}
main {{ display: inline-block; border: 1px solid #c9ced6; border-radius: 8px; overflow: hidden; background: #fff; }}
h1 {{ margin: 0; padding: 9px 16px; background: #eef1f5; border-bottom: 1px solid #c9ced6; }}
h1, pre {{ font: 14px/1.36 "DejaVu Sans Mono", monospace; color: #1f2933; }}
h1 b {{ color: #6b7684; font-weight: normal; }}
pre {{ margin: 0; padding: 12px 16px 14px; white-space: pre; }}
.cut pre {{ padding-bottom: 0; mask-image: linear-gradient(#000 78%, transparent 99%); }}
</style><main class="{kind}"><h1><b>$</b> {command}</h1><pre>{code}</pre></main>"""


def main() -> None:
    """Write all pictures."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise SystemExit("Error: Chromium must be installed (on Debian: apt install chromium)")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        demo = Path(folder) / "demo"
        semibandits("run", str(STUDY), "--output", str(demo))
        semibandits("bound", "germany50-routing", "--plot", str(demo / "plan.png"))
        keep("germany50-plan", (demo / "plan.png").read_bytes())
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        report = demo / "report.html"
        keep("report", shot_of_report(browser, report, LAPTOP, 1.5, first=".masthead", last="#regret-figure"))
        keep("report-map", shot_of_report(browser, report, LAPTOP, 1.5, first="#decisions", last="#decisions"))
        keep("report-phone", shot_of_report(browser, report, PHONE, 2.0, first="#regret", last=None))
        shortlist = Path(folder) / "shortlist"
        semibandits("run", str(SHORTLIST), "--output", str(shortlist))
        report = shortlist / "report.html"
        keep("shortlist", shot_of_report(browser, report, LAPTOP, 1.5, first=".masthead", last="#answers"))
        keep("shortlist-phone", shot_of_report(browser, report, PHONE, 2.0, first=".masthead", last=None))
        keep("shortlist-paper", shot_of_report(browser, report, PAPER, 1.0, first=".masthead", last=None, paper=True))
        city = Path(folder) / "city.png"
        semibandits("bound", CITY, "--plot", str(city))
        keep("city-plan", city.read_bytes())
        with live_service(Path(folder)) as address:
            keep("live-page", shot_of_live_page(browser, address, TALL, 1.5, first="body"))
            keep("live-page-exploration", shot_of_live_page(browser, address, LAPTOP, 1.5, first="#exploration"))
            keep("live-page-phone", shot_of_live_page(browser, address, PHONE, 2.0, first="#estimates"))
        for name, (words, lines) in TERMINALS.items():
            keep(name, shot_of_terminal(browser, words, lines))
        browser.close()


def semibandits(*words: str) -> str:
    """Output of the program on a colour terminal."""
    environment = os.environ | {"COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "agg"}
    program = Path(sys.executable).with_name("semibandits")
    done = subprocess.run([program, *words], check=True, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout


def shot_of_report(
    browser: Browser, report: Path, size: dict[str, int], scale: float, *, first: str, last: str | None, paper: bool = False
) -> bytes:
    """A report at full width, from one element to another; or one screen from the first element on. `paper`: as printed."""
    page = browser.new_page(viewport=size, device_scale_factor=scale, color_scheme="light", reduced_motion="reduce", offline=True)
    if paper:
        page.emulate_media(media="print")
    page.goto(report.as_uri())
    page.locator("#drawing .figure").first.wait_for()
    boxes = [page.locator(selector).bounding_box() for selector in (first, last or first)]
    top, bottom = (box["y"] + end * box["height"] for box, end in zip(boxes, (0, 1), strict=True) if box)
    top = max(0.0, top - MARGIN)
    height = float(size["height"]) if last is None else bottom + MARGIN - top
    picture = page.screenshot(full_page=True, clip={"x": 0, "y": top, "width": size["width"], "height": height})
    page.close()
    return picture


@contextmanager
def live_service(folder: Path) -> Iterator[str]:
    """Address of a service with a learner that has found its route, and waits for some outcomes."""
    url = f"sqlite:///{folder}/learners.db"
    semibandits("learner", "create", url, "packets", LIVE)
    data, rng = sb.datasets.load(LIVE), np.random.default_rng(0)
    waiting: list[sb.Round] = []
    with sb.open_learner(url, name="packets") as learner:
        for _ in range(LIVE_ROUNDS):
            waiting.append(learner.ask())
            if len(waiting) > LIVE_OPEN and rng.random() < 0.995:
                told = waiting.pop(int(rng.integers(LIVE_OPEN)))
                learner.tell(told.id, rng.normal(data.theta[told.items], np.sqrt(data.variance[told.items])))
    program = Path(sys.executable).with_name("semibandits")
    words = [program, "serve", "--storage", url, "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    assert process.stdout is not None
    try:
        yield next(line for line in process.stdout if line.startswith("Page:")).split()[1]
    finally:
        process.terminate()
        process.wait()


def shot_of_live_page(browser: Browser, address: str, size: dict[str, int], scale: float, *, first: str) -> bytes:
    """One screen of the live page from an element on, once the bound is solved."""
    page = browser.new_page(
        viewport=size, device_scale_factor=scale, color_scheme="light", reduced_motion="reduce", locale="en-GB"
    )
    page.goto(address)
    page.locator("#exploration .bracket:visible").wait_for(timeout=120_000)
    box = page.locator(first).bounding_box()
    assert box is not None
    picture = page.screenshot(full_page=True, clip={"x": 0, "y": box["y"], **size})
    page.close()
    return picture


def shot_of_terminal(browser: Browser, words: list[str], most_lines: int | None) -> bytes:
    """Output of a command, drawn as a terminal window."""
    printed = semibandits(*words).rstrip().splitlines()
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))  # noqa: SIM115 - as long as the console
    console.print(Text.from_ansi("\n".join(printed[:most_lines])), soft_wrap=True)
    code = console.export_html(theme=DEFAULT_TERMINAL_THEME, inline_styles=True, code_format="{code}")
    kind = "cut" if most_lines and len(printed) > most_lines else "whole"
    page = browser.new_page(device_scale_factor=1.5, offline=True)
    page.set_content(TERMINAL.format(kind=kind, command=html.escape(" ".join(["semibandits", *words])), code=code))
    picture = page.locator("main").screenshot()
    page.close()
    return picture


def keep(name: str, png: bytes) -> None:
    """Write a picture; if it is too large, with the colours of its lines only."""
    path = FIGURES / f"{name}.png"
    size = write_small_png(png, path, 256)
    for colours in (256, 128, 64):
        if size < MOST_BYTES:
            break
        size = write_small_png(png, path, colours, thin_lines=True)
    print(f"docs/figures/{name}.png: {size:,} bytes")


if __name__ == "__main__":
    main()
