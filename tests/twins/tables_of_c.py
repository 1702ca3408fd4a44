"""The constants in the headers of the C core, read as text."""

import re
from pathlib import Path

CORE = Path(__file__).parents[2] / "ugt" / "_core"

NUMBER = re.compile(r"-?(?:0x[0-9a-f.]+p[+-]?\d+|\d+(?:\.\d*)?(?:e[+-]?\d+)?)")


def read(header):
    """Name of every array in a header -> its numbers, flat."""
    text = re.sub(r"/\*.*?\*/", "", (CORE / header).read_text(encoding="utf-8"), flags=re.DOTALL)
    arrays = re.findall(r"static const double (\w+)[^=]*= \{(.*?)\};", text, flags=re.DOTALL)
    return {name: [float.fromhex(x) if "x" in x else float(x) for x in NUMBER.findall(body)] for name, body in arrays}
