"""Draw page one of three reports, as it is on a screen of 1280 x 900 pixels, into this folder: ``python docs/pictures/make.py``.

Needs Chromium and Pillow. The data are generated; they are those of the tests of the report.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from twins import studies  # noqa: E402  (found by the path above)
from twins.browser import Browser, executable  # noqa: E402

N_RESAMPLES = 1000
N_COLOURS = 128  # of a picture of text and lines


def main() -> None:
    """Write the three pictures."""
    studies.N_RESAMPLES = N_RESAMPLES
    with Browser(executable()) as browser, tempfile.TemporaryDirectory() as folder:
        browser.call("Emulation.setScrollbarsHidden", hidden=True)
        browser.show(1280, 900)
        for study in (studies.demo, studies.many_classes, studies.two_classes):
            page, path = Path(folder) / "report.html", HERE / f"{study.__name__.replace('_', '-')}.png"
            page.write_text(studies.page(study), encoding="utf-8")
            browser.open(page.as_uri())
            browser.picture(path, beyond=False)
            Image.open(path).convert("RGB").quantize(N_COLOURS, method=Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
            print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
