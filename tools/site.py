"""Build the documentation site into build/docs. Warnings are errors, and so are links to files or headings that do not exist.

Usage: python tools/site.py [FOLDER]
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from sphinx.cmd.build import build_main

ROOT = Path(__file__).resolve().parents[1]


class _Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what is linked to, and what can be."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def build(folder: Path) -> int:
    """Build the site; the exit code of Sphinx."""
    return build_main(["-q", "-W", "--keep-going", "-E", "-b", "html", str(ROOT / "docs"), str(folder)])


def broken_links(folder: Path) -> list[str]:
    """Links of the site to files or anchors that it does not have, each as ``page: link``."""
    pages = {path.resolve(): _Page(path) for path in sorted(folder.rglob("*.html"))}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address, anchor = urldefrag(link)
            address = urlsplit(address).path
            if urlsplit(link).scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(address)).resolve() if address else path
            known = pages.get(target)
            is_anchored = not anchor or known is None or unquote(anchor) in known.anchors
            if not target.exists() or not is_anchored:
                broken.append(f"{path.relative_to(folder.resolve())}: {link}")
    return broken


def main(arguments: list[str]) -> int:
    """Build and check; 0 if all is well."""
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "docs"
    if code := build(folder):
        return code
    broken = broken_links(folder)
    print("\n".join(["Broken links:", *broken]) if broken else f"The site is in {folder / 'index.html'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
