"""Small PNG files with sharp lines and letters."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image

from semibandits.formats.files import write_whole

COLOURS = 128


def write_small_png(png: bytes, path: Path, colours: int = COLOURS, *, thin_lines: bool = False) -> int:
    """Write an image with a palette, atomically.

    Parameters
    ----------
    png : bytes
        The image, in a format that Pillow reads; transparent pixels become white.
    path : Path
        The file; its folder must exist.
    colours : int
        Size of the palette, at most 256.
    thin_lines : bool
        Whether to keep the colours of thin lines rather than the shades of areas.

    Returns
    -------
    int
        Size of the file in bytes.
    """
    with Image.open(BytesIO(png)) as image:
        opaque = Image.new("RGB", image.size, "white")
        opaque.paste(image, mask=image.convert("RGBA").getchannel("A"))
    method = Image.Quantize.MAXCOVERAGE if thin_lines else Image.Quantize.MEDIANCUT
    reduced = opaque.quantize(colours, method=method, dither=Image.Dither.NONE)
    buffer = BytesIO()
    reduced.save(buffer, format="PNG", optimize=True)
    write_whole(path, buffer.getvalue())
    return len(buffer.getvalue())
