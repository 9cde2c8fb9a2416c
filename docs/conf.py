"""Configuration of the documentation site: `make docs` builds it into build/docs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import semibandits

lexers["csv"] = TextLexer()  # Pygments has none

project = "semibandits"
author = "The semibandits developers"
release = version = semibandits.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["figures"]
html_theme = "furo"
html_static_path, html_css_files = ["_static"], ["site.css"]
html_title = f"semibandits {release}"
html_show_copyright = html_show_sourcelink = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings give types, with shapes and units
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
copybutton_exclude = ".linenos, .gp, .go"

linkcheck_ignore = [r"https?://localhost.*", r"http://127\.0\.0\.1.*"]


def setup(app: Any) -> None:
    """Copy the figures that pages show by HTML, side by side, where Sphinx does not see them."""
    figures = Path(__file__).parent / "figures"
    app.connect("build-finished", lambda app, _: shutil.copytree(figures, Path(app.outdir) / "figures", dirs_exist_ok=True))
